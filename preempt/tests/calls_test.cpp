// SPDX-License-Identifier: Apache-2.0
//
// What a ticker_source asks of the kernel, counted in the system calls that really reach it (law Y4).
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <pinion/preempt.hpp>

#include "real_ticks.hpp"
#include "traced_calls.hpp"

namespace pinion::preempt::testing {
namespace {

using namespace std::chrono_literals;
using pinion::testing::begin_counting;
using pinion::testing::end_counting;
using pinion::testing::trace;
using pinion::testing::traced_calls;

TEST(TickerCallsTest, AThousandSlicesCostNone) {
  const traced_calls seen = trace([] {
    ticker_source source;
    if (!is_ended_by(source, duration{})) return false;
    begin_counting();
    for (std::uint64_t k = 0; k < 1'000; ++k)
      source.begin(instant{k}, k % 10 == 0 ? instant{k} : instant{never.ns - 1});
    end_counting();
    return is_ended_by(source, duration{});
  });
  if (!seen.refusal.empty()) GTEST_SKIP() << seen.refusal;

  EXPECT_TRUE(seen.is_right);
  EXPECT_EQ(seen.all(), 0U) << seen.to_string();
}

TEST(TickerCallsTest, ChecksAndRestCostNone) {
  const traced_calls seen = trace([] {
    ticker_source source;
    if (!is_ended_by(source, duration{})) return false;
    bool was_due = true;
    begin_counting();
    for (int k = 0; k < 1'000; ++k) was_due = source.word().is_due() && was_due;
    for (int k = 0; k < 1'000; ++k) source.rest();
    end_counting();
    return was_due && !source.word().is_due();
  });
  if (!seen.refusal.empty()) GTEST_SKIP() << seen.refusal;

  EXPECT_TRUE(seen.is_right);
  EXPECT_EQ(seen.all(), 0U) << seen.to_string();
}

// Sleeps begin when the thread has looked once more, so most rounds find it asleep, and none pays twice.
TEST(TickerCallsTest, TheFirstSliceAfterQuietCostsOneAndTheNextNone) {
  constexpr int rounds = 20;
  const traced_calls seen = trace([] {
    ticker mine;
    ticker_source source{mine};
    for (int round = 0; round < rounds; ++round) {
      source.rest();
      if (!time_passes(3)) return false;
      begin_counting();
      for (int slice = 0; slice < 10; ++slice) source.begin(instant{1}, instant{1});
      end_counting();
      if (!comes_true([&] { return source.word().is_due(); })) return false;
    }
    return true;
  });
  if (!seen.refusal.empty()) GTEST_SKIP() << seen.refusal;

  EXPECT_TRUE(seen.is_right);
  std::cout << "for " << rounds << " rests: " << seen.to_string() << '\n';
  EXPECT_LE(seen.all(), std::size_t{rounds}) << seen.to_string();
  EXPECT_GE(seen.of(SYS_futex), 1U) << "it is never asleep";
  EXPECT_EQ(seen.of(SYS_futex), seen.all()) << seen.to_string();
}

}  // namespace
}  // namespace pinion::preempt::testing
