// SPDX-License-Identifier: Apache-2.0
//
// However a wait for Asio ends, it ends once, and with what happened.
#include <atomic>
#include <memory>
#include <random>
#include <stdexcept>

// NOLINTNEXTLINE(readability-identifier-naming): the name of what it replaces
#define main example_main  // which nobody calls, and which ends without a return as only main may
#pragma GCC diagnostic ignored "-Wreturn-type"
#include "../61_await_asio.cpp"  // NOLINT(bugprone-suspicious-include): the program itself is tested
#undef main

namespace {

using pinion::scheduler::executor;
using pinion::scheduler::join_handle;
using pinion::scheduler::spawn;

int failures = 0;
void expect(bool holds, const char* what) {
  if (!holds) ++failures;
  std::printf("%s: %s\n", holds ? "ok" : "FAILED", what);
}

awaitable<int> gives(int value) { co_return value; }
awaitable<int> throws_own() {
  throw std::runtime_error{"own"};
  co_return 0;
}
awaitable<void> waits(std::chrono::microseconds time) {
  net::steady_timer timer{co_await net::this_coro::executor, time};
  co_await timer.async_wait(use_awaitable);
}

// What the coroutine of Asio's gives that the function makes.
template <class T, class Makes>
auto by_asio(net::io_context& context, Makes makes) {
  return from_asio<T>(context,
                      [&context, makes](auto done) { net::co_spawn(context, makes(), std::move(done)); });
}

task<> tells_what_happened(net::io_context& context) {
  const auto given = co_await by_asio<int>(context, [] { return gives(42); });
  expect(given == 42, "a value of an awaitable");

  const auto slept = co_await by_asio<void>(context, [] { return waits(1us); });
  expect(slept.has_value(), "an awaitable that gives nothing");

  bool has_thrown = false;
  try {
    const auto none = co_await by_asio<int>(context, [] { return throws_own(); });
    expect(!none, "is not reached");
  } catch (const std::runtime_error& error) {
    has_thrown = std::string{error.what()} == "own";
  }
  expect(has_thrown, "what an awaitable throws is thrown in the task");

  tcp::acceptor closed{context};
  const auto refused = co_await from_asio<void>(
      context, [&](auto done) { closed.async_wait(tcp::acceptor::wait_read, std::move(done)); });
  expect(!refused && refused.error() == std::errc::bad_file_descriptor, "an operation's error");

  const auto late = co_await with_timeout(1ms, by_asio<void>(context, [] { return waits(1h); }));
  expect(!late && late.error() == std::errc::timed_out, "a timeout cancels an awaitable");

  const auto in_time = co_await with_timeout(1h, by_asio<int>(context, [] { return gives(1); }));
  expect(in_time == 1, "what is there in time is given");
}

task<> counts_end(net::io_context& context, std::chrono::microseconds patience,
                  std::chrono::microseconds time, int& in_time, int& late) {
  const auto over = co_await with_timeout(patience, by_asio<void>(context, [time] { return waits(time); }));
  if (over) ++in_time;
  if (!over && over.error() == std::errc::timed_out) ++late;
}

// Each wait ends once, whichever comes first: of three, one is a race, one ends in time and one is late.
task<> races(net::io_context& context) {
  constexpr int each = 700;
  std::mt19937 random{1};
  const auto some = [&] { return std::chrono::microseconds{random() % 300}; };
  int in_time = 0, late = 0;
  pinion::scheduler::task_group all;
  for (int k = 0; k != each; ++k) {
    all.spawn(counts_end(context, some(), some(), in_time, late));
    all.spawn(counts_end(context, 1h, some(), in_time, late));
    all.spawn(counts_end(context, some(), 24h, in_time, late));
  }
  co_await all.join();
  expect(in_time + late == 3 * each, "each wait ends once");
  expect(in_time >= each && late >= each, "what ends in time is not late, and what does not is");
}

// Whether it was started, and what the wait gave.
task<> waits_for_ever(net::io_context& context, std::atomic<bool>& is_started, std::error_code& error) {
  net::steady_timer timer{context, 24h};
  const auto over = co_await from_asio<void>(context, [&](auto done) {
    is_started = true;
    timer.async_wait(std::move(done));
  });
  if (!over) error = over.error();
}

// The same by a coroutine, which keeps its timer itself: the context may go.
awaitable<void> waits_there(std::atomic<bool>& is_started) {
  is_started = true;
  return waits(24h);
}
task<> waits_in(net::io_context& context, std::atomic<bool>& is_started, std::error_code& error) {
  const auto over = co_await by_asio<void>(context, [&is_started] { return waits_there(is_started); });
  if (!over) error = over.error();
}
task<> pauses() { co_await sleep_for(10ms); }
task<> awaits_begin(const std::atomic<bool>& is_started) {
  while (!is_started) co_await sleep_for(1ms);
}

task<> cancels_before(net::io_context& context) {
  std::atomic<bool> is_started = false;
  std::error_code error;
  join_handle<> waiting = spawn(waits_for_ever(context, is_started, error));
  waiting.cancel();
  co_await waiting;
  expect(!is_started && error == std::errc::operation_canceled, "a cancelled task starts nothing");
}

}  // namespace

int main() {
  {
    net::io_context context{1};
    const auto guard = net::make_work_guard(context);
    const thread_of runs{context};
    executor loop;
    loop.run(tells_what_happened(context));
    loop.run(races(context));
    loop.run(cancels_before(context));
  }
  {
    std::atomic<bool> is_started = false;
    std::error_code error;
    net::io_context context{1};
    const auto guard = net::make_work_guard(context);
    const thread_of runs{context};
    {
      executor loop;
      loop.spawn(waits_for_ever(context, is_started, error)).detach();
      loop.run(awaits_begin(is_started));
    }
    expect(is_started && error == std::errc::operation_canceled, "the executor's end ends it");
  }
  for (const bool is_begun : {false, true}) {
    std::atomic<bool> is_started = false;
    std::error_code error;
    executor loop;
    auto context = std::make_unique<net::io_context>(1);
    loop.spawn(waits_in(*context, is_started, error)).detach();
    loop.run(pauses());
    if (is_begun) context->poll();
    context.reset();
    loop.run();
    expect(is_started == is_begun && error == std::errc::operation_canceled, "the context's end ends it");
  }
  return failures == 0 ? 0 : 1;
}
