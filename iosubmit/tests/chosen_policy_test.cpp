// SPDX-License-Identifier: Apache-2.0
//
// chosen_policy answers as the policy that it is asked to be, whichever that is.
#include <gtest/gtest.h>

#include <cstdint>
#include <pinion/iosubmit.hpp>
#include <random>
#include <string>
#include <type_traits>

namespace pinion::iosubmit {
namespace {

static_assert(latency_policy<chosen_policy>);
using policy_detail::policy_variant;
using policy_detail::with_longest_wait;

static_assert(has_modes<chosen_policy>);
static_assert(std::is_trivially_copyable_v<chosen_policy>);
static_assert(!latency_policy<policy_variant<immediate, batch_or_idle>>, "none of them would listen");
static_assert(latency_policy<with_longest_wait<adaptive>>);
static_assert(!latency_policy<with_longest_wait<batch_or_idle>>);

/// What is asked of both at random, and told to both, until they answer differently; empty if they never do.
template <class Policy>
std::string difference(chosen_policy chosen, Policy expected) {
  if (chosen.get_if<Policy>() == nullptr) return "it holds another policy";
  if (*chosen.get_if<Policy>() != expected) return "it was made with other numbers";
  std::mt19937_64 random{11};
  instant now{1'000'000};
  for (int k = 0; k < 5'000; ++k) {
    now = now + duration{random() % 100'000};
    const queue_state state{.depth = static_cast<std::uint32_t>(random() % 80),
                            .in_flight = static_cast<std::uint32_t>(random() % 200),
                            .now = now,
                            .oldest = now - duration{random() % 2'000'000}};
    const entered_batch entered{.accepted = state.depth, .now = now};
    const reaped_batch reaped{.count = static_cast<std::uint32_t>(random() % 64), .in_flight = 0, .now = now};
    const duration latency{random() % 3'000'000};
    if (chosen.queued(state) != expected.queued(state)) return "queued() answers otherwise";
    chosen.entered(entered);
    expected.entered(entered);
    chosen.completed(latency);
    if constexpr (latency_policy<Policy>) expected.completed(latency);
    chosen.reaped(reaped);
    expected.reaped(reaped);
    if (chosen.about_to_park(state) != expected.about_to_park(state))
      return "about_to_park() answers otherwise";
  }
  return *chosen.get_if<Policy>() == expected ? "" : "it was told something else";
}

effective_settings asked(submit_mode mode) { return {.mode = mode, .mode_from = setting_source::code}; }
effective_settings tuned(submit_mode mode) {
  effective_settings all = asked(mode);
  all.batch_size = 16;
  all.max_wait = duration{300'000};
  return all;
}
constexpr batch_rule tuned_rule{.batch = 16, .wait_max = duration{300'000}};

TEST(ChosenPolicyTest, AnswersAsTheModeThatIsAskedFor) {
  EXPECT_EQ(difference(chosen_policy{asked(submit_mode::low_latency)}, low_latency{}), "");
  EXPECT_EQ(difference(chosen_policy{asked(submit_mode::high_throughput)}, high_throughput{}), "");
  EXPECT_EQ(difference(chosen_policy{asked(submit_mode::balanced)}, balanced{}), "");
  EXPECT_EQ(difference(chosen_policy{asked(submit_mode::adaptive)}, adaptive{}), "");
}

TEST(ChosenPolicyTest, TakesBatchSizeAndLongestWaitInTheModesPlaceOfThem) {
  EXPECT_EQ(difference(chosen_policy{tuned(submit_mode::low_latency)}, low_latency{.rule = tuned_rule}), "");
  EXPECT_EQ(
      difference(chosen_policy{tuned(submit_mode::high_throughput)}, high_throughput{.rule = tuned_rule}),
      "");
  balanced_options options;
  options.between = tuned_rule;
  options.fast = tuned_rule;
  options.high.rule = tuned_rule;
  EXPECT_EQ(difference(chosen_policy{tuned(submit_mode::balanced)}, balanced{options}), "");
  adaptive_options bounds;
  bounds.batch_max = 16;
  bounds.gather_max = duration{300'000};
  EXPECT_EQ(
      difference(chosen_policy{tuned(submit_mode::adaptive)},
                 with_longest_wait<adaptive>{.policy = adaptive{bounds}, .wait_max = duration{300'000}}),
      "");
}

TEST(ChosenPolicyTest, SaysWhatItWasMadeWithAndHowItDecidesNow) {
  EXPECT_EQ(chosen_policy{tuned(submit_mode::adaptive)}.settings(), tuned(submit_mode::adaptive));
  for (const submit_mode mode : submit_modes) {
    EXPECT_EQ(chosen_policy{asked(mode)}.mode(), mode);
    EXPECT_EQ(chosen_policy{asked(mode)}.changes(), 0U);
    EXPECT_EQ(chosen_policy{asked(mode)}.last_change().to, mode);
  }
}

TEST(ChosenPolicyTest, SaysWhatModeBalancedHasComeTo) {
  chosen_policy policy{asked(submit_mode::balanced)};
  policy.entered({.accepted = 2'000, .now = instant{1}});
  for (int k = 0; k < 128; ++k) policy.completed(duration{100'000});

  policy.reaped({.count = 128, .in_flight = 0, .now = instant{20'000'000}});

  EXPECT_EQ(policy.mode(), submit_mode::high_throughput);
  EXPECT_EQ(policy.changes(), 1U);
  EXPECT_EQ(policy.last_change().reason, mode_reason::fast_and_busy);
}

TEST(ChosenPolicyTest, SaysWhatModeAdaptiveHasComeTo) {
  chosen_policy policy{asked(submit_mode::adaptive)};
  for (std::uint64_t turn = 1; turn <= 100; ++turn) {
    const instant now{turn * 1'000'000};
    policy.queued({.depth = 1, .in_flight = 0, .now = now, .oldest = now});
    policy.entered({.accepted = 1, .now = now});
  }

  EXPECT_EQ(policy.mode(), submit_mode::low_latency);
  EXPECT_EQ(policy.changes(), 1U);
  EXPECT_EQ(policy.last_change().reason, mode_reason::long_turns);
}

TEST(ChosenPolicyTest, IsPrintedAsItsModeAndWhatThatGoesBy) {
  EXPECT_EQ(to_string(chosen_policy{asked(submit_mode::low_latency)}), "low-latency: batch 1 or 100 us");
  EXPECT_EQ(to_string(chosen_policy{asked(submit_mode::high_throughput)}),
            "high-throughput: batch 64 or 1000 us; waits gather for 1000 us");
  EXPECT_EQ(to_string(chosen_policy{asked(submit_mode::balanced)}), "balanced: " + to_string(balanced{}));
  EXPECT_EQ(to_string(chosen_policy{asked(submit_mode::adaptive)}), "adaptive: " + to_string(adaptive{}));
  EXPECT_TRUE(
      to_string(chosen_policy{tuned(submit_mode::adaptive)}).ends_with("nothing waits longer than 300 us"));
}

TEST(WithLongestWaitTest, EntersForWhatIsTooOldThoughThePolicySaysNo) {
  with_longest_wait<batch_or_idle> policy{.policy = {.batch = 64}, .wait_max = duration{100}};

  EXPECT_FALSE(policy.queued({.depth = 1, .in_flight = 0, .now = instant{200}, .oldest = instant{100}}));
  EXPECT_TRUE(policy.queued({.depth = 1, .in_flight = 0, .now = instant{201}, .oldest = instant{100}}));
  EXPECT_TRUE(policy.queued({.depth = 64, .in_flight = 0, .now = instant{100}, .oldest = instant{100}}));
  EXPECT_FALSE(policy.queued({.depth = 0, .in_flight = 0, .now = instant{900}, .oldest = instant{100}}));
}

}  // namespace
}  // namespace pinion::iosubmit
