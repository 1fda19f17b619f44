// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <pinion/base/time.hpp>

namespace pinion {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

TEST(time, SumsSaturateAtTheEndAndDifferencesAtZero) {
  EXPECT_EQ(instant{5} + duration{3}, instant{8});
  EXPECT_EQ(instant{never.ns - 1} + duration{1}, never);
  EXPECT_EQ(instant{never.ns - 1} + duration{2}, never);
  EXPECT_EQ(instant{5} - duration{6}, instant{0});
  EXPECT_EQ(instant{5} - instant{6}, duration{0});
  EXPECT_EQ(never - instant{1}, duration{forever.ns - 1});
  EXPECT_EQ(duration{1} + forever, forever);
  EXPECT_EQ(duration{1} - duration{2}, duration{0});
}

TEST(time, ProductsSaturate) {
  EXPECT_EQ(duration{7} * 3, duration{21});
  EXPECT_EQ(duration{7} * 0, duration{0});
  EXPECT_EQ(forever * 1, forever);
  EXPECT_EQ(duration{std::uint64_t{1} << 63} * 2, forever);
  EXPECT_EQ(duration{forever.ns / 3} * 3, duration{forever.ns / 3 * 3});
}

TEST(time, ADelayIsRoundedUpAndATimePassedDown) {
  using tenths_of_ns = std::chrono::duration<std::int64_t, std::ratio<1, 10'000'000'000>>;

  EXPECT_EQ(ceil(tenths_of_ns{11}), duration{2});
  EXPECT_EQ(floor(tenths_of_ns{19}), duration{1});
  EXPECT_EQ(ceil(tenths_of_ns{20}), duration{2});
  EXPECT_EQ(ceil(250ms), duration{250'000'000});
  EXPECT_EQ(ceil(std::chrono::duration<double>{1e-9 * 1.5}), duration{2});
  EXPECT_EQ(floor(std::chrono::duration<double>{1e-9 * 1.5}), duration{1});
}

TEST(time, WhatDoesNotFitIsStoppedAtTheEnds) {
  EXPECT_EQ(ceil(-1ns), duration{0});
  EXPECT_EQ(ceil(std::chrono::hours::min()), duration{0});
  EXPECT_EQ(ceil(std::chrono::hours::max()), forever);
  EXPECT_EQ(ceil(std::chrono::duration<double>{std::nan("")}), duration{0});
  EXPECT_EQ(ceil(std::chrono::duration<double>{std::numeric_limits<double>::infinity()}), forever);
  EXPECT_EQ(ceil(std::chrono::duration<float>{-1.0F}), duration{0});
  EXPECT_EQ(ceil(steady_clock::time_point{-5ns}), instant{0});
}

TEST(time, AWaitIsRoundedUpSoThatItDoesNotEndEarly) {
  EXPECT_EQ(ceil_to<milliseconds>(duration{1}), 1ms);
  EXPECT_EQ(ceil_to<milliseconds>(duration{1'000'000}), 1ms);
  EXPECT_EQ(ceil_to<milliseconds>(duration{1'000'001}), 2ms);
  EXPECT_EQ(floor_to<milliseconds>(duration{1'999'999}), 1ms);
  EXPECT_EQ(ceil_to<std::chrono::nanoseconds>(forever), std::chrono::nanoseconds::max());
  EXPECT_EQ((ceil_to<std::chrono::duration<std::int32_t, std::milli>>(forever).count()),
            std::numeric_limits<std::int32_t>::max());
}

TEST(time, APollWaitsUntilADeadlineAndNoShorter) {
  const instant now{5'000'000};

  EXPECT_EQ(poll_timeout(now + duration{1}, now), 1);
  EXPECT_EQ(poll_timeout(now + duration{1'000'000}, now), 1);
  EXPECT_EQ(poll_timeout(now + duration{1'000'001}, now), 2);
  EXPECT_EQ(poll_timeout(now, now), 0);
  EXPECT_EQ(poll_timeout(instant{}, now), 0) << "it has been";
  EXPECT_EQ(poll_timeout(never, now), -1);
  EXPECT_EQ(poll_timeout(instant{never.ns - 1}, instant{}), std::numeric_limits<int>::max());
}

TEST(time, GoesThroughChronoAndBackUnchanged) {
  const steady_clock::time_point now = steady_clock::now();

  EXPECT_EQ(ceil(now), floor(now)) << "the steady clock counts whole nanoseconds here";
  EXPECT_EQ(ceil(ceil_to<std::chrono::nanoseconds>(duration{123'456'789})), duration{123'456'789});
}

TEST(time, TheMonotonicClockIsTheSteadyClock) {
  const instant before = floor(steady_clock::now());
  const instant now = monotonic_clock::now();
  const instant after = floor(steady_clock::now());

  EXPECT_LE(before, now);
  EXPECT_LE(now, after);
}

// All of it can be computed at compile time.
static_assert(ceil(30s) == duration{30'000'000'000});
static_assert(instant{1} + ceil(1us) == instant{1'001});
static_assert(ceil_to<milliseconds>(duration{1'500'000}) == 2ms);

}  // namespace
}  // namespace pinion
