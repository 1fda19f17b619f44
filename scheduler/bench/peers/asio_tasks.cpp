// SPDX-License-Identifier: Apache-2.0
//
// What is charged to Asio: co_spawn() has its result by a completion handler, the least that tells one. No
// coroutine awaits a handle; there is none but experimental ones. A yield is a post to its own context, and a
// sleep a steady_timer of each coroutine's; both are awaited by `deferred`, which makes no frame of its own.
// Tasks are spawned by a handler, where Asio has a few blocks of the thread's at hand for reuse. asio_post is
// a handler in a coroutine's place.
#include "asio_tasks.hpp"

#include <bench/program/clock.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/channel.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

#include "../executor/benchmarks.hpp"

namespace pinion::scheduler::bench {
namespace {

namespace asio = boost::asio;

/// Adds what coroutines gave.
struct sum_up {
  std::uint64_t& sum;
  void operator()(const std::exception_ptr& thrown, std::uint64_t given) const {
    if (thrown != nullptr) std::rethrow_exception(thrown);
    sum += given;
  }
};

asio::awaitable<std::uint64_t> number(std::uint64_t value) { co_return value; }

template <class Meter>
measured measure_asio_spawns(std::size_t batch, std::size_t batches) {
  measured result{.operations = batch * batches, .expected = (batches + 1) * sum_of_numbers(batch)};
  asio::io_context context{1};
  std::optional<Meter> meter;
  for (std::size_t left = batches + 1; left != 0; --left) {
    if (left == batches) meter.emplace();
    asio::post(context, [&] {
      for (std::size_t k = 0; k < batch; ++k) asio::co_spawn(context, number(k), sum_up{result.checksum});
    });
    context.run();
    context.restart();
  }
  result.seconds = meter->seconds();
  return result;
}

asio::awaitable<std::uint64_t> posts(std::size_t times) {
  const auto here = co_await asio::this_coro::executor;
  for (std::size_t k = 0; k < times; ++k) co_await asio::post(here, asio::deferred);
  co_return times;
}

measured measure_asio_yields(std::size_t tasks, std::size_t times) {
  measured result{.operations = tasks * times, .expected = tasks * times};
  asio::io_context context{1};
  for (std::size_t k = 0; k < tasks; ++k) asio::co_spawn(context, posts(times), sum_up{result.checksum});
  const pinion::bench::stopwatch watch;
  context.run();
  result.seconds = watch.seconds();
  return result;
}

/// Posts itself again.
struct posted {
  asio::io_context& context;
  std::size_t left;
  std::uint64_t& count;
  void operator()() {
    ++count;
    if (--left != 0) asio::post(context, *this);
  }
};

measured measure_asio_posts(std::size_t tasks, std::size_t times) {
  measured result{.operations = tasks * times, .expected = tasks * times};
  asio::io_context context{1};
  for (std::size_t k = 0; k < tasks; ++k) asio::post(context, posted{context, times, result.checksum});
  const pinion::bench::stopwatch watch;
  context.run();
  result.seconds = watch.seconds();
  return result;
}

asio::awaitable<std::uint64_t> sleeps(sleepers& all, std::size_t which) {
  ++all.begun;
  const auto begin = sleepers::now();
  asio::steady_timer timer{co_await asio::this_coro::executor, all.times[which]};
  co_await timer.async_wait(asio::deferred);
  co_return all.woke(which, begin);
}

/// `all_sleep` is called when they do.
template <class AllSleep>
std::uint64_t sleeps_of_all(sleepers& all, AllSleep all_sleep) {
  asio::io_context context{1};
  std::uint64_t sum = 0;
  asio::post(context, [&] {
    for (std::size_t which = 0; which < all.times.size(); ++which)
      asio::co_spawn(context, sleeps(all, which), sum_up{sum});
  });
  while (all.begun != all.times.size()) context.run_one();
  all_sleep();
  context.run();
  return sum;
}

outcome measure_asio_asleep(std::size_t tasks) {
  sleepers all{tasks};
  const pinion::bench::process_stopwatch watch;
  const std::uint64_t sum = sleeps_of_all(all, [] {});
  return shown(all, watch.seconds(), sum);
}

outcome measure_asio_held(std::size_t tasks) {
  sleepers all{tasks};
  held_by_tasks held;
  const std::uint64_t sum = sleeps_of_all(all, [&] { held.all_sleep(tasks); });
  return held.shown(sum, all.expected);
}

using channel_of_values = asio::experimental::channel<void(boost::system::error_code, std::uint64_t)>;

asio::awaitable<void> sends(channel_of_values& to, std::size_t values) {
  for (std::uint64_t k = 0; k < values; ++k)
    co_await to.async_send(boost::system::error_code{}, k, asio::deferred);
}
asio::awaitable<std::uint64_t> receives(channel_of_values& from, std::size_t values) {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < values; ++k) sum += co_await from.async_receive(asio::deferred);
  co_return sum;
}

measured measure_asio_values(std::size_t count) {
  measured result{.operations = count, .expected = sum_of_numbers(count)};
  asio::io_context context{1};
  channel_of_values channel{context, 64};
  const pinion::bench::stopwatch watch;
  asio::co_spawn(context, sends(channel, count), [](const std::exception_ptr& thrown) {
    if (thrown != nullptr) std::rethrow_exception(thrown);
  });
  asio::co_spawn(context, receives(channel, count), sum_up{result.checksum});
  context.run();
  result.seconds = watch.seconds();
  return result;
}

/// Sent the ball through a channel that other threads may send into.
struct asio_player {
  using task = asio::awaitable<std::uint64_t>;

  asio::io_context context{1};
  asio::experimental::concurrent_channel<void(boost::system::error_code, std::uint64_t)> came{context, 1};
  std::uint64_t ball = 0;

  void send(std::uint64_t payload) { came.try_send(boost::system::error_code{}, payload); }
  asio::awaitable<void> wait() { ball = co_await came.async_receive(asio::deferred); }
  std::uint64_t run(task what) {
    std::uint64_t payload = 0;
    asio::co_spawn(context, std::move(what), sum_up{payload});
    context.run();
    return payload;
  }
};

}  // namespace

void add_asio() {
  const auto allocations = [](std::size_t batch, std::size_t batches) {
    return shown_allocations(measure_asio_spawns<allocation_meter>(batch, batches));
  };
  add_spawns("asio", &measure_asio_spawns<pinion::bench::stopwatch>, allocations);
  add_yields("asio", &measure_asio_yields);
  add_yields("asio_post", &measure_asio_posts);
  add_sleeps("asio", &measure_asio_asleep, &measure_asio_held);
  add_values("asio", &measure_asio_values);
  add_ping_pong<asio_player>("asio");
}

}  // namespace pinion::scheduler::bench
