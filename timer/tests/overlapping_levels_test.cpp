// SPDX-License-Identifier: Apache-2.0
//
// Where overlapping_levels puts a deadline, and when the hand gets there, for levels of both kinds.
#include <gtest/gtest.h>

#include <cstdint>
#include <pinion/timer/wheel/overlapping_levels.hpp>
#include <vector>

#include "scenario.hpp"

namespace pinion::timer {
namespace {

// Ticks of 1,024 ns, 64 and 4,096 of them, by 64 slots: each level reaches one tick of the next.
constexpr level_geometry stationary{
    .shifts = {10, 16, 22}, .level_count = 3, .slots = 64, .stationary = true};
constexpr level_geometry cascading{
    .shifts = {10, 16, 22}, .level_count = 3, .slots = 64, .stationary = false};
constexpr std::uint16_t level_1 = 64;
constexpr std::uint16_t level_2 = 128;

overlapping_levels with_hand(const level_geometry& geometry, std::uint64_t tick) {
  overlapping_levels levels{geometry};
  levels.turn_to(tick);
  return levels;
}

overlapping_levels::occupancy_type occupied(const std::vector<std::uint16_t>& buckets) {
  overlapping_levels::occupancy_type all;
  for (const std::uint16_t b : buckets) all.set(b);
  return all;
}

TEST(overlapping_levels, PlacesOnTheFinestLevelThatReachesTheDeadline) {
  const auto levels = with_hand(cascading, 0);

  EXPECT_EQ(levels.place(1, false), 1);
  EXPECT_EQ(levels.place(63, false), 63);
  EXPECT_EQ(levels.place(64, false), level_1 + 1);
  EXPECT_EQ(levels.place(64 * 64 - 1, false), level_1 + 63);
  EXPECT_EQ(levels.place(64 * 64, false), level_2 + 1);
  EXPECT_EQ(levels.place(64 * 4'096 - 1, false), level_2 + 63);
}

TEST(overlapping_levels, CountsTheDistanceInSlotsOfEachLevelsOwnGrid) {
  const auto levels = with_hand(cascading, 63);

  EXPECT_EQ(levels.place(64, false), 0) << "level 0 goes round";
  EXPECT_EQ(levels.place(63 + 63, false), 62);
  EXPECT_EQ(levels.place(63 + 64, false), level_1 + 1);
  EXPECT_EQ(levels.place(64 * 64 - 1, false), level_1 + 63)
      << "63 slots ahead of the hand's, if hardly 63 slots long";
  EXPECT_EQ(levels.place(64 * 64, false), level_2 + 1);
}

TEST(overlapping_levels, AStationarySlotEndsNoEarlierThanWhatIsInIt) {
  const auto levels = with_hand(stationary, 0);

  EXPECT_EQ(levels.place(63, false), 63);
  EXPECT_EQ(levels.place(64, false), level_1 + 1);
  EXPECT_EQ(levels.place(65, false), level_1 + 2);
  EXPECT_EQ(levels.place(63 * 64, false), level_1 + 63);
  EXPECT_EQ(levels.place(63 * 64 + 1, false), level_2 + 1) << "rounded up, it is 64 slots ahead";
}

TEST(overlapping_levels, AnExactTimerGoesToTheStationarySlotThatBeginsBeforeIt) {
  const auto levels = with_hand(stationary, 0);

  EXPECT_EQ(levels.place(65, true), level_1 + 1);
  EXPECT_EQ(levels.place(63 * 64 + 1, true), level_1 + 63);
  EXPECT_EQ(levels.place(2 * 4'096 - 1, true), level_2 + 1);
}

TEST(overlapping_levels, GoesToTheFurthestSlotBeyondTheLastHorizon) {
  EXPECT_EQ(with_hand(stationary, 0).place(64 * 4'096, false), level_2 + 63);
  EXPECT_EQ(with_hand(cascading, 0).place(std::uint64_t{1} << 40, false), level_2 + 63);
  EXPECT_EQ(with_hand(cascading, 5 * 4'096).place(std::uint64_t{1} << 40, false), level_2 + 4);
}

TEST(overlapping_levels, KnowsLevelAndSlotOfABucket) {
  const overlapping_levels levels{stationary};

  EXPECT_EQ(levels.bucket_count(), 192U);
  EXPECT_EQ(levels.level_of(63), 0U);
  EXPECT_EQ(levels.level_of(level_1), 1U);
  EXPECT_EQ(levels.level_of(191), 2U);
  EXPECT_EQ(levels.slot_of(191), 63U);
  EXPECT_EQ(levels.slot_of(level_1), 0U);
}

TEST(overlapping_levels, ComesToNothingWhenNothingIsOccupied) {
  const auto levels = with_hand(stationary, 70);

  EXPECT_GT(levels.next({}).tick, levels.last_tick());
}

TEST(overlapping_levels, ComesToASlotBehindTheHandsOnlyInTheNextRound) {
  const auto levels = with_hand(cascading, 64 + 6);

  EXPECT_EQ(levels.next(occupied({7})).tick, 64U + 7);
  EXPECT_EQ(levels.next(occupied({5})).tick, 128U + 5);
  EXPECT_EQ(levels.next(occupied({level_1 + 2})).tick, 128U);
  EXPECT_EQ(levels.next(occupied({level_1 + 0})).tick, 64U * 64);
}

TEST(overlapping_levels, ComesToTheEarliestOfSeveralLevels) {
  const auto levels = with_hand(cascading, 70);

  const auto fine = levels.next(occupied({75 - 64, 3, level_1 + 3, level_2 + 1}));
  const auto coarse = levels.next(occupied({level_1 + 0, level_2 + 1, level_1 + 3}));

  EXPECT_EQ(fine.tick, 75U);
  EXPECT_EQ(fine.bucket, 75 - 64);
  EXPECT_EQ(coarse.tick, 3U * 64);
  EXPECT_EQ(coarse.bucket, level_1 + 3);
}

TEST(overlapping_levels, AFineSlotDoesNotHideAnEarlierCoarseOne) {
  const auto levels = with_hand(stationary, 100);

  const auto next = levels.next(occupied({(100 + 60) % 64, level_1 + 2}));

  EXPECT_EQ(next.tick, 128U);
  EXPECT_EQ(next.bucket, level_1 + 2);
}

TEST(overlapping_levels, ComesToTheCoarserOfTwoSlotsThatBeginTogether) {
  const auto levels = with_hand(cascading, 100);

  const auto next = levels.next(occupied({0, level_1 + 2}));

  EXPECT_EQ(next.tick, 128U);
  EXPECT_EQ(next.bucket, level_1 + 2) << "what it holds may be due at this very tick of level 0";
}

/// Lets the hand go from stop to stop until `due` is reached; how often the timer was placed anew.
int cascades_until_due(overlapping_levels& levels, std::uint64_t due, bool exact) {
  for (int cascades = 0;; ++cascades) {
    const auto next = levels.next(occupied({levels.place(due, exact)}));
    if (next.tick <= levels.hand()) return -1;
    levels.turn_to(next.tick);
    if (levels.is_due(levels.begin_of(due), next.bucket)) return cascades;
  }
}

TEST(overlapping_levels, CascadingGetsToEveryDeadlineWithinTheHorizonAtItsTick) {
  testing::random_numbers random{1};
  for (int k = 0; k < 20'000; ++k) {
    const std::uint64_t start = random.any_length(50).ns;
    const std::uint64_t due = start + 1 + random.below(62 * 4'096);
    auto levels = with_hand(cascading, start);

    const int cascades = cascades_until_due(levels, due, false);

    ASSERT_EQ(levels.hand(), due) << "from " << start;
    ASSERT_LE(cascades, 2) << "from " << start << " to " << due;
  }
}

TEST(overlapping_levels, StationaryGetsToEveryDeadlineWithinItsLevelsTickWithoutMovingIt) {
  testing::random_numbers random{2};
  for (int k = 0; k < 20'000; ++k) {
    const std::uint64_t start = random.any_length(50).ns;
    const std::uint64_t due = start + 1 + random.below(62 * 4'096);
    auto levels = with_hand(stationary, start);
    const std::uint16_t bucket = levels.place(due, false);

    const int cascades = cascades_until_due(levels, due, false);

    ASSERT_EQ(cascades, 0) << "from " << start << " to " << due;
    ASSERT_GE(levels.hand(), due);
    ASSERT_LT(levels.hand() - due, levels.tick_of(levels.level_of(bucket)).ns >> 10) << "from " << start;
    const duration ahead{(due - start) << 10};
    ASSERT_LE(levels.tick_of(levels.level_of(bucket)), levels.lateness_bound(ahead))
        << "from " << start << " to " << due;
  }
}

TEST(overlapping_levels, AnExactTimerGetsToItsTickOnStationaryLevels) {
  testing::random_numbers random{3};
  for (int k = 0; k < 20'000; ++k) {
    const std::uint64_t start = random.any_length(50).ns;
    const std::uint64_t due = start + 1 + random.below(62 * 4'096);
    auto levels = with_hand(stationary, start);

    const int cascades = cascades_until_due(levels, due, true);

    ASSERT_EQ(levels.hand(), due) << "from " << start;
    ASSERT_LE(cascades, 2) << "from " << start << " to " << due;
  }
}

TEST(overlapping_levels, ABucketServesWhatIsDueNoEarlierThanItsTurnComes) {
  const auto levels = with_hand(stationary, 100);

  EXPECT_TRUE(levels.serves(level_1 + 2, 128));
  EXPECT_FALSE(levels.serves(level_1 + 2, 127));
  EXPECT_TRUE(levels.serves(3, 131)) << "slot 3 comes round 31 ticks after slot 36";
  EXPECT_FALSE(levels.serves(3, 130));
}

TEST(overlapping_levels, IsLateByTheTickOfTheLevelThatReachesSoFar) {
  const overlapping_levels levels{stationary};
  const duration tick = levels.tick_of(0);

  EXPECT_EQ(levels.lateness_bound(duration{0}), tick);
  EXPECT_EQ(levels.lateness_bound(tick * 62), tick);
  EXPECT_EQ(levels.lateness_bound(tick * 62 + duration{1}), tick * 64);
  EXPECT_EQ(levels.lateness_bound(tick * 64 * 62), tick * 64);
  EXPECT_EQ(levels.lateness_bound(tick * 64 * 62 + duration{1}), tick * 4'096);
  EXPECT_EQ(levels.lateness_bound(forever), tick * 4'096);
  EXPECT_EQ(overlapping_levels{cascading}.lateness_bound(forever), tick);
}

TEST(overlapping_levels, EndsACoarseSlotAtTheLastTickOfTime) {
  overlapping_levels levels{stationary};
  levels.turn_to(levels.last_tick() - 100);

  const auto next = levels.next(occupied({levels.place(levels.last_tick(), false)}));

  EXPECT_EQ(next.tick, levels.last_tick());
  EXPECT_TRUE(with_hand(stationary, next.tick).is_due(levels.begin_of(levels.last_tick()), next.bucket));
}

TEST(overlapping_levels, StartsAtAnyEpoch) {
  for (const std::uint64_t start : {std::uint64_t{0}, std::uint64_t{1} << 30,
                                    (std::uint64_t{1} << 36) + 12'345, std::uint64_t{1} << 63, never.ns}) {
    overlapping_levels levels{stationary};

    levels.start(instant{start});

    EXPECT_EQ(levels.hand(), start >> 10);
  }
}

TEST(overlapping_levels, RoundsDeadlinesUpAndNowDown) {
  const overlapping_levels levels{stationary};

  EXPECT_EQ(levels.tick_at_or_after(instant{1}), 1U);
  EXPECT_EQ(levels.tick_at_or_after(instant{1'024}), 1U);
  EXPECT_EQ(levels.tick_at_or_before(instant{1'023}), 0U);
  EXPECT_EQ(levels.begin_of(2), instant{2'048});
}

}  // namespace
}  // namespace pinion::timer
