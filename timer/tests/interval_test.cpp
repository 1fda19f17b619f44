// SPDX-License-Identifier: Apache-2.0
//
// Intervals in every kind of queue: phase, missed ticks by late polls, and what a callback may do to its own
// interval.
#include <gtest/gtest.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <pinion/timer.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "allocations.hpp"
#include "queues.hpp"

namespace pinion::timer {
namespace {

using testing::at;
using testing::unit;

struct counter {
  void count(tick t) {
    ticks.push_back(t);
    if (then) then();
  }
  void count_only() { ++plain; }
  [[nodiscard]] static bool wants_too_much(int) { return false; }
  std::vector<tick> ticks;
  std::function<void()> then;
  int plain = 0;
};

template <class Queue>
struct interval_test : testing::queue_test<Queue> {
  counter c;
  interval<Queue> beat{this->timers, calls<&counter::count>, c};

  /// When the ticks were due, in units, since the last call.
  std::vector<std::uint64_t> due() {
    std::vector<std::uint64_t> units;
    for (const tick& t : std::exchange(c.ticks, {})) units.push_back(t.due.ns / unit.ns);
    return units;
  }
};
using units = std::vector<std::uint64_t>;
TYPED_TEST_SUITE(interval_test, testing::calling_queues);

using any_queue = timer_queue<call_wheel, testing::virtual_clock>;
static_assert(!std::move_constructible<interval<any_queue>>);
static_assert(!std::constructible_from<interval<any_queue>, any_queue&,
                                       calls_function<&counter::wants_too_much>, counter&>,
              "what is called takes the context, and the tick or nothing");
static_assert(!calling_queue<timer_queue<ordered_map<std::string>>>, "a queue of texts calls nothing");
static_assert(!calling_queue<timer_queue<ordered_map<inline_function<void(int)>>>>);

TYPED_TEST(interval_test, TicksInPhaseThoughEachPollIsALittleLate) {
  this->time = at(3);
  this->beat.start(unit * 2, missed_ticks::skip);
  EXPECT_EQ(this->run_at(at(5) - duration{1}), 0U);

  for (std::uint64_t n = 5; n <= 13; n += 2) this->run_at(at(n) + duration{unit.ns - 1});

  EXPECT_EQ(this->due(), (units{5, 7, 9, 11, 13}));
  EXPECT_EQ(this->beat.due(), at(15));
  EXPECT_EQ(this->beat.period(), unit * 2);
}

TYPED_TEST(interval_test, BurstRunsMissedTicksOneAPollWithoutSleepBetween) {
  for (std::uint64_t k = 0; k <= 4; ++k) {
    this->time = at(100 * k);
    this->beat.start(unit, missed_ticks::burst);
    const instant late = at(100 * k + 1 + k);  // by exactly k periods

    for (std::uint64_t polls = 0; polls <= k; ++polls) {
      EXPECT_EQ(this->run_at(late), 1U);
      EXPECT_EQ(this->timers.next_wakeup() <= late, polls < k) << "sleeping would be later still";
    }

    EXPECT_EQ(this->run_at(late), 0U);
    units expected;
    for (std::uint64_t n = 0; n <= k; ++n) expected.push_back(100 * k + 1 + n);
    EXPECT_EQ(this->due(), expected);
  }
}

TYPED_TEST(interval_test, SkipDropsMissedTicksAndTellsHowMany) {
  for (std::uint64_t k = 0; k <= 4; ++k) {
    this->time = at(100 * k);
    this->beat.start(unit, missed_ticks::skip);

    this->run_at(at(100 * k + 1 + k));
    EXPECT_EQ(this->run_at(at(100 * k + 1 + k)), 0U);

    ASSERT_EQ(this->c.ticks.size(), 1U);
    EXPECT_EQ(this->c.ticks[0], (tick{at(100 * k + 1), k}));
    this->run_at(at(100 * k + 2 + k) + duration{5'000'000});
    EXPECT_EQ(this->due(), (units{100 * k + 1, 100 * k + 2 + k})) << "on the grid";
  }
}

TYPED_TEST(interval_test, DelayLeavesAWholePeriodBehindEachTick) {
  this->beat.start(unit * 4, missed_ticks::delay);

  this->run_at(at(4));
  this->run_at(at(17));  // due at 8, late by 2 periods and a quarter
  EXPECT_EQ(this->run_at(at(20)), 0U);
  this->run_at(at(22));  // due at 21, late by a quarter
  EXPECT_EQ(this->run_at(at(25)), 0U);
  this->run_at(at(26));

  EXPECT_EQ(this->due(), (units{4, 8, 21, 26}));
}

TYPED_TEST(interval_test, StopsFromOutsideAndFromInsideItsCallback) {
  this->beat.start(unit, missed_ticks::burst);
  this->run_at(at(1));
  EXPECT_TRUE(this->beat.stop());
  EXPECT_FALSE(this->beat.stop());
  EXPECT_EQ(this->run_at(at(5)), 0U);

  this->c.then = [this] { EXPECT_TRUE(this->beat.stop()); };
  this->beat.start(unit, missed_ticks::burst);
  this->run_at(at(9));
  EXPECT_EQ(this->run_at(at(20)), 0U);

  EXPECT_EQ(this->due(), (units{1, 6}));
  EXPECT_FALSE(this->beat.is_running());
  EXPECT_EQ(this->timers.size(), 0U);
}

TYPED_TEST(interval_test, ItsCallbackMayStartItWithAnotherPeriod) {
  this->c.then = [this] {
    this->c.then = nullptr;
    this->beat.start(unit * 3, missed_ticks::skip);
  };
  this->beat.start_at(at(2), unit, missed_ticks::skip);

  for (std::uint64_t n = 1; n <= 9; ++n) this->run_at(at(n));

  EXPECT_EQ(this->due(), (units{2, 5, 8}));
}

TYPED_TEST(interval_test, ItsCallbackMayDestroyIt) {
  auto owned = std::make_unique<interval<TypeParam>>(this->timers, calls<&counter::count>, this->c);
  this->c.then = [&] { owned.reset(); };
  owned->start(unit, missed_ticks::burst);

  this->run_at(at(10));
  EXPECT_EQ(this->run_at(at(20)), 0U);

  EXPECT_EQ(this->due(), (units{1}));
  EXPECT_EQ(this->timers.size(), 0U);
}

TYPED_TEST(interval_test, GoesOnAfterACallbackThatThrew) {
  this->c.then = [] { throw std::runtime_error{"from a tick"}; };
  this->beat.start(unit, missed_ticks::skip);

  EXPECT_THROW(this->run_at(at(1)), std::runtime_error);
  EXPECT_THROW(this->run_at(at(2)), std::runtime_error);

  EXPECT_EQ(this->due(), (units{1, 2}));
}

TYPED_TEST(interval_test, TicksWithoutAllocatingAndCallsFunctionsThatTakeNoTick) {
  interval<TypeParam> plain{this->timers, calls<&counter::count_only>, this->c};
  plain.start_at(at(1), unit, missed_ticks::skip);
  this->run_at(at(1));
  const std::size_t before = pinion::testing::allocations_so_far();

  for (std::uint64_t n = 2; n <= 50; ++n) this->run_at(at(n));

  EXPECT_EQ(pinion::testing::allocations_so_far(), before);
  EXPECT_EQ(this->c.plain, 50);
}

TYPED_TEST(interval_test, ClearingTheQueueStopsIt) {
  this->beat.start(unit, missed_ticks::skip);

  this->timers.clear();

  EXPECT_FALSE(this->beat.is_running());
  EXPECT_EQ(this->run_at(at(5)), 0U);
  this->beat.start(unit, missed_ticks::skip);
  EXPECT_EQ(this->run_at(at(6)), 1U) << "and it can be started again";
}

TYPED_TEST(interval_test, TheQueueMayGoFirst) {
  auto other = std::make_unique<TypeParam>(testing::virtual_clock{&this->time});
  interval<TypeParam> orphan{*other, calls<&counter::count>, this->c};
  orphan.start(unit, missed_ticks::skip);

  other.reset();

  EXPECT_FALSE(orphan.is_running());
  EXPECT_FALSE(orphan.stop());
}

}  // namespace
}  // namespace pinion::timer
