// SPDX-License-Identifier: Apache-2.0
//
// Where slab_wheel keeps a timer: on which level, in which slot, and when it goes on to a lower one.
#include <gtest/gtest.h>

#include <pinion/timer.hpp>

namespace pinion::timer {
namespace {

constexpr auto ignore = [](auto&&...) {};
constexpr instant tick(std::uint64_t n) { return instant{n << 20}; }

/// Past the last level, for whatever is on none.
template <class Wheel>
void expect_no_level(Wheel& timers, std::size_t levels) {
  timers.poll(tick(10), ignore);
  const handle gone = timers.schedule(tick(1'000), 0);
  timers.cancel(gone);

  EXPECT_EQ(timers.level_of(timers.schedule(tick(5), 0)), levels) << "due already";
  EXPECT_EQ(timers.level_of(timers.schedule(never - duration{1}, 0)), levels) << "after the last tick";
  EXPECT_EQ(timers.level_of(timers.schedule(never, 0)), levels);
  EXPECT_EQ(timers.level_of(gone), levels);
  EXPECT_EQ(timers.level_of(handle{}), levels);
  EXPECT_EQ(timers.level_of(handle::from_bits(~std::uint64_t{0})), levels);
}

TEST(slab_wheel_placement, IsOnNoLevelWhenDueAtTheEndOfTimeAtNeverOrNotArmed) {
  deferred_wheel<int> deferred{instant{0}};
  slab_wheel<int, nested_levels<1'000, 4, 4, 4>> with_a_slot_beyond{instant{0}};
  two_level_wheel<int> two{instant{0}};
  stationary_wheel<int> stationary{instant{0}};

  expect_no_level(deferred, deferred_levels::level_count);
  expect_no_level(with_a_slot_beyond, 3);
  expect_no_level(two, 2);
  expect_no_level(stationary, 3);
}

TEST(slab_wheel_placement, NestedLevelsKeepATimerByTheDigitInWhichItsTickDiffersFromTheHand) {
  deferred_wheel<int> timers{tick(0x1'02fe)};

  EXPECT_EQ(timers.level_of(timers.schedule(tick(0x1'02ff), 0)), 0U);
  EXPECT_EQ(timers.level_of(timers.schedule(tick(0x1'0300), 0)), 1U) << "two ticks ahead";
  EXPECT_EQ(timers.level_of(timers.schedule(tick(0x1'ffff), 0)), 1U);
  EXPECT_EQ(timers.level_of(timers.schedule(tick(0x2'0000), 0)), 2U);
  EXPECT_EQ(timers.level_of(timers.schedule(tick(0xff'ffff), 0)), 2U);
  EXPECT_EQ(timers.level_of(timers.schedule(tick(0x100'0000), 0)), 3U);
  EXPECT_EQ(timers.timers_in_level(0), 1U);
  EXPECT_EQ(timers.timers_in_level(1), 2U);
  EXPECT_EQ(timers.timers_in_level(2), 2U);
  EXPECT_EQ(timers.timers_in_level(3), 1U);
}

TEST(slab_wheel_placement, ANestedTimerGoesDownALevelAsItsSlotBegins) {
  deferred_wheel<int> timers{instant{0}};
  const handle h = timers.schedule(tick(0x2'0304), 0);

  EXPECT_EQ(timers.next_wakeup(), tick(0x2'0000));
  EXPECT_EQ(timers.poll(tick(0x1'ffff), ignore).moved, 0U);
  EXPECT_EQ(timers.level_of(h), 2U);
  EXPECT_EQ(timers.poll(tick(0x2'0000), ignore).moved, 1U);
  EXPECT_EQ(timers.level_of(h), 1U);
  EXPECT_EQ(timers.next_wakeup(), tick(0x2'0300));
  EXPECT_EQ(timers.poll(tick(0x2'0300), ignore).moved, 1U);
  EXPECT_EQ(timers.level_of(h), 0U);
  EXPECT_EQ(timers.next_wakeup(), tick(0x2'0304));
  EXPECT_EQ(timers.poll(tick(0x2'0304), ignore).fired, 1U);
}

TEST(slab_wheel_placement, AWheelOfFewDigitsKeepsTheFarBeyondThemAndTakesItInTurnByTurn) {
  slab_wheel<int, nested_levels<1'000, 4, 4, 4>> timers{instant{0}};
  const handle h = timers.schedule(instant{0x3'123'000ULL}, 0);
  const std::uint64_t due = 0x3'123'000ULL / 1'000 + 1;
  std::size_t turns = 0;

  while (timers.level_of(h) == 3) {
    EXPECT_EQ(timers.next_wakeup().ns / 1'000 % 0x1000, 0U) << "when the last level has gone round";
    EXPECT_EQ(timers.poll(timers.next_wakeup(), ignore).moved, 1U);
    ++turns;
  }

  EXPECT_EQ(turns, due / 0x1000);
  EXPECT_EQ(timers.poll(instant{due * 1'000 - 1}, ignore).fired, 0U);
  EXPECT_EQ(timers.poll(instant{due * 1'000}, ignore).fired, 1U);
}

TEST(slab_wheel_placement, CascadingLevelsKeepATimerByItsDistanceFromNow) {
  two_level_wheel<int> timers{tick(1'000'000)};

  EXPECT_EQ(timers.level_of(timers.schedule(tick(1'000'001), 0)), 0U);
  EXPECT_EQ(timers.level_of(timers.schedule(tick(1'001'023), 0)), 0U);
  EXPECT_EQ(timers.level_of(timers.schedule(tick(1'001'024), 0)), 1U);
  EXPECT_EQ(timers.level_of(timers.schedule(tick(1'000'000 + 1'023 * 1'024), 0)), 1U);
  EXPECT_EQ(timers.level_of(timers.schedule(tick(900'000'000), 0)), 1U) << "in the furthest slot";
  EXPECT_EQ(timers.timers_on(0), 2U);
  EXPECT_EQ(timers.timers_on(1), 3U);
}

TEST(slab_wheel_placement, ACascadingTimerGoesDownAsItsCoarseSlotBegins) {
  two_level_wheel<int> timers{instant{0}};
  const handle h = timers.schedule(tick(3 * 1'024 + 7), 0);

  EXPECT_EQ(timers.next_wakeup(), tick(3 * 1'024));
  EXPECT_EQ(timers.poll(tick(3 * 1'024 - 1), ignore).moved, 0U);
  EXPECT_EQ(timers.level_of(h), 1U);
  EXPECT_EQ(timers.poll(tick(3 * 1'024), ignore).moved, 1U);
  EXPECT_EQ(timers.level_of(h), 0U);
  EXPECT_EQ(timers.poll(tick(3 * 1'024 + 6), ignore).fired, 0U);
  EXPECT_EQ(timers.poll(tick(3 * 1'024 + 7), ignore).fired, 1U);
}

TEST(slab_wheel_placement, ATimerBeyondTheCoarseLevelGoesOnFromItsFurthestSlot) {
  two_level_wheel<int> timers{instant{0}};
  const handle h = timers.schedule(tick(1'024 * 1'024 + 5), 0);

  EXPECT_EQ(timers.next_wakeup(), tick(1'023 * 1'024));
  EXPECT_EQ(timers.poll(tick(1'023 * 1'024), ignore).moved, 1U);
  EXPECT_EQ(timers.level_of(h), 1U);
  EXPECT_EQ(timers.next_wakeup(), tick(1'024 * 1'024));
  EXPECT_EQ(timers.poll(tick(1'024 * 1'024), ignore).moved, 1U);
  EXPECT_EQ(timers.poll(tick(1'024 * 1'024 + 5), ignore).fired, 1U);
}

TEST(slab_wheel_placement, StationaryLevelsKeepATimerWhereItWasPutUntilTheirOwnTickIsOver) {
  stationary_wheel<int> timers{instant{0}};
  const handle near = timers.schedule(tick(1'023), 0);
  const handle mid = timers.schedule(tick(2'500), 0);
  const handle far = timers.schedule(instant{(std::uint64_t{5} << 40) + 1}, 0);

  EXPECT_EQ(timers.level_of(near), 0U);
  EXPECT_EQ(timers.level_of(mid), 1U);
  EXPECT_EQ(timers.level_of(far), 2U);
  EXPECT_EQ(timers.poll(tick(1'023), ignore).fired, 1U);
  EXPECT_EQ(timers.next_wakeup(), tick(3 * 1'024)) << "2,500 rounded up to that level's tick";
  const poll_result before = timers.poll(tick(3 * 1'024 - 1), ignore);
  EXPECT_EQ(before.fired + before.moved, 0U);
  EXPECT_EQ(timers.level_of(mid), 1U) << "nothing is moved as it comes near";
  EXPECT_EQ(timers.poll(tick(3 * 1'024), ignore).fired, 1U);
  EXPECT_EQ(timers.next_wakeup(), instant{(std::uint64_t{5} << 40) + (std::uint64_t{1} << 36)});
}

TEST(slab_wheel_placement, WhatIsDueOrAtNeverIsOnNoLevel) {
  two_level_wheel<int> timers{tick(100)};
  const handle due = timers.schedule(tick(100), 0);
  const handle parked = timers.schedule(never, 0);
  const handle last = timers.schedule(instant{never.ns - 1}, 0);

  EXPECT_EQ(timers.level_of(due), 2U);
  EXPECT_EQ(timers.level_of(parked), 2U);
  EXPECT_EQ(timers.level_of(last), 2U) << "it rounds up past the last tick";
  EXPECT_EQ(timers.timers_on(0) + timers.timers_on(1), 0U);
  EXPECT_EQ(timers.entries(), 2U) << "what is at never has none";
  EXPECT_EQ(timers.poll(tick(100), ignore).fired, 1U);
  EXPECT_EQ(timers.next_wakeup(), instant{never.ns - 1});
}

TEST(slab_wheel_placement, APulledForwardTimerIsOnTheLevelOfItsNewDistance) {
  deferred_wheel<int> timers{instant{0}};
  const handle h = timers.schedule(tick(0x10'0000), 0);
  const std::size_t far = timers.level_of(h);
  timers.reschedule(h, tick(0x10));
  const std::size_t near = timers.level_of(h);
  timers.reschedule(h, tick(0x20'0000));

  EXPECT_EQ(far, 2U);
  EXPECT_EQ(near, 0U);
  EXPECT_EQ(timers.level_of(h), 0U) << "pushed on, it stays until that bucket is served";
  EXPECT_EQ(timers.poll(tick(0x10), ignore).moved, 1U);
  EXPECT_EQ(timers.level_of(h), 2U);
}

}  // namespace
}  // namespace pinion::timer
