// SPDX-License-Identifier: Apache-2.0
//
// The samples of use that headers of base open with, word for word, and what each claims.
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <ctime>
#include <exception>
#include <memory>
#include <pinion/base.hpp>
#include <thread>
#include <vector>

#include "raw_ring.hpp"

namespace pinion {

// Not in the unnamed namespace: nothing could be given away from there.
// NOLINTNEXTLINE(misc-use-internal-linkage): it is exported
PINION_EXPORT [[nodiscard]] int teeth() noexcept;  // a function compiled in src/
class PINION_EXPORT gear;                          // a class with members compiled in src/

int teeth() noexcept { return 12; }
class gear {
 public:
  [[nodiscard]] static int count() noexcept { return teeth(); }
};

namespace {

using namespace std::chrono_literals;

TEST(samples, AnExportedNameIsDeclaredOnceAndDefinedElsewhere) { EXPECT_EQ(gear::count(), 12); }

struct stall {
  int number;
};
struct my_log {
  std::vector<int> seen;
  void add(const stall& what) { seen.push_back(what.number); }
};

TEST(samples, ACallbackTellsItsContext) {
  my_log log;
  const stall what{7};

  callback<const stall&> seen{
      .function = [](void* to, const stall& s) noexcept { static_cast<my_log*>(to)->add(s); },
      .context = &log};
  if (seen) seen(what);

  EXPECT_EQ(log.seen, std::vector{7});
}

TEST(samples, AProgramSetsTheThresholdOfDiagnostics) {
  const severity before = set_diagnostic_threshold(severity::error);

  set_diagnostic_threshold(severity::warning);

  EXPECT_EQ(set_diagnostic_threshold(before), severity::warning);
}

struct park_statistics {
  std::uint64_t parks = 0;
  histogram<36, 2> lengths;
};

struct my_loop {
  [[no_unique_address]] event_counter<park_statistics> events;
};

TEST(samples, AnEventCounterCountsWhereTheBuildSaysSo) {
  my_loop loop;
  const duration length{1'000};

  loop.events.count(&park_statistics::parks);
  loop.events.add(&park_statistics::lengths, length.ns);

#if PINION_COUNTED
  EXPECT_EQ(loop.events.total().parks, 1U);
  EXPECT_EQ(loop.events.total().lengths.count(), 1U);
#else
  EXPECT_EQ(sizeof loop, 1U);
#endif
}

TEST(samples, AHistogramAnswersQuantilesToItsPlaces) {
  const duration length{1'000};
  histogram<36, 3> those_of_another_thread;
  those_of_another_thread.add(9'000, 99);

  histogram<36, 3> slices;  // up to 68 s in ns, to an eighth: 272 places
  slices.add(length.ns);
  slices.merge(those_of_another_thread);
  const std::uint64_t p99 = slices.quantile(990);  // at least exact, and less than an eighth above

  EXPECT_EQ(decltype(slices)::places, 272U);
  EXPECT_EQ(slices.count(), 100U);
  EXPECT_GE(p99, 9'000U);
  EXPECT_LT(p99, 9'000U + 9'000U / 8U);
}

TEST(samples, AVectorOfInlineFunctionsIsAQueueOfCallbacks) {
  int sum = 0;
  int k = 2;
  const std::vector<int> values{3, 40};

  using callback = inline_function<void()>;  // 32 bytes, 24 of them the function's
  std::vector<callback> due;
  due.emplace_back([&sum, k] { sum += k; });                          // two words
  due.emplace_back(boxed([&sum, values] { sum += values.back(); }));  // one word, and the heap
  for (callback& call : due) call();

  EXPECT_EQ(sizeof(callback), 4 * sizeof(void*));
  EXPECT_EQ(sum, 42);
}

TEST(samples, AKernelTimeIsPpollsTimeout) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ::pollfd watched{.fd = ends[0], .events = POLLIN, .revents = 0};
  const duration timeout = ceil(1ns);

  const auto limit = kernel_time::of(timeout).as<timespec>();
  const int ready = ::ppoll(&watched, 1, timeout == forever ? nullptr : &limit, nullptr);

  EXPECT_EQ(ready, 0);
  for (const int end : ends) ::close(end);
}

TEST(samples, AnEntryWithAKernelTimeIsATimeout) {
  if (!testing::raw_ring::refusal().empty()) GTEST_SKIP() << testing::raw_ring::refusal();
  testing::raw_ring ring;
  const instant deadline = monotonic_clock::now();
  std::int32_t result = 0;

  const kernel_time end = kernel_time::of(deadline);  // lives until the answer: the kernel reads it
  const ring_entry entry{.operation = kernel::codes::timeout,
                         .address = kernel::address_of(&end),
                         .length = 1,
                         .operation_flags = kernel::timeout_flag::absolute};
  ASSERT_TRUE(ring.put(entry));
  ring.wait(never);
  ring.reap([&](const testing::raw_ring::completion& c) { result = c.result; });

  EXPECT_EQ(result, -ETIME);
}

template <sync_traits Sync = std_sync>
class mailbox {
 public:
  mailbox() { Sync::name(full_, "full"); }  // for the printed schedules; nothing in std_sync
  void put(int letter) {
    letter_.write(letter);
    full_.store(1, std::memory_order_release);
  }
  int take() {
    while (full_.load(std::memory_order_acquire) == 0) Sync::pause();
    return letter_.read();
  }

 private:
  typename Sync::template atomic<std::uint32_t> full_{0};
  typename Sync::template plain<int> letter_{0};  // a data race on it is found
};

TEST(samples, AMailboxOverSyncTraitsHandsALetterOver) {
  mailbox box;

  std::thread sender{[&box] { box.put(7); }};
  const int letter = box.take();
  sender.join();

  EXPECT_EQ(letter, 7);
}

TEST(samples, DeadlinesAreRoundedUpAndNowDown) {
  instant deadline = monotonic_clock::now() + ceil(250ms);  // a delay is rounded up
  instant now = floor(std::chrono::steady_clock::now());    // "now" is rounded down
  int timeout = poll_timeout(deadline);                     // what epoll_wait takes: up, or it spins

  EXPECT_LE(deadline, now + ceil(250ms));
  EXPECT_LE(timeout, 250);
}

// Begins at once, as the only task of a loop, and goes at its end.
struct only_task {
  struct promise_type : runnable {
    template <class... Others>
    explicit promise_type(run_queue& on, Others&...) noexcept : loop(on) {
      where = std::coroutine_handle<promise_type>::from_promise(*this);
      loop.ready(*this);
    }
    static only_task get_return_object() noexcept { return {}; }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    [[noreturn]] static void unhandled_exception() noexcept { std::terminate(); }
    [[nodiscard]] run_queue& executor() const noexcept { return loop; }
    run_queue& loop;
  };
};

struct gate {
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> waiting) noexcept {
    resumption_ = resumption{waiting};
  }
  void is_over() { resumption_.go_on(); }  // from the loop's turn: a poll, a drain, a completion
  static void await_resume() noexcept {}
  resumption resumption_;
};

only_task passes(run_queue&, gate& at, int& stage) {
  stage = 1;
  co_await at;
  stage = 2;
}

TEST(samples, ALoopRunsItsTasks) {
  gate at;
  int stage = 0;
  bool done = false;
  std::string log;
  const auto poll_what_ends_waits = [&] {
    if (stage == 1) at.is_over();
    log += stage == 1 ? "1" : "0";
    done = log.size() == 2;
  };

  run_queue tasks;
  passes(tasks, at, stage);
  while (!done) {
    poll_what_ends_waits();
    tasks.run();
  }

  EXPECT_EQ(log, "01");
  EXPECT_EQ(stage, 2);
}

}  // namespace
}  // namespace pinion
