// SPDX-License-Identifier: Apache-2.0
//
// Where nested_levels puts a deadline, and when the hand gets there.
#include <gtest/gtest.h>

#include <cstdint>
#include <pinion/timer/wheel/nested_levels.hpp>
#include <vector>

#include "scenario.hpp"

namespace pinion::timer {
namespace {

// Three digits of 4 bits over ticks of 1 us. Each level has 64 bucket numbers, of which it uses 16.
using three_digits = nested_levels<1'000, 4, 4, 4>;
constexpr std::uint16_t level_1 = 64;
constexpr std::uint16_t level_2 = 128;
constexpr std::uint16_t beyond = 192;

// As the default store has them: every 64-bit time has a slot.
using all_of_time = nested_levels<std::uint64_t{1} << 20, 8, 8, 8, 8, 8, 4>;

template <class Levels>
Levels with_hand(std::uint64_t tick) {
  Levels levels;
  levels.turn_to(tick);
  return levels;
}

template <class Levels>
typename Levels::occupancy_type occupied(const std::vector<std::uint16_t>& buckets) {
  typename Levels::occupancy_type all;
  for (const std::uint16_t b : buckets) all.set(b);
  return all;
}

TEST(nested_levels, PlacesOnTheLowestLevelWhoseDigitsAloneDiffer) {
  const auto levels = with_hand<three_digits>(0);

  EXPECT_EQ(levels.place(1, false), 1);
  EXPECT_EQ(levels.place(0xf, false), 0xf);
  EXPECT_EQ(levels.place(0x10, false), level_1 + 1);
  EXPECT_EQ(levels.place(0xff, false), level_1 + 0xf);
  EXPECT_EQ(levels.place(0x100, false), level_2 + 1);
  EXPECT_EQ(levels.place(0xfff, false), level_2 + 0xf);
  EXPECT_EQ(levels.place(0x1000, false), beyond);
}

TEST(nested_levels, PlacesByDigitsAndNotByDistance) {
  const auto levels = with_hand<three_digits>(0x7ff);

  EXPECT_EQ(levels.place(0x800, false), level_2 + 8) << "one tick ahead, and the top digit differs";
  EXPECT_EQ(levels.place(0x80f, false), level_2 + 8);
}

TEST(nested_levels, PlacesFromAnOddHandInTheSlotOfTheDeadlinesOwnDigit) {
  const auto levels = with_hand<three_digits>(0x12'3456'7123);

  EXPECT_EQ(levels.place(0x12'3456'7124, false), 4);
  EXPECT_EQ(levels.place(0x12'3456'7130, false), level_1 + 3);
  EXPECT_EQ(levels.place(0x12'3456'71f5, false), level_1 + 0xf);
  EXPECT_EQ(levels.place(0x12'3456'7fff, false), level_2 + 0xf);
  EXPECT_EQ(levels.place(0x12'3456'8000, false), beyond);
}

TEST(nested_levels, KnowsTheLevelOfABucket) {
  EXPECT_EQ(three_digits::bucket_count(), 256U);
  EXPECT_EQ(three_digits::level_of(15), 0U);
  EXPECT_EQ(three_digits::level_of(level_1), 1U);
  EXPECT_EQ(three_digits::level_of(level_2 + 15U), 2U);
  EXPECT_EQ(three_digits::level_of(beyond), three_digits::level_count);
}

TEST(nested_levels, RoundsDeadlinesUpAndNowDown) {
  EXPECT_EQ(three_digits::tick_at_or_after(instant{0}), 0U);
  EXPECT_EQ(three_digits::tick_at_or_after(instant{1}), 1U);
  EXPECT_EQ(three_digits::tick_at_or_after(instant{1'000}), 1U);
  EXPECT_EQ(three_digits::tick_at_or_after(instant{1'001}), 2U);
  EXPECT_EQ(three_digits::tick_at_or_before(instant{999}), 0U);
  EXPECT_EQ(three_digits::tick_at_or_before(instant{1'000}), 1U);
  EXPECT_EQ(three_digits::begin_of(3), instant{3'000});
}

TEST(nested_levels, ComesToNothingWhenNothingIsOccupied) {
  const auto levels = with_hand<three_digits>(0x123);

  EXPECT_GT(levels.next({}).tick, three_digits::last_tick());
}

TEST(nested_levels, ComesToASlotOfLevelZeroAtItsTick) {
  const auto levels = with_hand<three_digits>(0x123);

  const auto next = levels.next(occupied<three_digits>({4}));

  EXPECT_EQ(next.tick, 0x124U);
  EXPECT_EQ(next.bucket, 4);
}

TEST(nested_levels, ComesToASlotOfAHigherLevelWhenThatSlotBegins) {
  const auto levels = with_hand<three_digits>(0x123);

  EXPECT_EQ(levels.next(occupied<three_digits>({level_1 + 0xf})).tick, 0x1f0U);
  EXPECT_EQ(levels.next(occupied<three_digits>({level_2 + 2})).tick, 0x200U);
  EXPECT_EQ(levels.next(occupied<three_digits>({beyond})).tick, 0x1000U)
      << "when the last level has gone round";
}

TEST(nested_levels, ComesToTheLowestOfSeveralLevelsFirst) {
  const auto levels = with_hand<three_digits>(0x123);

  const auto three = levels.next(occupied<three_digits>({beyond, level_2 + 2, level_1 + 0xf, 4, 9}));
  const auto two = levels.next(occupied<three_digits>({beyond, level_2 + 2, level_1 + 3, level_1 + 0xf}));

  EXPECT_EQ(three.tick, 0x124U);
  EXPECT_EQ(three.bucket, 4);
  EXPECT_EQ(two.tick, 0x130U);
  EXPECT_EQ(two.bucket, level_1 + 3);
}

TEST(nested_levels, GetsToEveryDeadlineAtItsTickCascadingOncePerLevelAtMost) {
  testing::random_numbers random{1};
  for (int k = 0; k < 20'000; ++k) {
    all_of_time levels;
    const std::uint64_t start = random.any_length(44).ns;
    levels.turn_to(start);
    const std::uint64_t room = all_of_time::last_tick() - start;
    if (room == 0) continue;
    const std::uint64_t length = random.any_length(44).ns;
    const std::uint64_t due = start + 1 + length % room;

    std::size_t cascades = 0;
    std::size_t level = all_of_time::level_count;
    for (;;) {
      const std::uint16_t bucket = levels.place(due, false);
      ASSERT_LT(all_of_time::level_of(bucket), level) << "from " << start << " to " << due;
      level = all_of_time::level_of(bucket);
      const auto next = levels.next(occupied<all_of_time>({bucket}));
      ASSERT_GT(next.tick, levels.hand()) << "a slot lies ahead of the hand";
      ASSERT_LE(next.tick, due) << "a slot begins no later than what is in it";
      levels.turn_to(next.tick);
      if (next.tick == due) break;
      ++cascades;
    }

    EXPECT_TRUE(levels.is_due(all_of_time::begin_of(due), 0));
    EXPECT_LT(cascades, all_of_time::level_count);
  }
}

TEST(nested_levels, WaitsBeyondTheLastLevelForOneTurnAfterTheOther) {
  auto levels = with_hand<three_digits>(0x123);
  const std::uint64_t due = 0x5678;
  std::vector<std::uint64_t> stops;

  while (levels.hand() != due) {
    levels.turn_to(levels.next(occupied<three_digits>({levels.place(due, false)})).tick);
    stops.push_back(levels.hand());
  }

  EXPECT_EQ(stops,
            (std::vector<std::uint64_t>{0x1000, 0x2000, 0x3000, 0x4000, 0x5000, 0x5600, 0x5670, 0x5678}));
}

TEST(nested_levels, IsDueFromTheFirstTickAtOrAfterTheDeadline) {
  EXPECT_FALSE(with_hand<three_digits>(4).is_due(instant{4'001}, 0));
  EXPECT_TRUE(with_hand<three_digits>(5).is_due(instant{4'001}, 0));
  EXPECT_TRUE(with_hand<three_digits>(4).is_due(instant{4'000}, 0));
}

TEST(nested_levels, StartsAtAnyEpoch) {
  for (const std::uint64_t start : {std::uint64_t{0}, std::uint64_t{1} << 30,
                                    (std::uint64_t{1} << 36) + 12'345, std::uint64_t{1} << 63, never.ns}) {
    all_of_time levels;

    levels.start(instant{start});

    EXPECT_EQ(levels.hand(), start >> 20);
  }
}

TEST(nested_levels, ReachesTheLastTickOfTime) {
  auto levels = with_hand<all_of_time>(all_of_time::last_tick() - 1);

  const auto next = levels.next(occupied<all_of_time>({levels.place(all_of_time::last_tick(), false)}));

  EXPECT_EQ(next.tick, all_of_time::last_tick());
  EXPECT_LT(all_of_time::begin_of(next.tick), never);
  EXPECT_GT(all_of_time::tick_at_or_after(instant{never.ns - 1}), all_of_time::last_tick())
      << "what rounds up past it has no tick";
  EXPECT_EQ(with_hand<all_of_time>(0).place(all_of_time::last_tick(), false), 5 * 256 + 15);
}

TEST(nested_levels, IsLateByATickWhateverTheDistance) {
  EXPECT_EQ(three_digits::lateness_bound(duration{0}), three_digits::tick);
  EXPECT_EQ(three_digits::lateness_bound(forever), three_digits::tick);
}

}  // namespace
}  // namespace pinion::timer
