// SPDX-License-Identifier: Apache-2.0
//
// The samples of use that headers of iosubmit's policies open with, word for word, and what each claims.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <pinion/iosubmit.hpp>
#include <pinion/iosubmit/detail/latency_window.hpp>
#include <sstream>
#include <string>
#include <utility>

#include "asked.hpp"

namespace pinion::iosubmit {
namespace {

constexpr instant now{1'000'000};
constexpr queue_state state{.depth = 8, .in_flight = 0, .now = now, .oldest = now};

class PolicySamplesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto opened = uring_ring::open({}); !opened) GTEST_SKIP() << to_string(opened.error());
  }

  // What a round trip through it answers.
  template <class Io>
  static std::int32_t answer_of_nop(Io& io) {
    testing::asked nop{entries::nop()};
    io.queue(nop);
    return testing::result_of(io, nop);
  }
};

TEST_F(PolicySamplesTest, APolicyIsFourQuestions) {
  batch_or_idle policy{.batch = 8};
  const std::uint32_t n = 8, m = 3, k = 5;
  int enters = 0;
  const auto enter = [&] { ++enters; };

  if (policy.queued(state)) enter();            // an entry was queued, or a turn ends and some still are
  policy.entered({.accepted = n, .now = now});  // the kernel has taken n
  policy.reaped({.count = m, .in_flight = k, .now = now});
  const park_wait wait =
      policy.about_to_park(state);  // nothing else is left to run: for how many, and how long, to wait

  EXPECT_EQ(enters, 1);
  EXPECT_EQ(wait, park_wait{});
}

TEST_F(PolicySamplesTest, AdaptiveSaysHowItDecides) {
  submission<adaptive, uring_ring> io{uring_ring{{}}};
  std::puts(to_string(io.policy()).c_str());

  EXPECT_EQ(to_string(io.policy()).find("at the end of turns; "), 0U) << to_string(io.policy());
  EXPECT_EQ(answer_of_nop(io), 0);
}

TEST_F(PolicySamplesTest, BalancedSaysHowItDecides) {
  submission<balanced, uring_ring> io{uring_ring{{}}};
  std::puts(to_string(io.policy()).c_str());

  EXPECT_NE(to_string(io.policy()).find("balanced"), std::string::npos) << to_string(io.policy());
  EXPECT_EQ(answer_of_nop(io), 0);
}

TEST_F(PolicySamplesTest, BatchOrIdleHasABatch) {
  submission<batch_or_idle, uring_ring> io{uring_ring{{}}, {.batch = 64}};

  EXPECT_EQ(io.policy().batch, 64U);
  EXPECT_EQ(answer_of_nop(io), 0);
}

TEST_F(PolicySamplesTest, ATurnIsOneEnter) {
  testing::asked first{entries::nop()};
  testing::asked second{entries::nop()};

  submission<each_turn, uring_ring> io{uring_ring{{}}};
  io.queue(first);
  io.queue(second);
  io.turn(monotonic_clock::now());  // one enter for both

  EXPECT_EQ(io.depth(), 0U);
  EXPECT_EQ(testing::result_of(io, first), 0);
  EXPECT_EQ(testing::result_of(io, second), 0);
#if PINION_COUNTED
  EXPECT_EQ(io.statistics().submitted, 2U);
#endif
}

TEST_F(PolicySamplesTest, ABatchRuleSaysWhenToEnter) {
  constexpr batch_rule rule{.batch = 8, .wait_max = duration{200'000}};
  const bool enters = rule.says_enter(state);

  EXPECT_TRUE(enters);
  EXPECT_FALSE(rule.says_enter({.depth = 7, .in_flight = 0, .now = now, .oldest = now}));
}

TEST_F(PolicySamplesTest, WhoStartsTheProgramChoosesThePolicy) {
  submission<chosen_policy, uring_ring> io{uring_ring{{}}};  // what the environment says, else adaptive

  EXPECT_EQ(io.policy().mode(), settings_of_environment().mode.value_or(submit_mode::adaptive));
  EXPECT_EQ(answer_of_nop(io), 0);
}

TEST_F(PolicySamplesTest, CodeChoosesThePolicy) {
  submission<chosen_policy, uring_ring> io{uring_ring{{}},
                                           chosen_policy{effective({.mode = submit_mode::balanced})}};
  if (const balanced* policy = io.policy().get_if<balanced>()) std::puts(to_string(*policy).c_str());

  EXPECT_NE(io.policy().get_if<balanced>(), nullptr);
}

TEST_F(PolicySamplesTest, HighThroughputJoinsARing) {
  submission<high_throughput, uring_ring> io{uring_ring{{}}};

  EXPECT_EQ(answer_of_nop(io), 0);
}

TEST_F(PolicySamplesTest, LowLatencyHasARule) {
  submission<low_latency, uring_ring> io{uring_ring{{}},
                                         {.rule = {.batch = 4, .wait_max = duration{50'000}}}};

  EXPECT_EQ(io.policy().rule.batch, 4U);
  EXPECT_EQ(answer_of_nop(io), 0);
}

TEST_F(PolicySamplesTest, SettingsSayWhereTheyAreFrom) {
  chosen_policy policy{
      effective({.mode = submit_mode::balanced})};  // a mode from code, the numbers from the environment
  std::puts(to_string(policy.settings()).c_str());  // "mode balanced (code), batch size 16 (environment), …"

  EXPECT_EQ(to_string(policy.settings()).find("mode balanced (code), batch size "), 0U)
      << to_string(policy.settings());
}

TEST_F(PolicySamplesTest, AModeSaysWhyItTookAnothersPlace) {
  balanced policy;
  std::ostringstream out;

  const mode_change& last = policy.last_change();
  out << to_string(last.from) << " -> " << to_string(last.to) << ": " << to_string(last.reason);

  EXPECT_EQ(out.str().find("balanced -> balanced: "), 0U) << out.str();
}

TEST_F(PolicySamplesTest, AWindowOfLatenciesAnswersPercentiles) {
  using policy_detail::latency_window;
  latency_window window;
  window.push(duration{80'000});
  const bool is_slow = window.size() >= 101 && window.percentiles().p99 > duration{50'000'000};

  EXPECT_FALSE(is_slow);
  EXPECT_EQ(window.percentiles().p99, duration{80'000});
}

#if PINION_COUNTED
TEST_F(PolicySamplesTest, ASubmissionSaysWhatItHasDone) {
  submission<batch_or_idle, uring_ring> io{uring_ring{{}}};
  EXPECT_EQ(answer_of_nop(io), 0);

  std::puts(to_string(io.statistics()).c_str());  // enters by reason, histograms, changes of mode, errors
  std::puts(to_string(io.trace()).c_str());  // the last 64 enters: when, why, how much, after how many a no

  EXPECT_EQ(io.statistics().submitted, 1U);
  EXPECT_GE(io.trace().size(), 1U);
}
#endif

}  // namespace
}  // namespace pinion::iosubmit
