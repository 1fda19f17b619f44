// SPDX-License-Identifier: Apache-2.0
//
// What is accepted as a time, its rounding, and slack against a search of the whole window.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <pinion/timer.hpp>
#include <vector>

#include "scenario.hpp"

namespace pinion::timer {
namespace {

using namespace std::chrono_literals;

static_assert(delay<duration> && delay<std::chrono::milliseconds> && delay<std::chrono::duration<double>>);
static_assert(!delay<int> && !delay<instant>, "a bare number has no unit");
static_assert(point_in_time<instant> && point_in_time<std::chrono::steady_clock::time_point>);
static_assert(!point_in_time<std::chrono::system_clock::time_point>, "the system clock can be set");
static_assert(!point_in_time<duration>);
static_assert(timer_clock<monotonic_clock>);
static_assert(!timer_clock<std::chrono::steady_clock>, "its rounding has not been said");

TEST(when, DelaysCountFromNowAndPointsDoNot) {
  EXPECT_EQ(as_instant(5us, instant{7}), instant{5'007});
  EXPECT_EQ(as_instant(duration{5}, instant{7}), instant{12});
  EXPECT_EQ(as_instant(instant{5}, instant{7}), instant{5});
  EXPECT_EQ(as_instant(std::chrono::steady_clock::time_point{5us}, instant{7}), instant{5'000});
}

TEST(when, DelaysAreRoundedUpAndNegativeOnesAreNone) {
  using quarter_ns = std::chrono::duration<long, std::ratio<1, 4'000'000'000>>;

  EXPECT_EQ(as_duration(quarter_ns{1}), duration{1});
  EXPECT_EQ(as_duration(-1s), duration{0});
  EXPECT_EQ(as_instant(std::chrono::hours::max(), instant{1}), never);
}

TEST(coalesce, TakesTheRoundestTimeOfTheWindow) {
  testing::random_numbers random{1};
  for (int round = 0; round < 20'000; ++round) {
    const std::uint64_t deadline = random.next() >> random.below(64);
    const std::uint64_t slack = random.below(200);

    const instant chosen = coalesce(instant{deadline}, duration{slack});

    instant roundest{deadline};
    for (std::uint64_t d = 1; d <= slack && deadline + d > deadline; ++d) {
      if (deadline != 0 && std::countr_zero(deadline + d) > std::countr_zero(roundest.ns))
        roundest.ns = deadline + d;
    }
    ASSERT_EQ(chosen, roundest) << deadline << " + " << slack << ", round " << round << " of seed 1";
  }
}

TEST(coalesce, WithoutSlackNothingMovesAndNeverStaysNever) {
  EXPECT_EQ(coalesce(instant{12'345}, duration{0}), instant{12'345});
  EXPECT_EQ(coalesce(never, duration{100}), never);
  EXPECT_EQ(coalesce(instant{}, forever), instant{});
  EXPECT_EQ(coalesce(instant{1}, forever), instant{std::uint64_t{1} << 63});
  EXPECT_EQ(coalesce(instant{never.ns - 3}, forever), instant{never.ns - 3})
      << "not to never: it would not fire";
}

TEST(coalesce, BringsNeighboursTogether) {
  // A hundred timeouts set over 100 ms, each allowing 50 ms.
  std::vector<instant> wakeups;
  for (std::uint64_t ms = 0; ms < 100; ++ms) {
    wakeups.push_back(coalesce(instant{1'000'000'000 + ms * 1'000'000}, ceil(50ms)));
  }

  std::sort(wakeups.begin(), wakeups.end());
  const auto distinct = std::unique(wakeups.begin(), wakeups.end()) - wakeups.begin();

  EXPECT_LE(distinct, 5);
}

}  // namespace
}  // namespace pinion::timer
