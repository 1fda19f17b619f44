// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <pinion/timer/slot_map.hpp>
#include <set>
#include <vector>

namespace pinion::timer {
namespace {

TEST(slot_map, FindsWhatWasInsertedUntilItIsErased) {
  slot_map<int> slots;
  const handle seven = slots.insert(7);
  const handle eight = slots.insert(8);

  slots.erase(seven);

  EXPECT_EQ(slots.find(seven), nullptr);
  ASSERT_NE(slots.find(eight), nullptr);
  EXPECT_EQ(*slots.find(eight), 8);
  EXPECT_EQ(slots.size(), 1U);
}

TEST(slot_map, NeverGivesTheSameHandleTwice) {
  slot_map<int> slots{{.seed = 3, .generation_bits = 4}};
  std::set<std::uint64_t> given;

  for (int k = 0; k < 1'000; ++k) {
    const handle h = slots.insert(int{k});
    EXPECT_TRUE(given.insert(h.bits()).second) << "handle " << h.bits() << " was given out before";
    slots.erase(h);
  }

  EXPECT_EQ(slots.retired(), 1'000U / 16);
}

TEST(slot_map, TwoMapsStartTheirGenerationsApart) {
  slot_map<int> one;
  slot_map<int> other;
  int taken_for_its_own = 0;

  for (int k = 0; k < 1'000; ++k) {
    const handle foreign = other.insert(int{k});
    static_cast<void>(one.insert(int{k}));
    if (one.find(foreign) != nullptr) ++taken_for_its_own;
  }

  EXPECT_EQ(taken_for_its_own, 0);
}

TEST(slot_map, KnowsWhichHandlesItCouldHaveGiven) {
  slot_map<int> slots;
  const handle gone = slots.insert(1);
  slots.erase(gone);

  EXPECT_TRUE(slots.knows_slot_of(gone));
  EXPECT_FALSE(slots.knows_slot_of(handle{}));
  EXPECT_FALSE(slots.knows_slot_of(handle::from_bits(~std::uint64_t{0})));
}

TEST(slot_map, KeepsItemsWhenItGrows) {
  slot_map<int> slots;
  std::vector<handle> handles;

  for (int k = 0; k < 10'000; ++k) handles.push_back(slots.insert(int{k}));

  for (int k = 0; k < 10'000; ++k) EXPECT_EQ(*slots.find(handles[static_cast<std::size_t>(k)]), k);
}

}  // namespace
}  // namespace pinion::timer
