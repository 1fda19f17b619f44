// SPDX-License-Identifier: Apache-2.0
//
// What is noted of slices: the quantiles against a sorted list, and the report of what was too long (law Y3).
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <pinion/preempt.hpp>
#include <random>
#include <string>
#include <vector>

namespace pinion::preempt {
namespace {

using namespace std::chrono_literals;

// The length that as many in a thousand were no longer than, from all of them.
std::uint64_t sorted_quantile(std::vector<std::uint64_t> lengths, std::uint64_t in_a_thousand) {
  std::sort(lengths.begin(), lengths.end());
  const std::uint64_t rank = (lengths.size() * std::min<std::uint64_t>(in_a_thousand, 1000) + 999) / 1000;
  return lengths[std::max<std::uint64_t>(rank, 1) - 1];
}

void expect_quantiles_of(const std::vector<std::uint64_t>& lengths) {
  queue_slices noted;
  for (const std::uint64_t length : lengths) noted.add(duration{length});
  for (const std::uint32_t k : {0U, 1U, 10U, 500U, 501U, 900U, 990U, 999U, 1000U, 5000U}) {
    const std::uint64_t right = sorted_quantile(lengths, k);
    const std::uint64_t said = noted.quantile(k).ns;
    EXPECT_GE(said, right) << k << " of a thousand, " << lengths.size() << " slices";
    EXPECT_LE(said - right, right / 16) << k << " of a thousand, " << lengths.size() << " slices";
  }
  EXPECT_EQ(noted.p99(), noted.quantile(990));
}

TEST(QueueSlicesTest, QuantilesAreRightToASixteenth) {
  if (!is_counted) GTEST_SKIP() << "only a build with PINION_STATISTICS=ON counts lengths";
  std::mt19937_64 numbers{1};
  for (const int digits : {3, 8, 20, 33, 35}) {
    for (const std::size_t count : {1U, 2U, 99U, 100U, 101U, 5'000U}) {
      std::vector<std::uint64_t> lengths(count);
      for (std::uint64_t& each : lengths)
        each = numbers() >> (64 - std::uniform_int_distribution<int>{1, digits}(numbers));
      expect_quantiles_of(lengths);
    }
  }
}

TEST(QueueSlicesTest, QuantilesAreRightAtTheEdgesOfPlaces) {
  if (!is_counted) GTEST_SKIP() << "only a build with PINION_STATISTICS=ON counts lengths";
  for (std::uint64_t power = 16; power <= std::uint64_t{1} << 34U; power *= 2) {
    expect_quantiles_of({power - 1});
    expect_quantiles_of({power});
    expect_quantiles_of({power + power / 16 - 1, power * 2});
    expect_quantiles_of({power + power / 16, power * 2});
  }
}

TEST(QueueSlicesTest, WhatIsTooLongForItsPlacesIsTheLongest) {
  queue_slices noted;

  noted.add(duration{1'000});
  noted.add(forever);

  if (is_counted) {
    EXPECT_LE(noted.quantile(500).ns, 1'062U);
  }
  EXPECT_EQ(noted.p99(), forever);
  EXPECT_EQ(noted.longest, forever);
  EXPECT_EQ(noted.total, forever) << "a sum that wraps";
}

TEST(QueueSlicesTest, HaveNoPlacesWhereNothingIsCounted) {
  if (is_counted) {
    EXPECT_LE(sizeof(queue_slices), 2'200U);
  } else {
    EXPECT_EQ(sizeof(queue_slices), 40U);
  }
}

TEST(QueueSlicesTest, OfNoneAllIsZero) {
  const queue_slices none;

  EXPECT_EQ(none.quantile(0), duration{});
  EXPECT_EQ(none.p99(), duration{});
  EXPECT_EQ(to_string(none),
            "0 slices, 0.0 checks and 0.0 yields each; P50 0.0 us, P99 0.0 us, longest 0.0 us");
}

TEST(QueueSlicesTest, AreALineForPeople) {
  queue_slices noted;
  noted.add(duration{15});
  noted.add(duration{15});
  noted.checks = 5;
  noted.yields = 1;

  EXPECT_EQ(to_string(noted),
            "2 slices, 2.5 checks and 0.5 yields each; P50 0.0 us, P99 0.0 us, longest 0.0 us");
}

TEST(QueueSlicesTest, AreALineForPeopleWhateverTheyAre) {
  queue_slices noted;
  noted.add(forever);
  noted.checks = noted.yields = std::numeric_limits<std::uint64_t>::max();

  EXPECT_EQ(to_string(noted),
            "1 slices, 18446744073709551616.0 checks and 18446744073709551616.0 yields each; P50 "
            "18446744073709552.0 us, P99 18446744073709552.0 us, longest 18446744073709552.0 us");
}

// Notes what it is told.
struct listener {
  std::vector<stall> told;
  stall_hook hook() {
    return {
        .function = [](void* self,
                       const stall& seen) noexcept { static_cast<listener*>(self)->told.push_back(seen); },
        .context = this};
  }
};

TEST(SliceLogTest, TellsOfASliceThatWasTooLongOnceWhenItIsOver) {
  slice_log log;
  queue_slices batch, serve;
  listener who;
  log.report_above(ceil(1ms), who.hook());

  log.began(batch, instant{0});
  log.ended(instant{1'000'000});
  EXPECT_TRUE(who.told.empty()) << "as long as it may be";
  log.began(batch, instant{2'000'000});
  log.ended(instant{3'000'001});
  log.began(serve, instant{3'000'001});
  log.ended(instant{4'000'000});
  log.ended(instant{90'000'000});

  ASSERT_EQ(who.told.size(), 1U);
  EXPECT_EQ(who.told[0].length, duration{1'000'001});
  EXPECT_EQ(who.told[0].who, &batch);
  EXPECT_FALSE(who.told[0].lasts);
}

TEST(SliceLogTest, TellsNobodyWhereNobodyListens) {
  slice_log log;
  queue_slices batch;
  listener who;

  log.report_above(duration{}, {});
  log.began(batch, instant{0});
  log.ended(never);
  log.report_above(duration{}, who.hook());
  log.report_above(forever, who.hook());
  log.began(batch, instant{0});
  log.ended(never);

  EXPECT_TRUE(who.told.empty());
}

TEST(SliceLogTest, TakesAClockThatGoesBackForASliceOfNothing) {
  slice_log log;
  queue_slices batch;
  listener who;
  log.report_above(ceil(-5ms), who.hook());  // 0: each that took any time

  log.began(batch, instant{1'000});
  log.ended(instant{999});

  EXPECT_TRUE(who.told.empty());
  EXPECT_EQ(batch.longest, duration{});
}

TEST(SliceLogTest, CountsForTheQueueWhoseSliceRuns) {
  slice_log log;
  queue_slices batch, serve;

  log.checked();  // nobody's
  log.began(batch, instant{0});
  log.checked();
  log.checked();
  log.yielded();
  log.ended(instant{50});
  log.began(serve, instant{50});
  log.checked();
  log.ended(instant{70});
  log.yielded();  // nobody's

  if (!is_counted) {
    EXPECT_EQ(batch.slices + batch.checks + serve.slices + serve.checks, 0U);
    GTEST_SKIP() << "only a build with PINION_STATISTICS=ON counts";
  }
  EXPECT_EQ(batch.slices, 1U);
  EXPECT_EQ(batch.checks, 2U);
  EXPECT_EQ(batch.yields, 1U);
  EXPECT_EQ(batch.total, duration{50});
  EXPECT_EQ(serve.checks, 1U);
  EXPECT_EQ(serve.yields, 0U);
  EXPECT_EQ(serve.longest, duration{20});
}

TEST(SliceLogTest, KnowsWhoHoldsWhatMustNotBeHeld) {
  slice_log log;
  if (!is_checked) {
    log.hold();
    EXPECT_FALSE(log.is_held());
    GTEST_SKIP() << "only a checked build looks";
  }

  log.hold();
  log.hold();
  log.release();
  EXPECT_TRUE(log.is_held());
  log.release();

  EXPECT_FALSE(log.is_held());
}

}  // namespace
}  // namespace pinion::preempt
