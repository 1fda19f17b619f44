// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <pinion/timer/detail/occupancy.hpp>
#include <set>

#include "scenario.hpp"

namespace pinion::timer {
namespace {

constexpr std::size_t count = 3 * 4096;  // three words of sums
using buckets = occupancy<count>;

TEST(occupancy, HasNoFirstWhenNothingIsSet) {
  const buckets none;

  EXPECT_EQ(none.first(), count);
  EXPECT_EQ(none.first_from(0), count);
  EXPECT_EQ(none.first_from(count - 1), count);
  EXPECT_EQ(none.first_from(count), count);
}

TEST(occupancy, FindsABucketFromItselfOnAndNotFromBehindIt) {
  for (const std::size_t b : {0U, 1U, 63U, 64U, 4095U, 4096U, 8191U, 12287U}) {
    buckets one;

    one.set(b);

    EXPECT_EQ(one.first(), b);
    EXPECT_EQ(one.first_from(0), b);
    EXPECT_EQ(one.first_from(b), b);
    EXPECT_EQ(one.first_from(b + 1), count);
  }
}

TEST(occupancy, ClearingOneOfAWordLeavesTheOthers) {
  buckets some;
  some.set(130);
  some.set(140);

  some.clear(130);
  some.clear(131);

  EXPECT_EQ(some.first(), 140U);
}

TEST(occupancy, SettingTwiceIsClearedByClearingOnce) {
  buckets some;
  some.set(7);
  some.set(7);

  some.clear(7);

  EXPECT_EQ(some.first(), count);
}

TEST(occupancy, ClearForgetsAll) {
  buckets some;
  for (std::size_t b = 0; b < count; b += 61) some.set(b);

  some.clear();

  EXPECT_EQ(some.first(), count);
  EXPECT_EQ(some.first_from(4'000), count);
}

TEST(occupancy, AgreesWithASetOfNumbers) {
  testing::random_numbers random{1};
  buckets quick;
  std::set<std::size_t> plain;

  for (int k = 0; k < 50'000; ++k) {
    // Few at a time, so that words and sums become empty, and a narrow range now and then.
    const std::size_t b = random.below(random.below(2) == 0 ? count : 130);
    if (random.below(3) == 0) {
      quick.set(b);
      plain.insert(b);
    } else {
      quick.clear(b);
      plain.erase(b);
    }
    const std::size_t from = random.below(count + 1);
    const auto found = plain.lower_bound(from);
    ASSERT_EQ(quick.first(), plain.empty() ? count : *plain.begin()) << "step " << k;
    ASSERT_EQ(quick.first_from(from), found == plain.end() ? count : *found)
        << "step " << k << " from " << from;
  }
}

}  // namespace
}  // namespace pinion::timer
