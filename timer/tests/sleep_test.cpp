// SPDX-License-Identifier: Apache-2.0
//
// Sleeping coroutines in every kind of queue: when they are resumed, what cancels them, and what may be destroyed when.
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
#include <type_traits>
#include <utility>
#include <vector>

#include "allocations.hpp"
#include "queues.hpp"

namespace pinion::timer {
namespace {

using namespace std::chrono_literals;
using testing::at;
using testing::task;
using testing::unit;

template <class Queue>
struct sleep_test : testing::queue_test<Queue> {
  std::string log;

  task sleeper(instant until, char name) {
    co_await sleep_until(this->timers, until);
    log += name;
  }
  task cancellable_sleeper(instant until, cancel_slot& slot) {
    const expected<void, cancelled> slept = co_await sleep_until(this->timers, until, slot);
    log += slept ? 'e' : 'c';
  }
};
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

TYPED_TEST(sleep_test, DestroyingASleeperLeavesNothingBehind) {
  {
    const task gone = this->sleeper(at(1), 'g');
    EXPECT_EQ(this->timers.size(), 1U);
  }
  EXPECT_EQ(this->timers.size(), 0U);

  this->run_at(at(2));

  EXPECT_EQ(this->log, "");
}

TYPED_TEST(sleep_test, ASleeperMayDestroyAnotherThatIsDueInTheSamePoll) {
  std::vector<task> sleepers;
  const auto destroyer = [](auto& test, std::vector<task>& all, std::size_t self) -> task {
    co_await sleep_until(test.timers, at(1));
    test.log += 'd';
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (k != self) all[k].destroy();
    }
  };
  sleepers.reserve(3);
  for (std::size_t k = 0; k < 3; ++k) sleepers.push_back(destroyer(*this, sleepers, k));

  this->run_at(at(2));

  EXPECT_EQ(this->log, "d") << "whichever came first was the only one";
  EXPECT_EQ(this->timers.size(), 0U);
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

TYPED_TEST(sleep_test, ACancelledSleepEndsInTheNextPollAndSaysSo) {
  cancel_slot slot;
  const task t = this->cancellable_sleeper(at(100), slot);
  this->run_at(at(1));

  slot.request();
  EXPECT_EQ(this->log, "") << "not from inside request()";
  EXPECT_LE(this->timers.next_wakeup(), at(1)) << "the host does not sleep until the deadline";
  this->run_at(at(1));

  EXPECT_EQ(this->log, "c");
  EXPECT_TRUE(t.is_done());
  EXPECT_EQ(this->timers.size(), 0U);
}

TYPED_TEST(sleep_test, ASleepUnderASlotEndsByItselfIfNobodyCancels) {
  cancel_slot slot;
  const task t = this->cancellable_sleeper(at(2), slot);

  this->run_at(at(2));
  slot.request();
  this->run_at(at(3));

  EXPECT_EQ(this->log, "e");
}

TYPED_TEST(sleep_test, OneSlotCancelsAllThatWaitAndWhatBeginsToWaitLaterDoesNotSuspend) {
  cancel_slot slot;
  const task a = this->cancellable_sleeper(at(2), slot);
  const task b = this->cancellable_sleeper(never, slot);
  const task c = this->cancellable_sleeper(at(4), slot);

  slot.request();
  slot.request();
  const task late = this->cancellable_sleeper(at(2), slot);
  EXPECT_EQ(this->log, "c");
  EXPECT_TRUE(late.is_done());
  this->run_at(at(1));
  EXPECT_EQ(this->log, "cccc");
  slot.reset();
  const task again = this->cancellable_sleeper(at(2), slot);
  this->run_at(at(2));

  EXPECT_EQ(this->log, "cccce");
}

TYPED_TEST(sleep_test, CancellingASleepThatIsDueInTheSamePollStillCancelsIt) {
  cancel_slot slot;
  const auto canceller = [](auto& test, cancel_slot& s) -> task {
    co_await sleep_until(test.timers, at(1));
    test.log += 'r';
    s.request();
  };
  const task first = canceller(*this, slot);
  const task second = this->cancellable_sleeper(at(2), slot);

  const std::size_t fired = this->run_at(at(3));

  EXPECT_EQ(fired, 1U) << "a due timer that was moved does not run in this poll";
  EXPECT_EQ(this->log, "r");
  this->run_at(at(3));
  EXPECT_EQ(this->log, "rc");
}

TYPED_TEST(sleep_test, SlotAndSleepersMayDieInAnyOrder) {
  auto slot = std::make_unique<cancel_slot>();
  auto a = std::make_unique<task>(this->cancellable_sleeper(at(1), *slot));
  auto b = std::make_unique<task>(this->cancellable_sleeper(at(1), *slot));
  auto c = std::make_unique<task>(this->cancellable_sleeper(at(1), *slot));

  b.reset();
  slot->request();
  c.reset();
  slot->reset();
  const task after = this->cancellable_sleeper(at(1), *slot);
  slot = nullptr;
  this->run_at(at(1));

  EXPECT_TRUE(this->log == "ce" || this->log == "ec") << this->log;
  EXPECT_EQ(this->timers.size(), 0U);
}

TYPED_TEST(sleep_test, ASlotThatIsGoneCancelsNobody) {
  std::optional<cancel_slot> slot{std::in_place};
  const task a = this->cancellable_sleeper(at(1), *slot);
  const task b = this->cancellable_sleeper(at(2), *slot);

  slot.reset();
  this->run_at(at(2));

  EXPECT_EQ(this->log, "ee");
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
