// SPDX-License-Identifier: Apache-2.0
//
// spawn_on between executors on threads, in all directions at once: results, cancelling at any time, ends.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <pinion/base/diagnostic.hpp>
#include <pinion/iosubmit/ring/epoll_ring.hpp>
#include <pinion/preempt/tsc_budget.hpp>
#include <pinion/scheduler.hpp>
#include <pinion/waker/bounded_inbox.hpp>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "asked_executors.hpp"
#include "sanitized.hpp"

namespace pinion::scheduler {
namespace {

using namespace std::chrono_literals;
using the_executor = scheduler::executor;
using pinion::testing::is_sanitized;
using testing::asks;
using testing::gives;
using testing::of;
using testing::sleeps;

struct SpawnOnThreadsTest : ::testing::Test {
  testing::ends_in_time watched;
};

// ---- Results

TEST_F(SpawnOnThreadsTest, WhatATaskThrowsOnAnotherThreadIsThrownHere) {
  const executor_pool pool{of(1)};
  const auto throws = []() -> task<int> {
    co_await sleep_for(1us);
    throw std::runtime_error{"thrown there"};
    co_return 1;
  };

  for (int k = 0; k != 100; ++k) {
    try {
      static_cast<void>(block_on(asks(pool[0], throws)));
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "thrown there");
    }
  }
}

struct other_parts : default_parts {
  using inbox = waker::bounded_inbox<>;
  using ring = iosubmit::epoll_ring;
  using source = preempt::tsc_budget;
};

TEST_F(SpawnOnThreadsTest, ExecutorsOfOtherPartsReachEachOther) {
  const basic_executor_pool<other_parts> others{of(1)};
  const executor_pool pool{of(1)};
  basic_executor<other_parts> home;

  const auto through_both = [&](int value) -> task<int> {
    const auto given = co_await spawn_on(pool[0], [value] { return gives(value); });
    co_return given.value_or(-1);
  };
  EXPECT_EQ(home.run(asks(others[0], [&] { return through_both(7); })).value(), 7);
  EXPECT_EQ(home.run(asks(pool[0], [] { return gives(8); })).value(), 8);
}

std::atomic<int> reports{0};

TEST_F(SpawnOnThreadsTest, WhatADetachedTaskThrowsIsReportedAndItsExecutorGoesOn) {
  const executor_pool pool{of(1)};
  const auto before = set_diagnostic_sink(
      [](const diagnostic&) noexcept { reports.fetch_add(1, std::memory_order_relaxed); });
  const auto spawns = []() -> task<> {
    spawn([]() -> task<> {
      throw std::runtime_error{"thrown"};
      co_return;
    }())
        .detach();
    co_return;
  };

  static_cast<void>(block_on(asks(pool[0], spawns)));
  EXPECT_EQ(block_on(asks(pool[0], [] { return gives(5); })).value(), 5);

  set_diagnostic_sink(before);
  EXPECT_EQ(reports.load(std::memory_order_relaxed), 1);
}

// Each level runs on the next executor of the pool, and awaits two of the level below.
task<std::uint64_t> spreads(const executor_pool& pool, std::size_t number, int depth) {
  if (depth == 0) co_return 1U;
  const auto below = [&pool, number, depth](std::size_t step) {
    return asks(pool[(number + step) % pool.size()],
                [&pool, next = number + step, depth] { return spreads(pool, next, depth - 1); });
  };
  auto one = spawn(below(1));
  auto other = spawn(below(2));
  co_return (co_await one).value_or(0) + (co_await other).value_or(0);
}

TEST_F(SpawnOnThreadsTest, ExecutorsAwaitEachOtherInAllDirections) {
  const executor_pool pool{of(3)};
  EXPECT_EQ(block_on(spreads(pool, 0, 10)), 1'024U);
}

task<std::uint64_t> goes_there_and_back(remote_executor worker, std::uint64_t times) {
  std::uint64_t sum = 0;
  for (std::uint64_t k = 0; k != times; ++k)
    sum += static_cast<std::uint64_t>((co_await spawn_on(worker, [] { return gives(1); })).value_or(0));
  co_return sum;
}
task<std::uint64_t> many_go(remote_executor worker, std::uint64_t tasks, std::uint64_t times) {
  std::vector<join_handle<std::uint64_t>> all;
  for (std::uint64_t k = 0; k != tasks; ++k) all.push_back(spawn(goes_there_and_back(worker, times)));
  std::uint64_t sum = 0;
  for (auto& each : all) sum += co_await each;
  co_return sum;
}

TEST_F(SpawnOnThreadsTest, AHundredThousandRoundTripsInBothDirectionsAtOnce) {
  const executor_pool pool{of(2)};
  const auto both = [](const executor_pool& all) -> task<std::uint64_t> {
    auto one = spawn(asks(all[0], [&all] { return many_go(all[1], 100, 500); }));
    auto other = spawn(asks(all[1], [&all] { return many_go(all[0], 100, 500); }));
    co_return (co_await one).value_or(0) + (co_await other).value_or(0);
  };
  EXPECT_EQ(block_on(both(pool)), 100'000U);
}

// Each wait is cancelled after a time of its own, so at whichever stage it is then.
TEST_F(SpawnOnThreadsTest, CancelledAtAnyTimeEachWaitEndsOnce) {
  const executor_pool pool{of(2)};
  const auto sleeps_shortly = [](int us) -> task<int> {
    const auto slept = co_await sleep_for(std::chrono::microseconds{us});
    co_return slept ? 1 : 2;
  };
  const auto plays = [&](int rounds) -> task<int> {
    int ended = 0;
    for (int k = 0; k != rounds; ++k) {
      auto one = spawn(asks(pool[0], [&, k] { return sleeps_shortly(k % 90); }));
      auto other = spawn(asks(pool[1], [&, k] { return sleeps_shortly(k % 70); }));
      if (k % 3 != 0) co_await sleep_for(std::chrono::microseconds{k % 80});
      one.cancel();
      other.cancel();
      const auto first = co_await one;
      const auto second = co_await other;
      ended += static_cast<int>(first.has_value() || first.error() == std::errc::operation_canceled) +
               static_cast<int>(second.has_value() || second.error() == std::errc::operation_canceled);
    }
    co_return ended;
  };
  const int rounds = is_sanitized ? 1'000 : 5'000;
  EXPECT_EQ(block_on(plays(rounds)), 2 * rounds);
}

// ---- Ends

TEST_F(SpawnOnThreadsTest, APoolThatEndsEndsWhatOthersAwaitThere) {
  the_executor home;
  std::optional<executor_pool> pool{std::in_place, of(2)};
  std::vector<join_handle<expected<std::error_code, std::error_code>>> all;
  for (std::size_t k = 0; k != 100; ++k)
    all.push_back(home.spawn(asks((*pool)[k % 2], [] { return sleeps(); })));
  home.run(gives(0));

  pool.reset();
  home.run();

  for (auto& each : all) {
    const auto ended = each.take();
    EXPECT_TRUE(ended ? *ended == std::errc::operation_canceled : ended.error() == errc::closed);
  }
}

TEST_F(SpawnOnThreadsTest, AnExecutorThatEndsCancelsWhatItAwaitsElsewhere) {
  const executor_pool pool{of(2)};
  std::atomic<int> cancelled{0};
  int ended = 0;
  const auto counts = [](std::atomic<int>& in) -> task<> {
    const auto slept = co_await sleep_for(1h);
    if (!slept) in.fetch_add(1, std::memory_order_relaxed);
  };
  const auto waits = [&counts](remote_executor worker, std::atomic<int>& in, int& over) -> task<> {
    co_await spawn_on(worker, [&] { return counts(in); });
    ++over;
  };
  {
    the_executor home;
    for (std::size_t k = 0; k != 100; ++k) home.spawn(waits(pool[k % 2], cancelled, ended)).detach();
    home.run(gives(0));
  }
  EXPECT_EQ(ended, 100);
  EXPECT_EQ(cancelled.load(std::memory_order_relaxed), 100);
}

TEST_F(SpawnOnThreadsTest, APoolThatEndsWhileItsExecutorsAwaitEachOtherEnds) {
  std::atomic<int> alive{0};
  struct living {
    explicit living(std::atomic<int>& in) : in_(&in) { in.fetch_add(1, std::memory_order_relaxed); }
    living(living&& other) noexcept : in_(std::exchange(other.in_, nullptr)) {}
    living& operator=(living&&) = delete;
    living(const living&) = delete;
    living& operator=(const living&) = delete;
    ~living() {
      if (in_ != nullptr) in_->fetch_sub(1, std::memory_order_relaxed);
    }
    std::atomic<int>* in_;
  };
  struct chain {
    static task<> goes_on(const executor_pool& pool, std::size_t number, living /*is*/,
                          std::atomic<int>& alive) {
      if (number == 12) {
        co_await sleep_for(1h);
        co_return;
      }
      static_cast<void>(co_await spawn_on(pool[number % pool.size()], [&pool, number, &alive] {
        return goes_on(pool, number + 1, living{alive}, alive);
      }));
    }
  };
  for (int k = 0; k != 20; ++k) {
    const executor_pool pool{of(3)};
    const auto begins = [&](std::size_t number) -> task<> {
      spawn(chain::goes_on(pool, number, living{alive}, alive)).detach();
      co_return;
    };
    for (std::size_t number = 0; number != 6; ++number)
      static_cast<void>(block_on(asks(pool[number % 3], [&, number] { return begins(number); })));
  }
  EXPECT_EQ(alive.load(std::memory_order_relaxed), 0);
}

// Ended by nothing but that an executor stops its I/O, which is when its patience is over.
task<> waits_in_the_kernel(the_executor& loop, int descriptor, std::atomic<bool>& is_over) {
  cancel_slot never_requested;
  executor_base::current()->running().wait_under(never_requested);
  std::byte one{};
  static_cast<void>(co_await loop.io().read(descriptor, std::span{&one, 1}, 0));
  is_over.store(true, std::memory_order_release);
}

TEST_F(SpawnOnThreadsTest, WhatComesHomeBehindThePatienceOfAnExecutorIsHeard) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const executor_pool pool{of(1)};
  std::atomic<bool> is_late{false};
  bool is_over = false;
  const auto ignores = [](std::atomic<bool>& late) -> task<> {
    while (!late.load(std::memory_order_acquire)) co_await yield();
  };
  {
    the_executor home{{.patience = duration{600'000'000}}};
    home.spawn(waits_in_the_kernel(home, ends[0], is_late)).detach();
    home.spawn([](remote_executor worker, auto makes,
                  bool& over) -> task<> {
          co_await spawn_on(worker, makes);
          over = true;
        }(
                                  pool[0], [&] { return ignores(is_late); }, is_over))
        .detach();
    home.run(gives(0));
  }
  EXPECT_TRUE(is_over);
  for (const int each : ends) ::close(each);
}

}  // namespace
}  // namespace pinion::scheduler
