// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <pinion/timer/detail/slot_map.hpp>
#include <set>
#include <vector>

namespace pinion::timer {
namespace {

TEST(slot_map, FindsWhatWasInsertedUntilItIsErased) {
  slot_map<int> slots;
  const std::uint32_t seven = slots.insert(7);
  const std::uint32_t eight = slots.insert(8);
  const handle seventh = slots.name(seven);
  const handle eighth = slots.name(eight);

  EXPECT_EQ(slots.erase(seven), 7);

  EXPECT_EQ(slots.find(seventh), slots.none);
  ASSERT_EQ(slots.find(eighth), eight);
  EXPECT_EQ(slots.value(eight), 8);
  EXPECT_EQ(slots.size(), 1U);
}

TEST(slot_map, NeverGivesTheSameHandleTwice) {
  slot_map<int> slots{{.seed = 3, .generation_bits = 4}};
  std::set<std::uint64_t> given;

  for (int k = 0; k < 1'000; ++k) {
    const std::uint32_t slot = slots.insert(int{k});
    EXPECT_TRUE(given.insert(slots.name(slot).bits()).second) << "a handle was given out before";
    slots.erase(slot);
  }

  EXPECT_EQ(slots.retired(), 1'000U / 8) << "of 16 generations every other one is of a taken slot";
}

TEST(slot_map, TwoMapsBeginTheirGenerationsApart) {
  slot_map<int> one;
  slot_map<int> other;
  int taken_for_its_own = 0;

  for (int k = 0; k < 1'000; ++k) {
    const handle foreign = other.name(other.insert(int{k}));
    static_cast<void>(one.insert(int{k}));
    if (one.find(foreign) != one.none) ++taken_for_its_own;
  }

  EXPECT_EQ(taken_for_its_own, 0);
}

TEST(slot_map, KnowsWhichHandlesItCouldHaveGiven) {
  slot_map<int> slots;
  const std::uint32_t slot = slots.insert(1);
  const handle gone = slots.name(slot);
  slots.erase(slot);

  EXPECT_TRUE(slots.knows_slot_of(gone));
  EXPECT_FALSE(slots.knows_slot_of(handle{}));
  EXPECT_EQ(slots.find(handle{}), slots.none);
  EXPECT_FALSE(slots.knows_slot_of(handle::from_bits(~std::uint64_t{0})));
}

TEST(slot_map, LeavesValuesWhereTheyAreWhenItGrows) {
  slot_map<int> slots;
  std::vector<int*> places;

  for (int k = 0; k < 10'000; ++k) places.push_back(&slots.value(slots.insert(int{k})));

  for (int k = 0; k < 10'000; ++k) EXPECT_EQ(*places[static_cast<std::size_t>(k)], k);
}

TEST(slot_map, KeepsATagWhenTheValueGoes) {
  struct tag {
    int place = 0;
  };
  slot_map<int, tag> slots;
  const std::uint32_t slot = slots.insert(1);
  slots.tag(slot).place = 7;

  slots.erase(slot);

  EXPECT_EQ(slots.insert(2), slot);
  EXPECT_EQ(slots.tag(slot).place, 7);
}

}  // namespace
}  // namespace pinion::timer
