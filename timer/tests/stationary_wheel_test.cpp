// SPDX-License-Identifier: Apache-2.0
//
// What stationary_wheel adds to the laws: where a timer goes and when it fires, best fit, exact timers.
#include <gtest/gtest.h>

#include <array>
#include <pinion/timer.hpp>
#include <string>
#include <utility>
#include <vector>

#include "scenario.hpp"

namespace pinion::timer {
namespace {

[[nodiscard]] duration five_seconds_times(std::uint64_t n) { return duration{5'000'000'000} * n; }

constexpr auto ignore = [](auto&&...) {};

constexpr duration fine{std::uint64_t{1} << 20};
constexpr duration middle{std::uint64_t{1} << 30};
constexpr duration coarse{std::uint64_t{1} << 36};
constexpr duration range{std::uint64_t{1} << 46};
constexpr duration second{1'000'000'000};
constexpr duration hour = second * 3'600;
constexpr duration week = hour * 168;

/// Starts that are odd for one ring or another.
constexpr std::array<instant, 6> epochs{instant{0},
                                        instant{(std::uint64_t{1} << 30) - 1},
                                        instant{std::uint64_t{1} << 36},
                                        instant{(std::uint64_t{1} << 36) + 1},
                                        instant{std::uint64_t{1} << 63},
                                        instant{(std::uint64_t{1} << 63) + 0x1234'5678'9abc}};

/// Sleeps on next_wakeup() until the wheel is empty or `end` comes, and returns when the last timer fired.
template <class Wheel>
instant run(Wheel& wheel, instant end) {
  instant fired_at{0};
  while (wheel.size() != 0 && wheel.next_wakeup() <= end) {
    const instant now = std::max(wheel.next_wakeup(), wheel.now());
    wheel.poll(now, [&](auto&&...) { fired_at = now; });
  }
  return fired_at;
}

// ---- Placing and firing

TEST(stationary_wheel, PlacesByTheDistanceFromNowAndNotFromTheStart) {
  for (const instant start : epochs) {
    stationary_wheel<int> wheel{start};
    wheel.poll(start + hour * 30, ignore);  // longer than the last ring is
    const instant now = wheel.now();

    EXPECT_EQ(wheel.level_of(wheel.schedule(now + duration{5'000'000}, 0)), 0U) << start.ns;
    EXPECT_EQ(wheel.level_of(wheel.schedule(now + duration{900'000'000}, 0)), 0U) << start.ns;
    EXPECT_EQ(wheel.level_of(wheel.schedule(now + second * 5, 0)), 1U) << start.ns;
    EXPECT_EQ(wheel.level_of(wheel.schedule(now + second * 1'000, 0)), 1U) << start.ns;
    EXPECT_EQ(wheel.level_of(wheel.schedule(now + hour, 0)), 2U) << start.ns;
    EXPECT_EQ(wheel.level_of(wheel.schedule(now + hour * 19, 0)), 2U) << start.ns;
  }
}

TEST(stationary_wheel, ATimerFiresWithTheTickOfItsRingAndIsNeverMoved) {
  for (const instant start : epochs) {
    for (const auto& [ahead, tick] : {std::pair{second, fine}, {second * 300, middle}, {hour * 9, coarse}}) {
      stationary_wheel<int> wheel{start};
      const duration distance = ahead + duration{12'345} - fine * 20;
      wheel.schedule(start + distance, 1);
      std::size_t moved = 0;
      instant fired_at{0};

      while (wheel.size() != 0) {
        const instant now = wheel.next_wakeup();
        moved += wheel.poll(now, [&](auto&&...) { fired_at = now; }).moved;
      }

      EXPECT_EQ(moved, 0U);
      EXPECT_GE(fired_at, start + distance);
      EXPECT_LT(fired_at, start + distance + tick);
      EXPECT_EQ(fired_at.ns % tick.ns, 0U) << "a ring fires at its own ticks";
    }
  }
}

TEST(stationary_wheel, ATimerBeyondTheLastRingIsPlacedAnewAndKeepsItsBound) {
  for (const instant start : epochs) {
    stationary_wheel<int> wheel{start};
    const instant deadline = start + week;
    const handle h = wheel.schedule(deadline, 1);
    EXPECT_EQ(wheel.level_of(h), 2U);

    const instant fired_at = run(wheel, never);

    EXPECT_GE(fired_at, deadline);
    EXPECT_LE(fired_at, deadline + coarse);
  }
}

// ---- Best fit

struct steps {
  std::size_t count = 0;
  instant landed{0};
};

/// What a caller of schedule_best_fit() does: polls only at the wheel deadlines it was given.
steps step_to(stationary_wheel<int>& wheel, instant target) {
  steps all;
  for (;;) {
    const auto [name, wheel_deadline] = wheel.schedule_best_fit(target, 1);
    EXPECT_TRUE(wheel.is_armed(name));
    EXPECT_LE(wheel_deadline, target);
    EXPECT_LT(wheel.now(), wheel_deadline) << "a step that gets nowhere";
    ++all.count;
    // The finest ring rounds its deadline up to a tick, the others begin at one.
    const instant at = wheel_deadline < target ? wheel_deadline : target + fine;
    EXPECT_EQ(wheel.poll(wheel_deadline - duration{1}, ignore).fired, 0U) << "early";
    EXPECT_EQ(wheel.poll(at, ignore).fired, 1U) << "not at its wheel deadline";
    if (wheel_deadline == target || all.count == 100) {
      all.landed = at;
      return all;
    }
  }
}

TEST(stationary_wheel, BestFitLandsOnTheTargetInThreeStepsOrOneMoreAtTheEndOfASpoke) {
  testing::random_numbers random{1};
  int took_four = 0;
  for (const instant start : epochs) {
    for (int k = 0; k < 1'000; ++k) {
      const duration ahead = random.any_length(46);
      if (ahead.ns == 0 || ahead + coarse * 2 > range) continue;
      stationary_wheel<int> wheel{start};

      const steps taken = step_to(wheel, start + ahead);

      const std::uint64_t from_the_spokes_start = (start + ahead).ns % middle.ns;
      ASSERT_LE(taken.count, from_the_spokes_start + 2 * fine.ns < middle.ns ? 3U : 4U)
          << "start " << start.ns << ", ahead " << ahead.ns;
      ASSERT_LE(taken.landed, start + ahead + fine);
      if (taken.count == 4) ++took_four;
    }
  }
  EXPECT_GT(took_four, 0) << "no target was at the end of a spoke";
}

TEST(stationary_wheel, BestFitStepsAWeekLongTimerToItsTarget) {
  for (const instant start : epochs) {
    stationary_wheel<int> wheel{start};
    const instant target = start + week + duration{123'456'789};

    const steps taken = step_to(wheel, target);

    EXPECT_EQ(taken.landed, target + fine);
    EXPECT_LE(taken.count, 12U) << "nine times the last ring, and three steps down";
  }
}

TEST(stationary_wheel, BestFitWithinTheFinestRingIsTheTargetItself) {
  const instant now = instant{0} + hour;
  stationary_wheel<int> wheel{now};

  EXPECT_EQ(wheel.schedule_best_fit(now + second, 1).wheel_deadline, now + second);
  EXPECT_EQ(wheel.schedule_best_fit(instant{5}, 1).wheel_deadline, instant{5}) << "past: fires at once";
  EXPECT_EQ(wheel.poll(now, ignore).fired, 1U);
}

TEST(stationary_wheel, BestFitRoundsDownToTheSpokeThatHoldsTheTarget) {
  stationary_wheel<int> wheel{instant{0}};
  const instant minute = instant{0} + second * 60;
  const instant nine_hours = instant{0} + hour * 9;

  const instant of_the_second_ring = wheel.schedule_best_fit(minute, 1).wheel_deadline;
  const instant of_the_third_ring = wheel.schedule_best_fit(nine_hours, 1).wheel_deadline;

  EXPECT_EQ(of_the_second_ring.ns, minute.ns / middle.ns * middle.ns);
  EXPECT_EQ(of_the_third_ring.ns, nine_hours.ns / coarse.ns * coarse.ns);
}

TEST(stationary_wheel, BestFitAtTheEndOfTheSpokeThatNowBeginsGoesAsFarAsTheFinerRing) {
  // Now begins a spoke, and the target lies in the same one, out of the finer ring's reach: the spoke's start
  // is no answer.
  for (const duration spoke : {middle, coarse}) {
    for (const std::uint64_t number : {1ULL, 1'023ULL, 1'024ULL, 123'456ULL}) {
      const instant start{spoke.ns * number};
      const instant target = start + spoke - duration{1};
      stationary_wheel<int> wheel{start};

      const steps taken = step_to(wheel, target);

      EXPECT_LE(taken.count, 3U);
      EXPECT_EQ(taken.landed, target + fine);
    }
  }
}

TEST(stationary_wheel, BestFitNearTheEndOfTimeGetsThere) {
  stationary_wheel<int> wheel{never - week};

  const steps taken = step_to(wheel, never - fine * 3);

  EXPECT_EQ(taken.landed, never - fine * 2);
}

TEST(stationary_wheel, BestFitForNeverIsKeptAndDoesNotFire) {
  stationary_wheel<int> wheel{instant{0}};

  EXPECT_EQ(wheel.schedule_best_fit(never, 1).wheel_deadline, never);
  wheel.schedule_exact(never, 2);

  EXPECT_EQ(wheel.next_wakeup(), never);
  EXPECT_EQ(wheel.poll(never, ignore).fired, 0U);
  EXPECT_EQ(wheel.size(), 2U);
}

// ---- The automatic form

TEST(stationary_wheel, AnExactTimerIsLateByAtMostTheFinestTickHoweverFarAway) {
  testing::random_numbers random{2};
  for (const instant start : epochs) {
    for (int k = 0; k < 300; ++k) {
      stationary_wheel<int> wheel{start};
      const instant target = start + duration{1 + random.below(week.ns)};
      const handle h = wheel.schedule_exact(target, 1);
      ASSERT_TRUE(wheel.is_armed(h));

      const instant fired_at = run(wheel, never);

      ASSERT_GE(fired_at, target) << "start " << start.ns;
      ASSERT_LT(fired_at, target + fine) << "start " << start.ns << ", target " << target.ns;
    }
  }
}

TEST(stationary_wheel, AnExactTimerKeepsItsHandleFromRingToRing) {
  stationary_wheel<int> wheel{instant{0}};
  const instant target = instant{0} + week;
  const handle h = wheel.schedule_exact(target, 7);

  std::vector<std::size_t> rings{wheel.level_of(h)};

  while (wheel.next_wakeup() < target) {
    wheel.poll(wheel.next_wakeup(), ignore);
    ASSERT_TRUE(wheel.is_armed(h));
    if (wheel.level_of(h) != rings.back()) rings.push_back(wheel.level_of(h));
  }

  EXPECT_EQ(rings, (std::vector<std::size_t>{2, 1, 0}));
  EXPECT_EQ(wheel.cancel(h), 7);
}

TEST(stationary_wheel, AnExactTimerThatIsMovedStaysExact) {
  stationary_wheel<int> wheel{instant{0}};
  const handle h = wheel.schedule_exact(instant{0} + hour * 3, 1);

  EXPECT_TRUE(wheel.reschedule(h, instant{0} + hour * 2 + duration{1}));

  const instant fired_at = run(wheel, never);
  EXPECT_GE(fired_at, instant{0} + hour * 2 + duration{1});
  EXPECT_LT(fired_at, instant{0} + hour * 2 + duration{1} + fine);
}

TEST(stationary_wheel, ACoarseTimerInTheSlotOfAnExactOneIsNotMoved) {
  stationary_wheel<int> wheel{instant{0}};
  wheel.cancel(wheel.schedule_exact(instant{0} + hour * 3, 1));
  const instant deadline = instant{0} + hour * 2 + duration{1};
  wheel.schedule(deadline, 2);

  const instant fired_at = run(wheel, never);

  EXPECT_EQ(fired_at.ns % coarse.ns, 0U) << "exactness is the timer's and not the slot's";
}

TEST(stationary_wheel, PlacesByTheDistanceFromNowWhatASinkArmsBehindABacklog) {
  for (const std::uint64_t overdue : {1U, 64U, 65U, 200U}) {
    stationary_wheel<int> timers{instant{0}};
    for (std::uint64_t k = 0; k < overdue; ++k) timers.schedule(instant{0} + five_seconds_times(k + 1), 0);
    const instant late = instant{0} + five_seconds_times(2 * overdue + 2);
    handle next;

    timers.poll(late, [&](handle, instant, int&&) {
      if (next == handle{}) next = timers.schedule(late + duration{500'000'000}, 1);
    });

    EXPECT_EQ(timers.level_of(next), 0U) << overdue << " were overdue";
  }
}

}  // namespace
}  // namespace pinion::timer
