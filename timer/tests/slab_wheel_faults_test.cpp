// SPDX-License-Identifier: Apache-2.0
//
// What slab_wheel refuses, and what it leaves as it was when memory runs out, over all arithmetics.
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <new>
#include <pinion/timer.hpp>
#include <stdexcept>
#include <utility>

#include "allocations.hpp"

namespace pinion::timer {
namespace {

using value = std::unique_ptr<int>;
constexpr instant late{std::uint64_t{1} << 50};

template <class Wheel>
class slab_wheel_faults : public ::testing::Test {
 protected:
  void arm(std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) timers.schedule(instant{(k + 1) << 20}, std::make_unique<int>(1));
  }
  [[nodiscard]] std::size_t fire_all() {
    std::size_t fired = 0;
    timers.poll(late, [&](handle, instant, value&& v) { fired += v != nullptr ? 1U : 0U; });
    return fired;
  }

  Wheel timers{instant{0}};
};

using wheels = ::testing::Types<deferred_wheel<value>, two_level_wheel<value>, stationary_wheel<value>>;
TYPED_TEST_SUITE(slab_wheel_faults, wheels);

TYPED_TEST(slab_wheel_faults, SchedulingIsAllOrNothingWhicheverAllocationFails) {
  // With a page of slots taken, one more timer needs slots and chunks. Each allocation of them fails in turn.
  std::size_t failures = 0;
  for (std::size_t n = 1; failures + 1 == n; ++n) {
    TypeParam wheel{instant{0}};
    std::vector<handle> names;
    for (std::size_t k = 0; k < 1'024; ++k) {
      names.push_back(wheel.schedule(instant{(k + 1) << 20}, std::make_unique<int>(1)));
    }
    value mine = std::make_unique<int>(7);

    testing::fail_allocation(n);
    try {
      wheel.schedule(instant{9'000'000}, std::move(mine));
    } catch (const std::bad_alloc&) {
      ++failures;
    }
    testing::fail_allocation(0);

    const bool threw = failures == n;
    ASSERT_EQ(mine != nullptr, threw) << "allocation " << n;
    ASSERT_EQ(wheel.size(), threw ? 1'024U : 1'025U);
    ASSERT_EQ(wheel.entries(), wheel.size());
    ASSERT_EQ(wheel.violated_invariant(), "") << "allocation " << n;
    for (std::uint64_t nearer = 0; nearer < 12; ++nearer) {
      for (const handle h : names) wheel.reschedule(h, instant{(250 - 20 * nearer) << 20});
      ASSERT_EQ(wheel.violated_invariant(), "") << "allocation " << n << ", and then garbage";
    }
    for (std::size_t k = 0; k < 3'000; ++k) wheel.schedule(instant{(k + 1) << 20}, std::make_unique<int>(2));
    ASSERT_EQ(wheel.violated_invariant(), "") << "allocation " << n << ", and then 3,000 more timers";
    std::size_t fired = 0;
    wheel.poll(late, [&](handle, instant, value&& v) { fired += v != nullptr ? 1U : 0U; });
    ASSERT_EQ(fired, threw ? 4'024U : 4'025U);
  }
  EXPECT_GE(failures, 2U) << "slots and chunks are pages of their own";
}

TYPED_TEST(slab_wheel_faults, AFailedReserveLeavesTheWheelInUse) {
  std::size_t failures = 0;
  for (std::size_t n = 1; failures + 1 == n; ++n) {
    TypeParam wheel{instant{0}};
    wheel.schedule(instant{1 << 20}, std::make_unique<int>(1));

    testing::fail_allocation(n);
    try {
      wheel.reserve(5'000);
    } catch (const std::bad_alloc&) {
      ++failures;
    }
    testing::fail_allocation(0);

    ASSERT_EQ(wheel.violated_invariant(), "") << "allocation " << n;
    for (std::size_t k = 0; k < 6'000; ++k) wheel.schedule(instant{(k + 1) << 20}, std::make_unique<int>(2));
    ASSERT_EQ(wheel.violated_invariant(), "") << "allocation " << n << ", and then 6,000 timers";
    std::size_t fired = 0;
    wheel.poll(late, [&](handle, instant, value&&) { ++fired; });
    ASSERT_EQ(fired, 6'001U);
  }
  EXPECT_GE(failures, 3U) << "a region of slots, one of chunks, and the directory";
}

TYPED_TEST(slab_wheel_faults, MoreTimersThanHandlesCanNameAreRefused) {
  this->arm(10);

  EXPECT_THROW(this->timers.reserve(std::numeric_limits<std::size_t>::max()), std::length_error);
  EXPECT_THROW(this->timers.reserve(std::size_t{1} << 32), std::length_error);

  EXPECT_EQ(this->timers.violated_invariant(), "");
  this->arm(2'000);
  EXPECT_EQ(this->fire_all(), 2'010U);
}

TYPED_TEST(slab_wheel_faults, TrySchedulingForThePastIsRefusedAndKeepsTheValue) {
  this->timers.poll(instant{100}, [](auto&&...) {});
  value mine = std::make_unique<int>(7);

  const expected<handle> now = this->timers.try_schedule(instant{100}, std::move(mine));
  const bool is_kept = mine != nullptr;
  const expected<handle> ahead = this->timers.try_schedule(instant{101}, std::move(mine));

  ASSERT_FALSE(now);
  EXPECT_EQ(now.error(), errc::deadline_passed);
  EXPECT_TRUE(is_kept);
  EXPECT_TRUE(ahead);
  EXPECT_EQ(mine, nullptr);
  EXPECT_EQ(this->timers.size(), 1U);
}

TYPED_TEST(slab_wheel_faults, TryCancelTellsAStaleHandleFromAForeignOne) {
  const handle h = this->timers.schedule(instant{5}, std::make_unique<int>(7));

  const expected<value> first = this->timers.try_cancel(h);
  const expected<value> again = this->timers.try_cancel(h);
  const expected<value> none = this->timers.try_cancel(handle{});
  const expected<value> forged = this->timers.try_cancel(handle::from_bits(~std::uint64_t{0}));

  ASSERT_TRUE(first);
  EXPECT_EQ(**first, 7);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error(), errc::not_found);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error(), errc::invalid_handle);
  ASSERT_FALSE(forged);
  EXPECT_EQ(forged.error(), errc::invalid_handle);
}

TYPED_TEST(slab_wheel_faults, MemoryIsForWhatWasReservedAndUseAddsNone) {
  const std::size_t empty = this->timers.memory();
  this->timers.reserve(20'000);
  const std::size_t reserved = this->timers.memory();

  this->arm(20'000);
  const std::size_t full = this->timers.memory();
  static_cast<void>(this->fire_all());

  EXPECT_GT(empty, 0U) << "the buckets";
  EXPECT_GE(reserved - empty, 20'000 * (sizeof(value) + sizeof(std::uint64_t)))
      << "values and deadlines at least";
  EXPECT_LE(reserved - empty, 20'480 * 64U);
  EXPECT_EQ(full, reserved);
  EXPECT_EQ(this->timers.memory(), reserved) << "what was made is kept";
}

}  // namespace
}  // namespace pinion::timer
