// SPDX-License-Identifier: Apache-2.0
//
// What adaptive decides, hook by hook.
#include <gtest/gtest.h>

#include <cstdint>
#include <pinion/iosubmit.hpp>
#include <string>
#include <string_view>
#include <type_traits>

namespace pinion::iosubmit {
namespace {

constexpr instant start{1'000'000};
constexpr instant after(std::uint64_t ns) { return start + duration{ns}; }
constexpr queue_state at(instant now, std::uint32_t depth, std::uint32_t in_flight = 0) {
  return {.depth = depth, .in_flight = in_flight, .now = now, .oldest = now};
}

// Turns of that length that queue so many operations each, which are entered at their end if not before. The
// last turn's end.
instant run_turns(adaptive& policy, int turns, std::uint64_t turn_ns, std::uint32_t operations,
                  instant now = start) {
  for (; turns != 0; --turns) {
    std::uint32_t depth = 0;
    for (std::uint32_t i = 0; i < operations; ++i) {
      if (!policy.queued(at(now, ++depth))) continue;
      policy.entered({.accepted = depth, .now = now});
      depth = 0;
    }
    now = now + duration{turn_ns};
    if (depth != 0 && policy.queued(at(now, depth))) policy.entered({.accepted = depth, .now = now});
    policy.reaped({.count = operations, .in_flight = 0, .now = now});
  }
  return now;
}

// One that knows of answers that took so long, and is to park with that much in flight.
adaptive with_answers(std::uint64_t quickest_ns, const adaptive_options& options = {}) {
  adaptive policy{options};
  for (std::uint32_t i = 0; i < 2 * options.answers; ++i)
    policy.completed(duration{quickest_ns + i % options.answers});
  return policy;
}

TEST(AdaptiveTest, IsAPolicyThatIsToldLatencies) {
  EXPECT_TRUE(submit_policy<adaptive>);
  EXPECT_TRUE(latency_policy<adaptive>);
}

TEST(AdaptiveTest, EntersWhenWhatAllHaveWaitedAddsUpToThePriceOfAnEnter) {
  adaptive one{{.enter_cost = duration{1'000}}};
  adaptive ten{{.enter_cost = duration{1'000}}};

  EXPECT_FALSE(one.queued(at(start, 1)));
  EXPECT_FALSE(one.queued(at(after(999), 1)));
  EXPECT_TRUE(one.queued(at(after(1'000), 1)));
  for (std::uint32_t i = 1; i <= 10; ++i) EXPECT_FALSE(ten.queued(at(start, i)));
  EXPECT_FALSE(ten.queued(at(after(99), 10)));
  EXPECT_TRUE(ten.queued(at(after(100), 10)));
}

TEST(AdaptiveTest, CountsTheWaitingFromEachOperationsOwnTurn) {
  adaptive policy{{.enter_cost = duration{1'000}}};

  EXPECT_FALSE(policy.queued(at(start, 1)));
  EXPECT_FALSE(policy.queued(at(after(400), 2)));  // 400 by the first
  EXPECT_FALSE(policy.queued(at(after(600), 2)));  // and 200 by each of two
  EXPECT_EQ(policy.waited(), duration{800});
  EXPECT_TRUE(policy.queued(at(after(700), 2)));
}

TEST(AdaptiveTest, ForgetsTheWaitingOfWhatWasEntered) {
  adaptive policy{{.enter_cost = duration{1'000}}};
  ASSERT_FALSE(policy.queued(at(start, 1)));
  ASSERT_TRUE(policy.queued(at(after(1'000), 1)));

  policy.entered({.accepted = 1, .now = after(1'000)});

  EXPECT_EQ(policy.waited(), duration{});
  EXPECT_FALSE(policy.queued(at(after(1'000), 1)));
  EXPECT_FALSE(policy.queued(at(after(1'500), 1)));
}

TEST(AdaptiveTest, EntersAFullBatchWhateverItHasWaited) {
  adaptive policy{{.batch_max = 3}};

  EXPECT_FALSE(policy.queued(at(start, 1)));
  EXPECT_FALSE(policy.queued(at(start, 2)));
  EXPECT_TRUE(policy.queued(at(start, 3)));
}

TEST(AdaptiveTest, NeverEntersForNothing) {
  adaptive policy{{.enter_cost = duration{}, .batch_max = 0}};

  EXPECT_FALSE(policy.queued(at(start, 0)));
  EXPECT_FALSE(policy.queued(at(after(1'000'000), 0)));
}

TEST(AdaptiveTest, EntersAtOnceWhereTurnsAreLongAndOperationsFew) {
  adaptive policy;
  const instant now = run_turns(policy, 100, 100'000, 1);

  EXPECT_TRUE(policy.enters_at_once());
  EXPECT_TRUE(policy.queued(at(now, 1)));
}

TEST(AdaptiveTest, WaitsForTheTurnsEndWhereTurnsAreShortOrFullOfOperations) {
  adaptive with_short_turns;
  adaptive with_full_turns;
  const instant end_of_short = run_turns(with_short_turns, 100, 30'000, 1);
  const instant end_of_full = run_turns(with_full_turns, 100, 100'000, 50);

  EXPECT_FALSE(with_short_turns.queued(at(end_of_short, 1)));
  EXPECT_FALSE(with_full_turns.queued(at(end_of_full, 1)));
}

TEST(AdaptiveTest, LearnsAnewWhenTurnsBecomeShort) {
  adaptive policy;
  const instant now = run_turns(policy, 100, 100'000, 1);
  ASSERT_TRUE(policy.enters_at_once());

  run_turns(policy, 100, 5'000, 1, now);

  EXPECT_FALSE(policy.enters_at_once());
  EXPECT_EQ(policy.changes(), 2U);
  EXPECT_GT(policy.changed(), now);
}

TEST(AdaptiveTest, TakesAveragesOverAsManyTurnsAsItIsTold) {
  adaptive by_the_last{{.turns = 1}};
  adaptive by_many{{.turns = 64}};

  run_turns(by_the_last, 1, 100'000, 1);
  run_turns(by_many, 1, 100'000, 1);

  EXPECT_EQ(by_the_last.turn(), duration{100'000});
  EXPECT_TRUE(by_the_last.enters_at_once());
  EXPECT_EQ(by_many.turn(), duration{100'000 / 64});
  EXPECT_FALSE(by_many.enters_at_once());
}

TEST(AdaptiveTest, CountsATurnOfFewOperationsAsOneOfTheLeastThatItIsTold) {
  adaptive of_one{{.operations_min = 1}};
  adaptive of_ten{{.operations_min = 10}};

  run_turns(of_one, 200, 30'000, 1);
  run_turns(of_ten, 200, 100'000, 1);

  EXPECT_TRUE(of_one.enters_at_once());
  EXPECT_FALSE(of_ten.enters_at_once());
}

TEST(AdaptiveTest, CountsATurnAsNoLongerThanItIsTold) {
  adaptive policy{{.turns = 1, .turn_max = duration{50'000}}};
  adaptive endless{{.turns = 1, .turn_max = forever}};

  run_turns(policy, 3, 1'000'000, 1);
  run_turns(endless, 3, 1'000'000'000'000'000'000, 1);

  EXPECT_EQ(policy.turn(), duration{50'000});
  EXPECT_EQ(endless.turn(), duration{3'600'000'000'000});
  EXPECT_TRUE(endless.enters_at_once());
}

TEST(AdaptiveTest, NamesItsTwoWaysAsModesAndSaysWhyItChanged) {
  adaptive policy;
  const mode_change at_first = policy.last_change();
  const instant now = run_turns(policy, 100, 100'000, 1);
  const mode_change to_at_once = policy.last_change();

  run_turns(policy, 100, 5'000, 1, now);

  EXPECT_TRUE(has_modes<adaptive>);
  EXPECT_EQ(at_first, (mode_change{.from = submit_mode::adaptive, .to = submit_mode::adaptive}));
  EXPECT_EQ(to_at_once.to, submit_mode::low_latency);
  EXPECT_EQ(to_at_once.reason, mode_reason::long_turns);
  EXPECT_EQ(policy.mode(), submit_mode::adaptive);
  EXPECT_EQ(policy.last_change(), (mode_change{.from = submit_mode::low_latency,
                                               .to = submit_mode::adaptive,
                                               .reason = mode_reason::neither,
                                               .at = policy.changed()}));
}

TEST(AdaptiveTest, TakesNoSleepForATurn) {
  adaptive policy;
  instant now = start;

  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(policy.queued(at(now, 1)));
    now = now + duration{1'000};
    policy.about_to_park(at(now, 1));
    policy.entered({.accepted = 1, .now = now});
    now = now + duration{50'000'000};
    policy.reaped({.count = 1, .in_flight = 0, .now = now});
  }

  EXPECT_FALSE(policy.enters_at_once());
  EXPECT_LE(policy.turn(), duration{1'000});
}

TEST(AdaptiveTest, WaitsForOneUntilItKnowsHowLongAnswersTake) {
  adaptive policy;

  EXPECT_EQ(policy.about_to_park(at(start, 0, 100)), park_wait{});
  policy.completed(duration{10'000'000});
  EXPECT_EQ(policy.about_to_park(at(start, 0, 100)), park_wait{});
}

TEST(AdaptiveTest, GathersAShareOfWhatIsOutForTheSameShareOfTheQuickestAnswer) {
  adaptive policy = with_answers(2'000'000);

  EXPECT_EQ(policy.about_to_park(at(start, 8, 32)), (park_wait{.count = 10, .gather = duration{500'000}}));
}

TEST(AdaptiveTest, GathersNoLongerThanItsBound) {
  adaptive policy = with_answers(20'000'000);

  EXPECT_EQ(policy.about_to_park(at(start, 0, 32)).gather, adaptive_options{}.gather_max);
}

TEST(AdaptiveTest, OneQuickAnswerEndsTheGatheringForAsLongAsItIsRemembered) {
  adaptive policy = with_answers(2'000'000);

  policy.completed(duration{3'000});
  EXPECT_EQ(policy.about_to_park(at(start, 0, 32)), park_wait{});
  for (std::uint32_t i = 0; i < policy.options().answers; ++i) policy.completed(duration{2'000'000});
  EXPECT_EQ(policy.about_to_park(at(start, 0, 32)), park_wait{});
  for (std::uint32_t i = 0; i < policy.options().answers; ++i) policy.completed(duration{2'000'000});
  EXPECT_EQ(policy.about_to_park(at(start, 0, 32)).count, 8U);
}

TEST(AdaptiveTest, WaitsForOneWhereLittleIsOutOrAskedNotToGather) {
  adaptive with_little = with_answers(2'000'000);
  adaptive without_a_share = with_answers(2'000'000, {.share = 0});

  EXPECT_EQ(with_little.about_to_park(at(start, 1, 6)), park_wait{});
  EXPECT_EQ(without_a_share.about_to_park(at(start, 0, 100)), park_wait{});
}

TEST(AdaptiveTest, RestsAfterAWaitThatGatheredInVain) {
  adaptive policy = with_answers(2'000'000, {.rest = 3});
  ASSERT_EQ(policy.about_to_park(at(start, 0, 32)).count, 8U);

  policy.reaped({.count = 1, .in_flight = 31, .now = after(600'000)});

  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(policy.about_to_park(at(after(600'000), 0, 32)), park_wait{});
    policy.reaped({.count = 1, .in_flight = 31, .now = after(600'000)});
  }
  EXPECT_EQ(policy.about_to_park(at(after(600'000), 0, 32)).count, 8U);
}

TEST(AdaptiveTest, GathersOnAsLongAsItBringsTwo) {
  adaptive policy = with_answers(2'000'000);

  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(policy.about_to_park(at(start, 0, 32)).count, 8U);
    policy.reaped({.count = 2, .in_flight = 30, .now = start});
  }
}

TEST(AdaptiveTest, StandsClocksThatGoBackOrJump) {
  adaptive policy;

  EXPECT_FALSE(policy.queued(at(start, 1)));
  EXPECT_FALSE(policy.queued(at(instant{5}, 2)));
  EXPECT_TRUE(policy.queued(at(instant{never.ns - 1}, 2)));
  policy.entered({.accepted = 7, .now = instant{5}});
  run_turns(policy, 100, 5'000, 1);

  EXPECT_FALSE(policy.enters_at_once());
  EXPECT_FALSE(policy.queued(at(instant{5}, 1)));
  EXPECT_TRUE(policy.queued(at(instant{5'000}, 1)));
}

TEST(AdaptiveTest, IsPrintedInOneLine) {
  adaptive policy = with_answers(2'000'000);
  EXPECT_EQ(to_string(policy),
            "at the end of turns; turns of 0 us with 0.0 operations; waits gather for 500 us");

  run_turns(policy, 200, 100'000, 1);

  EXPECT_NE(to_string(policy).find("at once since 1"), std::string::npos) << to_string(policy);
  EXPECT_NE(to_string(policy).find("with 0.9 operations"), std::string::npos) << to_string(policy);
}

// By text: default_policy is made of the option, so a comparison with the option itself would hold whatever
// it says.
TEST(DefaultPolicyTest, IsTheOneThatTheBuildWasTold) {
#define PINION_TEXT_OF(name) #name
#define PINION_NAME_OF(macro) PINION_TEXT_OF(macro)
  constexpr std::string_view told = PINION_NAME_OF(PINION_POLICY_DEFAULT);
#undef PINION_NAME_OF
#undef PINION_TEXT_OF

  EXPECT_EQ((std::is_same_v<default_policy, chosen_policy>), told == "chosen_policy");
  EXPECT_EQ((std::is_same_v<default_policy, adaptive>), told == "adaptive");
  EXPECT_EQ((std::is_same_v<default_policy, balanced>), told == "balanced");
  EXPECT_EQ((std::is_same_v<default_policy, batch_or_idle>), told == "batch_or_idle");
  EXPECT_EQ((std::is_same_v<default_policy, each_turn>), told == "each_turn");
  EXPECT_EQ((std::is_same_v<default_policy, immediate>), told == "immediate");
  EXPECT_EQ((std::is_same_v<default_policy, low_latency>), told == "low_latency");
  EXPECT_EQ((std::is_same_v<default_policy, high_throughput>), told == "high_throughput");
}

}  // namespace
}  // namespace pinion::iosubmit
