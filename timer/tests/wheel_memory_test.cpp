// SPDX-License-Identifier: Apache-2.0
//
// Each wheel takes the memory that its header says: empty, for each timer, and for its slots' part-filled chunks.
#include <gtest/gtest.h>

#include <pinion/timer.hpp>

#include "allocations.hpp"

namespace pinion::timer {
namespace {

using value = std::uint64_t;

struct stated {
  std::size_t object_max;  // sizeof
  std::size_t empty;       // what an empty wheel holds, to a kibibyte
  std::size_t chunks;      // what part-filled chunks take at most, but for a page of them
};
constexpr std::size_t kib = 1'024;
constexpr double slot = 16 + sizeof(value);
constexpr double entries = 8.6;

template <class Wheel>
void takes(const stated& said) {
  const std::size_t before = testing::bytes_so_far();
  Wheel wheel{instant{0}};

  EXPECT_LE(sizeof(wheel), said.object_max);
  EXPECT_EQ(testing::bytes_so_far() - before, wheel.memory());
  EXPECT_GE(wheel.memory(), said.empty);
  EXPECT_LT(wheel.memory(), said.empty + kib);

  wheel.reserve(128 * kib);
  const std::size_t some = wheel.memory();
  wheel.reserve(512 * kib);
  const double each = static_cast<double>(wheel.memory() - some) / (384 * kib);
  EXPECT_NEAR(each, slot + entries, 0.1);
  const double chunks = static_cast<double>(some) - static_cast<double>(said.empty) - each * 128 * kib;
  EXPECT_NEAR(chunks, static_cast<double>(said.chunks), 72 * kib);
}

TEST(wheel_memory, IsAsStatedByTwoLevelWheel) {
  takes<two_level_wheel<value>>({.object_max = 4 * kib, .empty = 32 * kib, .chunks = 128 * kib});
}

TEST(wheel_memory, IsAsStatedByStationaryWheel) {
  takes<stationary_wheel<value>>({.object_max = 6 * kib, .empty = 48 * kib, .chunks = 384 * kib});
}

TEST(wheel_memory, IsAsStatedByOverflowWheel) {
  takes<overflow_wheel<value>>({.object_max = kib, .empty = 12 * kib, .chunks = 49 * kib});
}

TEST(wheel_memory, IsAsStatedByBitmapWheel) {
  const std::size_t before = testing::bytes_so_far();
  const bitmap_wheel wheel{instant{0}};

  EXPECT_LE(sizeof(wheel), 512U);
  EXPECT_EQ(testing::bytes_so_far() - before - sizeof(std::size_t), bitmap_wheel::memory())
      << "but for new[]'s count";
  EXPECT_EQ(bitmap_wheel::memory(), 15 * kib);
  EXPECT_LE(sizeof(bitmap_wheel::entry), 72U);
}

}  // namespace
}  // namespace pinion::timer
