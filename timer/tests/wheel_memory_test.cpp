// SPDX-License-Identifier: Apache-2.0
//
// Each wheel takes the memory that its header says: empty, for each timer, and for its slots' part-filled
// chunks.
#include <gtest/gtest.h>

#include <pinion/timer.hpp>

#include "allocations.hpp"

namespace pinion::timer {
namespace {

using value = std::uint64_t;

constexpr std::size_t kib = 1'024;

struct bytes {
  std::size_t object;     // sizeof
  std::size_t allocated;  // by an empty wheel
  std::size_t empty;      // what an empty wheel says
  double each;            // for each timer more
  double chunks;          // part-filled ones, once there are many timers
};

template <class Wheel>
bytes measured() {
  const std::size_t before = testing::bytes_so_far();
  Wheel wheel{instant{0}};
  bytes all{sizeof(wheel), testing::bytes_so_far() - before, wheel.memory(), 0, 0};
  wheel.reserve(128 * kib);
  const std::size_t some = wheel.memory();
  wheel.reserve(512 * kib);
  all.each = static_cast<double>(wheel.memory() - some) / (384 * kib);
  all.chunks = static_cast<double>(some - all.empty) - all.each * 128 * kib;
  return all;
}

// 16 bytes of slot, the value, entries; to a page of slots or chunks.
constexpr double each = 16 + sizeof(value) + 8.6;
constexpr double a_page_of_chunks = 72 * kib;

TEST(wheel_memory, IsAsStatedByTwoLevelWheel) {
  const bytes taken = measured<two_level_wheel<value>>();

  EXPECT_LE(taken.object, 4 * kib);
  EXPECT_EQ(taken.allocated, taken.empty);
  EXPECT_EQ(taken.empty / kib, 32U);
  EXPECT_NEAR(taken.each, each, 0.1);
  EXPECT_NEAR(taken.chunks, 128 * kib, a_page_of_chunks);
}

TEST(wheel_memory, IsAsStatedByStationaryWheel) {
  const bytes taken = measured<stationary_wheel<value>>();

  EXPECT_LE(taken.object, 6 * kib);
  EXPECT_EQ(taken.allocated, taken.empty);
  EXPECT_EQ(taken.empty / kib, 60U);
  EXPECT_NEAR(taken.each, each, 0.1);
  EXPECT_NEAR(taken.chunks, 192 * kib, a_page_of_chunks);
}

TEST(wheel_memory, IsAsStatedByOverflowWheel) {
  const bytes taken = measured<overflow_wheel<value>>();

  EXPECT_LE(taken.object, 1 * kib);
  EXPECT_EQ(taken.allocated, taken.empty);
  EXPECT_EQ(taken.empty / kib, 12U);
  EXPECT_NEAR(taken.each, each, 0.1);
  EXPECT_NEAR(taken.chunks, 49 * kib, a_page_of_chunks);
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
