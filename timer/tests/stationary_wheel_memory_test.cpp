// SPDX-License-Identifier: Apache-2.0
//
// What stationary_wheel holds and gives back: statistics of each ring, when spokes are rewritten, bytes.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <pinion/timer.hpp>
#include <set>
#include <vector>

#include "allocations.hpp"
#include "scenario.hpp"

namespace pinion::timer {
namespace {

constexpr auto ignore = [](auto&&...) {};

constexpr duration second{1'000'000'000};
constexpr duration hour = second * 3'600;
constexpr instant minute = instant{0} + second * 60;
constexpr instant two_hours = instant{0} + hour * 2;

/// `n` timers in one spoke of the second ring.
std::vector<handle> arm_in_one_spoke(stationary_wheel<int>& wheel, std::size_t n) {
  std::vector<handle> names;
  for (std::size_t k = 0; k < n; ++k) names.push_back(wheel.schedule(minute, static_cast<int>(k)));
  return names;
}

std::size_t room_of_the_second_ring(const stationary_wheel<int>& wheel) {
  return wheel.memory_stats()[1].slot_capacity;
}

// ---- Statistics

TEST(stationary_wheel_memory, StatisticsCountTheTimersAndTheRoomOfEachRing) {
  stationary_wheel<int> wheel{instant{0}};
  wheel.schedule(instant{0} + duration{5'000'000}, 0);
  arm_in_one_spoke(wheel, 20);
  wheel.schedule(two_hours, 0);
  wheel.schedule(never, 0);
  wheel.schedule(instant{0}, 0);

  const std::array<ring_statistics, 3> rings = wheel.memory_stats();

  for (const ring_statistics& ring : rings) EXPECT_EQ(ring.spokes, 1'024U);
  EXPECT_EQ(rings[0].active, 1U);
  EXPECT_EQ(rings[0].slot_capacity, 15U);
  EXPECT_EQ(rings[1].active, 20U);
  EXPECT_EQ(rings[1].slot_capacity, 30U);
  EXPECT_DOUBLE_EQ(rings[1].utilization, 20.0 / 30.0);
  EXPECT_EQ(rings[2].active, 1U);
  EXPECT_DOUBLE_EQ(rings[2].utilization, 1.0 / 15.0);
  EXPECT_EQ(wheel.size(), 24U) << "what is due or at never is on no ring, and counted";
}

TEST(stationary_wheel_memory, StatisticsOfAnEmptyRingAreZero) {
  const stationary_wheel<int> wheel{instant{0}};

  for (const ring_statistics& ring : wheel.memory_stats()) {
    EXPECT_EQ(ring.active, 0U);
    EXPECT_EQ(ring.slot_capacity, 0U);
    EXPECT_EQ(ring.utilization, 0.0);
  }
}

TEST(stationary_wheel_memory, ASpokeThatWasServedGivesAllItsRoomBack) {
  stationary_wheel<int> wheel{instant{0}};
  arm_in_one_spoke(wheel, 1'000);

  EXPECT_EQ(wheel.poll(minute + second * 2, ignore).fired, 1'000U);

  EXPECT_EQ(room_of_the_second_ring(wheel), 0U);
}

TEST(stationary_wheel_memory, ClearLeavesNothingAndTheWheelIsAsNew) {
  stationary_wheel<int> wheel{instant{0}};
  std::vector<handle> names = arm_in_one_spoke(wheel, 1'000);
  for (std::size_t k = 0; k < 900; ++k) wheel.cancel(names[k]);

  wheel.clear();

  EXPECT_EQ(wheel.size(), 0U);
  EXPECT_EQ(wheel.next_wakeup(), never);
  EXPECT_EQ(room_of_the_second_ring(wheel), 0U);
  for (const handle h : names) ASSERT_FALSE(wheel.cancel(h));
  EXPECT_EQ(wheel.poll(instant{0} + second, ignore).moved, 0U) << "and there is no spoke to rewrite";
  arm_in_one_spoke(wheel, 10);
  EXPECT_EQ(wheel.poll(minute + second * 2, ignore).fired, 10U);
}

// ---- Compaction

TEST(stationary_wheel_memory, ASpokeWithFewTimersLeftIsRewrittenByTheNextPoll) {
  stationary_wheel<int> wheel{instant{0}};
  std::vector<handle> names = arm_in_one_spoke(wheel, 1'000);
  for (std::size_t k = 0; k < 900; ++k) wheel.cancel(names[k]);
  EXPECT_EQ(room_of_the_second_ring(wheel), 1'005U) << "cancelling leaves the entries";

  const poll_result did = wheel.poll(instant{0}, ignore);

  EXPECT_EQ(did.moved, 1'000U) << "it looks at each entry, and says so";
  EXPECT_EQ(room_of_the_second_ring(wheel), 105U);
  EXPECT_EQ(wheel.poll(instant{0}, ignore).moved, 0U) << "once";
  for (std::size_t k = 0; k < 1'000; ++k) EXPECT_EQ(wheel.is_armed(names[k]), k >= 900) << "handles stay";
  EXPECT_EQ(wheel.poll(minute + second * 2, ignore).fired, 100U);
}

TEST(stationary_wheel_memory, ASpokeIsLeftAloneUpToTheRatioAndBelowTheCapacity) {
  stationary_wheel<int> of_four_times{instant{0}};
  std::vector<handle> names = arm_in_one_spoke(of_four_times, 1'500);
  for (std::size_t k = 0; k < 1'125; ++k) of_four_times.cancel(names[k]);
  EXPECT_EQ(of_four_times.poll(instant{0}, ignore).moved, 0U) << "room for exactly four times its timers";
  of_four_times.cancel(names[1'125]);
  EXPECT_NE(of_four_times.poll(instant{0}, ignore).moved, 0U);

  stationary_wheel<int> of_sixty{instant{0}};
  names = arm_in_one_spoke(of_sixty, 60);
  for (std::size_t k = 0; k < 59; ++k) of_sixty.cancel(names[k]);
  EXPECT_EQ(of_sixty.poll(instant{0}, ignore).moved, 0U) << "room for fewer than 64";

  stationary_wheel<int> of_seventy_five{instant{0}};
  names = arm_in_one_spoke(of_seventy_five, 61);
  for (std::size_t k = 0; k < 60; ++k) of_seventy_five.cancel(names[k]);
  EXPECT_NE(of_seventy_five.poll(instant{0}, ignore).moved, 0U);
}

TEST(stationary_wheel_memory, WhenASpokeIsRewrittenIsTheUsersToSay) {
  const auto moved = [](compaction_config when, std::size_t armed, std::size_t cancelled) {
    stationary_wheel<int> wheel{instant{0}, 0, {}, when};
    const std::vector<handle> names = arm_in_one_spoke(wheel, armed);
    for (std::size_t k = 0; k < cancelled; ++k) wheel.cancel(names[k]);
    return wheel.poll(instant{0}, ignore).moved;
  };

  EXPECT_EQ(moved({.min_capacity = 1'006, .ratio = 4}, 1'000, 999), 0U);
  EXPECT_NE(moved({.min_capacity = 1'005, .ratio = 4}, 1'000, 999), 0U);
  EXPECT_EQ(moved({.min_capacity = 64, .ratio = 100}, 1'000, 989), 0U);
  EXPECT_NE(moved({.min_capacity = 64, .ratio = 100}, 1'000, 990), 0U);
  EXPECT_NE(moved({.min_capacity = 0, .ratio = 0}, 1'000, 20), 0U);
  EXPECT_EQ(moved({.min_capacity = 0, .ratio = 0}, 1'000, 5), 0U) << "it would free no chunk";
}

TEST(stationary_wheel_memory, TimersMovedAwayLeaveASpokeToo) {
  stationary_wheel<int> wheel{instant{0}};
  const std::vector<handle> names = arm_in_one_spoke(wheel, 300);
  for (const handle h : names) wheel.reschedule(h, instant{0} + duration{900'000'000});

  EXPECT_NE(wheel.poll(instant{0}, ignore).moved, 0U);

  EXPECT_EQ(room_of_the_second_ring(wheel), 0U);
  EXPECT_EQ(wheel.poll(instant{0} + second, ignore).fired, 300U);
}

TEST(stationary_wheel_memory, CompactionComesAfterWhatIsDueAndWithinTheBudget) {
  stationary_wheel<int> wheel{instant{0}};
  const std::vector<handle> names = arm_in_one_spoke(wheel, 1'500);
  for (std::size_t k = 0; k < 1'400; ++k) wheel.cancel(names[k]);
  for (int k = 0; k < 50; ++k) wheel.schedule(instant{0} + duration{1'000}, int{k});
  const instant now = instant{0} + duration{2'000'000};

  const poll_result first = wheel.poll(now, 40, ignore);
  EXPECT_EQ(first.fired, 40U);
  EXPECT_EQ(first.moved, 0U);
  const poll_result rest = wheel.poll(now, 40, ignore);
  EXPECT_EQ(rest.fired, 10U);
  EXPECT_EQ(rest.moved, 30U) << "two chunks";
  EXPECT_FALSE(rest.more);
  std::size_t moved = rest.moved;
  while (const std::size_t some = wheel.poll(now, 64, ignore).moved) {
    ASSERT_LE(some, 64U);
    moved += some;
  }

  EXPECT_EQ(moved, 1'500U) << "each poll goes on where the one before stopped";
  EXPECT_EQ(room_of_the_second_ring(wheel), 105U);
  EXPECT_EQ(wheel.poll(now, 0, ignore).moved, 0U);
  EXPECT_EQ(wheel.poll(minute + second * 2, ignore).fired, 100U);
}

TEST(stationary_wheel_memory, CompactionAllocatesNothing) {
  stationary_wheel<int> wheel{instant{0}};
  const std::vector<handle> names = arm_in_one_spoke(wheel, 1'000);
  for (std::size_t k = 0; k < 900; ++k) wheel.cancel(names[k]);
  const std::size_t before = testing::allocations_so_far();

  wheel.poll(instant{0}, ignore);
  wheel.compact_all();

  EXPECT_EQ(testing::allocations_so_far(), before);
}

TEST(stationary_wheel_memory, CompactAllLeavesOneEntryForEachTimer) {
  stationary_wheel<int> wheel{instant{0}};
  std::set<std::uint64_t> left;
  for (std::size_t k = 0; k < 3'000; ++k) {
    const handle h = wheel.schedule(instant{0} + second * (k % 100) + duration{1}, static_cast<int>(k));
    if (k % 3 == 0) {
      wheel.cancel(h);
    } else {
      left.insert(h.bits());
    }
  }

  wheel.compact_all();

  EXPECT_EQ(wheel.entries(), left.size());
  wheel.poll(instant{0} + hour, [&](handle h, auto&&...) { EXPECT_EQ(left.erase(h.bits()), 1U); });
  EXPECT_TRUE(left.empty());
}

TEST(stationary_wheel_memory, CompactAllInTheMiddleOfACompactionLosesNothing) {
  // Moving timers to before their spoke makes garbage until the wheel begins to compact as it arms. Stop it
  // anywhere.
  for (std::size_t moves = 560; moves < 900; ++moves) {
    stationary_wheel<int> wheel{instant{0}};
    const std::vector<handle> names = arm_in_one_spoke(wheel, 1'000);
    for (std::size_t k = 0; k < moves; ++k) wheel.reschedule(names[k], instant{0} + second * 30);

    wheel.compact_all();

    ASSERT_EQ(wheel.entries(), 1'000U);
    ASSERT_EQ(wheel.poll(minute + second * 2, ignore).fired, 1'000U) << moves << " moves";
  }
}

TEST(stationary_wheel_memory, CompactionInTheMiddleOfACompactionLosesNothing) {
  testing::random_numbers random{3};
  for (int round = 0; round < 100; ++round) {
    stationary_wheel<int> wheel{instant{0}};
    std::vector<handle> names = arm_in_one_spoke(wheel, 1'000);
    for (std::size_t k = 0; k < 3'000; ++k) {
      const handle h = names[random.below(names.size())];
      wheel.reschedule(h, instant{0} + second * (2 + random.below(60)));
      if (random.below(4) == 0) wheel.cancel(h);
      if (random.below(50) == 0) wheel.poll(instant{0}, random.below(200), ignore);
    }
    std::size_t armed = 0;
    for (const handle h : names) armed += wheel.is_armed(h) ? 1U : 0U;

    ASSERT_EQ(wheel.size(), armed);
    ASSERT_EQ(wheel.poll(two_hours, ignore).fired, armed) << "round " << round;
  }
}

}  // namespace
}  // namespace pinion::timer
