// SPDX-License-Identifier: Apache-2.0
//
// What each policy answers to what it sees, as tables with both sides of each threshold. balanced's are
// checks in policy_checks.cpp, so that mutants of it can be held to them, too.
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <pinion/iosubmit.hpp>
#include <string>
#include <type_traits>

#include "policy_checks.hpp"

namespace pinion::iosubmit {
namespace {

using testing::policy_check;

// A value: a copy is all there is to it (law S3).
static_assert(std::is_empty_v<each_turn>, "and nothing to remember");
static_assert(std::is_trivially_copyable_v<low_latency>);
static_assert(std::is_trivially_copyable_v<high_throughput>);
static_assert(std::is_trivially_copyable_v<balanced>);

constexpr instant now{1'000'000'000};

TEST(RuleTextTest, SaysTheNumbersThatARuleGoesBy) {
  EXPECT_EQ(to_string(immediate{}), "each operation");
  EXPECT_EQ(to_string(batch_or_idle{.batch = 32}), "batch 32 or idle");
  EXPECT_EQ(to_string(each_turn{}), "each turn");
  EXPECT_EQ(to_string(batch_rule{.batch = 8, .wait_max = duration{200'000}}), "batch 8 or 200 us");
  EXPECT_EQ(to_string(low_latency{}), "batch 1 or 100 us");
  EXPECT_EQ(to_string(high_throughput{}), "batch 64 or 1000 us; waits gather for 1000 us");
  EXPECT_EQ(to_string(high_throughput{.gather_max = duration{250'000}}),
            "batch 64 or 1000 us; waits gather for 250 us");
}

struct decision {
  std::uint32_t depth;
  std::uint64_t age_us;
  std::uint64_t age_ns;
  bool enters;
};

/// The first row that it decides otherwise; empty if there is none.
template <submit_policy Policy>
std::string differs(Policy policy, std::initializer_list<decision> table) {
  for (const decision& row : table) {
    const duration age{row.age_us * 1'000 + row.age_ns};
    if (policy.queued({.depth = row.depth, .in_flight = 0, .now = now, .oldest = now - age}) != row.enters)
      return std::to_string(row.depth) + " queued for " + std::to_string(age.ns) + " ns";
  }
  return {};
}

TEST(DecisionTableTest, LowLatencyEntersForEach) {
  EXPECT_EQ(differs(low_latency{}, {{0, 900'000, 0, false}, {1, 0, 0, true}, {2, 0, 0, true}}), "");
}

TEST(DecisionTableTest, LowLatencyWithALargerBatchEntersWhenItIsFullOrHasWaited) {
  EXPECT_EQ(differs(low_latency{.rule = {.batch = 4, .wait_max = duration{100'000}}}, {{0, 900'000, 0, false},
                                                                                       {3, 100, 0, false},
                                                                                       {3, 100, 1, true},
                                                                                       {4, 0, 0, true},
                                                                                       {1, 100, 1, true}}),
            "");
}

TEST(DecisionTableTest, EachTurnEntersWhereATurnEndsWhateverTheDepthAndTheAge) {
  for (const std::uint32_t depth : {0U, 1U, 64U, ~0U})
    for (const duration age : {duration{}, duration{1}, duration{900'000'000}}) {
      queue_state state{.depth = depth, .in_flight = 9, .now = now, .oldest = now - age};
      EXPECT_FALSE(each_turn{}.queued(state)) << depth << " queued for " << age.ns << " ns";
      state.turn_ends = true;
      EXPECT_EQ(each_turn{}.queued(state), depth != 0) << depth << " queued for " << age.ns << " ns";
    }
}

TEST(DecisionTableTest, HighThroughputEntersWhenABatchIsFullOrHasWaited) {
  EXPECT_EQ(differs(high_throughput{}, {{0, 900'000, 0, false},
                                        {1, 1'000, 0, false},
                                        {63, 1'000, 0, false},
                                        {63, 1'000, 1, true},
                                        {64, 0, 0, true}}),
            "");
}

TEST(DecisionTableTest, ABatchOfNoneIsABatchOfOne) {
  EXPECT_EQ(differs(high_throughput{.rule = {.batch = 0, .wait_max = duration{}}},
                    {{0, 900'000, 0, false}, {1, 0, 0, true}}),
            "");
  EXPECT_EQ((high_throughput{.rule = {.batch = 0, .wait_max = duration{1}}}.about_to_park(
                {.depth = 9, .in_flight = 9})),
            (park_wait{.count = 1, .gather = duration{1}}));
}

TEST(DecisionTableTest, LowLatencyAndEachTurnWaitForTheFirst) {
  EXPECT_EQ(low_latency{}.about_to_park({.depth = 100, .in_flight = 100}), park_wait{});
  EXPECT_EQ(each_turn{}.about_to_park({.depth = 100, .in_flight = 100}), park_wait{});
}

TEST(DecisionTableTest, HighThroughputWaitsForHalfOfWhatIsOutButNotForMoreThanABatch) {
  struct row {
    std::uint32_t depth;
    std::uint32_t in_flight;
    std::uint32_t count;
  };
  for (const row& r : {row{0, 0, 1}, row{1, 0, 1}, row{1, 1, 1}, row{1, 2, 1}, row{2, 2, 2}, row{0, 127, 63},
                       row{100, 28, 64}, row{100, 300, 64}, row{~0U, ~0U, 64}}) {
    EXPECT_EQ(high_throughput{}.about_to_park({.depth = r.depth, .in_flight = r.in_flight}),
              (park_wait{.count = r.count, .gather = duration{1'000'000}}))
        << r.depth << " queued, " << r.in_flight << " in flight";
  }
}

TEST(DecisionTableTest, WhatGathersForNoTimeWaitsForTheFirst) {
  EXPECT_EQ(high_throughput{.gather_max = duration{}}.about_to_park({.depth = 64, .in_flight = 64}),
            park_wait{});
}

class BalancedTest : public ::testing::TestWithParam<policy_check> {};

TEST_P(BalancedTest, Holds) {
  const testing::violation wrong = GetParam().check(testing::made<balanced>);

  EXPECT_FALSE(wrong) << wrong.what();
}

INSTANTIATE_TEST_SUITE_P(DecisionTableTest, BalancedTest, ::testing::ValuesIn(testing::policy_checks()),
                         [](const auto& of) { return std::string{of.param.name}; });

/// In high throughput since 20 ms and 1 ns, as such options would have it.
balanced hurried(const balanced_options& options) {
  balanced policy{options};
  policy.entered({.accepted = 2'000, .now = instant{10'000'000}});
  for (int k = 0; k < 128; ++k) policy.completed(duration{100'000});
  policy.reaped({.count = 128, .in_flight = 0, .now = instant{20'000'001}});
  return policy;
}

TEST(BalancedOptionsTest, MoveEachThresholdOfTheModes) {
  EXPECT_EQ(hurried({}).mode(), submit_mode::high_throughput);
  EXPECT_EQ(hurried({.readjust_every = duration{10'000'001}}).mode(), submit_mode::balanced);
  EXPECT_EQ(hurried({.p99_slow = duration{99'999}}).mode(), submit_mode::low_latency);
  EXPECT_EQ(hurried({.p99_fast = duration{100'000}}).mode(), submit_mode::balanced);
  EXPECT_EQ(hurried({.busy_submissions = 2'000}).mode(), submit_mode::balanced);
  EXPECT_EQ(hurried({.samples_min = 129}).mode(), submit_mode::balanced);
}

TEST(BalancedOptionsTest, MoveEachRule) {
  constexpr batch_rule mine{.batch = 5, .wait_max = duration{77}};
  balanced_options calm{.busy_submissions = 1'000'000};  // stays in balanced mode, at an average of 100 us

  calm.fast = mine;
  EXPECT_EQ(hurried(calm).current_rule(), mine);
  calm.average_fast = duration{100'000};
  EXPECT_EQ(hurried(calm).current_rule(), balanced_options{}.between);
  calm.between = mine;
  EXPECT_EQ(hurried(calm).current_rule(), mine);
  calm.average_slow = duration{99'999};
  EXPECT_EQ(hurried(calm).current_rule(), balanced_options{}.slow);
  calm.slow = mine;
  EXPECT_EQ(hurried(calm).current_rule(), mine);
  EXPECT_EQ(hurried({.high = {.rule = mine}}).current_rule(), mine);
  EXPECT_EQ(hurried({.p99_slow = duration{}, .low = {.rule = mine}}).current_rule(), mine);
}

TEST(BalancedStateTest, TellsWhyItChangedAndWhen) {
  const balanced policy = hurried({});

  EXPECT_EQ(policy.changes(), 1U);
  EXPECT_EQ(policy.last_change(), (mode_change{.from = submit_mode::balanced,
                                               .to = submit_mode::high_throughput,
                                               .reason = mode_reason::fast_and_busy,
                                               .at = instant{20'000'001}}));
}

TEST(BalancedStateTest, TellsThatItReturnedWhenNothingHoldsAnyMore) {
  balanced policy = hurried({});

  policy.reaped({.count = 0, .in_flight = 0, .now = instant{40'000'000}});

  EXPECT_EQ(policy.mode(), submit_mode::balanced);
  EXPECT_EQ(policy.last_change().reason, mode_reason::neither);
  EXPECT_EQ(policy.changes(), 2U);
}

TEST(BalancedStateTest, IsPrintable) {
  EXPECT_EQ(to_string(balanced{}),
            "balanced; batch 32 or 500 us; of 0 latencies: average 0 us, P50 0 us, P99 0 us, P999 0 us; "
            "0 submitted since; changes of mode: 0");
  EXPECT_EQ(to_string(hurried({})),
            "high-throughput after balanced (fast and busy, at 20000 us); batch 64 or 1000 us; "
            "of 128 latencies: average 100 us, P50 100 us, P99 100 us, P999 100 us; "
            "0 submitted since; changes of mode: 1");
}

TEST(BalancedStateTest, IsAValueThatCanBeCopiedAndCompared) {
  balanced one = hurried({});
  const balanced before = one;

  one.completed(duration{1});

  EXPECT_NE(one, before);
  EXPECT_EQ(before, hurried({}));
}

}  // namespace
}  // namespace pinion::iosubmit
