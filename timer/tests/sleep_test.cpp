// SPDX-License-Identifier: Apache-2.0
//
// Sleeping coroutines in every kind of queue: when they are resumed, what cancels them, and what may be
// destroyed when.
#include <gtest/gtest-death-test.h>
#include <gtest/gtest.h>

#include <chrono>
#include <concepts>
#include <coroutine>
#include <memory>
#include <new>
#include <optional>
#include <pinion/timer.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include "allocations.hpp"
#include "sleepers.hpp"
#include "small_executor.hpp"

namespace pinion::timer {
namespace {

using namespace std::chrono_literals;
using testing::at;
using testing::sleep_test;
using testing::task;
using testing::unit;

TYPED_TEST_SUITE(sleep_test, testing::calling_queues);

using any_queue = timer_queue<call_wheel, testing::virtual_clock>;
template <class Queue, class When, class... Slot>
concept can_sleep_for = requires(Queue& q, When when, Slot&... slot) { sleep_for(q, when, slot...); };
template <class Queue, class When>
concept can_sleep_until = requires(Queue& q, When when) { sleep_until(q, when); };
static_assert(can_sleep_for<any_queue, std::chrono::seconds> &&
              can_sleep_for<any_queue, duration, cancel_slot>);
static_assert(!can_sleep_for<any_queue, instant> && !can_sleep_until<any_queue, duration>);
static_assert(can_sleep_until<any_queue, std::chrono::steady_clock::time_point>);
static_assert(!can_sleep_until<any_queue, std::chrono::system_clock::time_point>);
static_assert(!can_sleep_for<timer_queue<ordered_map<int>>, duration>, "an int can't be called");
static_assert(!can_sleep_for<call_wheel, duration>, "a store has no clock");
static_assert(std::copyable<sleep_awaitable<any_queue>>);
static_assert(!std::move_constructible<sleep_awaitable<any_queue>::awaiter>, "a list points at it");
static_assert(
    std::same_as<decltype(std::declval<sleep_awaitable<any_queue>::awaiter&>().await_resume()), void>);

TYPED_TEST(sleep_test, ResumesFromThePollAtItsTimeAndNotBefore) {
  const task a = this->sleeper(at(2), 'a');
  const task b = this->sleeper(at(1), 'b');

  this->run_at(at(1) - duration{1});
  EXPECT_EQ(this->log, "");
  this->run_at(at(1));
  EXPECT_EQ(this->log, "b");
  this->run_at(at(5));

  EXPECT_EQ(this->log, "ba");
  EXPECT_TRUE(a.is_done());
}

// Law C1: who sleeps is made ready by the poll, and runs when its executor comes to it.
TYPED_TEST(sleep_test, ThePollMakesATaskReadyAndRunsNothing) {
  pinion::testing::small_executor executor;
  cancel_slot slot;
  const auto body = [](auto& test, cancel_slot& s) -> pinion::testing::task {
    co_await sleep_until(test.timers, at(1));
    test.log += '1';
    test.log += co_await sleep_until(test.timers, never, s) ? 'e' : 'c';
  };
  pinion::testing::task all = body(*this, slot);
  executor.spawn(all);
  executor.run();

  EXPECT_EQ(this->run_at(at(1)), 1U);
  EXPECT_EQ(this->log, "");
  executor.run();
  EXPECT_EQ(this->log, "1");
  slot.request();
  EXPECT_FALSE(executor.has_ready()) << "not from inside request()";
  this->run_at(at(1));
  EXPECT_EQ(this->log, "1");
  executor.run();

  EXPECT_EQ(this->log, "1c");
  EXPECT_TRUE(all.is_done());
}

// Cancelled between its time and its turn: it has ended by itself.
TYPED_TEST(sleep_test, ForCountsFromTheCallNotFromTheAwait) {
  const auto sleeper = [](auto awaitable, std::string& out) -> task {
    co_await awaitable;
    out += 'x';
  };
  const auto kept = sleep_for(this->timers, unit * 2);
  this->time = at(1);
  const task t = sleeper(kept, this->log);

  this->run_at(at(2));

  EXPECT_EQ(this->log, "x");
}

TYPED_TEST(sleep_test, ASleepThatIsOverBeforeItBeginsStillWaitsForThePollAfter) {
  this->run_at(at(10));
  const auto twice = [](auto& test) -> task {
    co_await sleep_until(test.timers, at(3));
    test.log += '1';
    co_await sleep_for(test.timers, duration{0});
    test.log += '2';
  };

  const task t = twice(*this);
  EXPECT_EQ(this->log, "") << "not inline";
  EXPECT_LE(this->timers.next_wakeup(), this->time) << "but the host does not sleep";
  this->run_at(at(10));
  EXPECT_EQ(this->log, "1") << "what is armed in a poll does not fire in it";
  this->run_at(at(10));

  EXPECT_EQ(this->log, "12");
}

TYPED_TEST(sleep_test, DestroyingASleeperIsAViolation) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";
  cancel_slot slot;
  task gone = this->sleeper(at(1), 'g');
  task also = this->cancellable_sleeper(at(1), slot);

  EXPECT_DEATH(gone.destroy(), "a coroutine was destroyed while it waits");
  EXPECT_DEATH(also.destroy(), "a coroutine was destroyed while it waits");

  this->run_at(at(1));
}

TYPED_TEST(sleep_test, ACoroutineMayEndItsOwnFrame) {
  struct fire_and_forget {
    struct promise_type {
      static fire_and_forget get_return_object() noexcept { return {}; }
      static std::suspend_never initial_suspend() noexcept { return {}; }
      static std::suspend_never final_suspend() noexcept { return {}; }
      static void return_void() noexcept {}
      [[noreturn]] static void unhandled_exception() { throw; }
    };
  };
  const auto run = [](auto& test, std::unique_ptr<char> name) -> fire_and_forget {
    co_await sleep_for(test.timers, unit);
    test.log += *name;
  };

  run(*this, std::make_unique<char>('f'));
  this->run_at(at(1));

  EXPECT_EQ(this->log, "f");
}

TYPED_TEST(sleep_test, WhatACoroutineThrowsPassesThroughThePollAndLosesNobody) {
  const auto thrower = [](auto& test) -> task {
    co_await sleep_until(test.timers, at(1));
    throw std::runtime_error{"from a coroutine"};
  };
  const task a = thrower(*this);
  const task b = this->sleeper(at(1), 'b');
  this->time = at(1);

  bool threw = false;
  for (int polls = 0; polls < 2; ++polls) {
    try {
      this->timers.run();
    } catch (const std::runtime_error&) {
      threw = true;
    }
  }

  EXPECT_TRUE(threw);
  EXPECT_EQ(this->log, "b");
}

TYPED_TEST(sleep_test, SleepingAgainAndAgainDoesNotAllocate) {
  const auto loop = [](auto& test, int rounds) -> task {
    cancel_slot slot;
    for (int k = 0; k < rounds; ++k) {
      co_await sleep_for(test.timers, unit);
      static_cast<void>(co_await sleep_for(test.timers, unit, slot));
    }
    test.log += 'x';
  };
  const task t = loop(*this, 20);
  this->run_at(at(1));
  const std::size_t before = pinion::testing::allocations_so_far();

  for (std::uint64_t n = 2; n <= 40; ++n) this->run_at(at(n));

  EXPECT_EQ(pinion::testing::allocations_so_far(), before);
  EXPECT_EQ(this->log, "x");
}

TYPED_TEST(sleep_test, ClearingTheQueueLeavesASleeperThatCanStillBeDestroyed) {
  {
    cancel_slot slot;
    const task a = this->sleeper(at(1), 'a');
    const task b = this->cancellable_sleeper(at(1), slot);
    this->timers.clear();
    slot.request();
    this->run_at(at(2));
    EXPECT_EQ(this->log, "");
  }
  EXPECT_EQ(this->timers.size(), 0U);
}

TYPED_TEST(sleep_test, TheQueueMayGoFirst) {
  cancel_slot slot;
  auto other = std::make_unique<TypeParam>(testing::virtual_clock{&this->time});
  const auto sleeper = [](auto& queue, cancel_slot& s) -> task {
    static_cast<void>(co_await sleep_for(queue, unit, s));
  };
  const task t = sleeper(*other, slot);

  other.reset();
  slot.request();

  EXPECT_FALSE(t.is_done()) << "suspended for ever, and can be destroyed";
}

TEST(sleep, OverHooksTheFirstSleepAllocatesNothing) {
  instant time{};
  any_queue timers{testing::virtual_clock{&time}};
  std::size_t during = 0;
  const auto sleeper = [](any_queue& q, std::size_t& allocations) -> task {
    const std::size_t before = pinion::testing::allocations_so_far();
    co_await sleep_for(q, 1s);
    allocations = pinion::testing::allocations_so_far() - before;
  };

  const task t = sleeper(timers, during);
  time = at(1);
  timers.run();

  EXPECT_TRUE(t.is_done());
  EXPECT_EQ(during, 0U);
}

TEST(sleep, WhatArmingThrowsComesOutOfTheAwait) {
  instant time{};
  timer_queue<ordered_map<inline_function<void()>>, testing::virtual_clock> timers{
      testing::virtual_clock{&time}};
  bool caught = false;
  const auto sleeper = [](auto& q, bool& had_no_memory) -> task {
    try {
      pinion::testing::fail_allocation(1);
      co_await sleep_for(q, 1s);
    } catch (const std::bad_alloc&) {
      had_no_memory = true;
    }
    pinion::testing::fail_allocation(0);
  };

  const task t = sleeper(timers, caught);

  EXPECT_TRUE(caught);
  EXPECT_TRUE(t.is_done());
  EXPECT_EQ(timers.size(), 0U);
}

}  // namespace
}  // namespace pinion::timer
