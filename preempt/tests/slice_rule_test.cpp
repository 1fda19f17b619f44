// SPDX-License-Identifier: Apache-2.0
//
// The rule of slices: by its examples, against an oracle that looks at all queues each time, and with terms
// that are refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <pinion/preempt.hpp>
#include <random>
#include <string>
#include <vector>

namespace pinion::preempt {
namespace {

using namespace std::chrono_literals;
using queue = slice_rule::queue;

constexpr instant now{1'000'000'000};

queue added(slice_rule& rule, const queue_terms& terms) {
  const auto made = rule.add(terms);
  if (!made) ADD_FAILURE() << to_string(made.error());
  return made.value_or(queue{});
}

TEST(SliceRuleTest, ASliceIsTheQuantumOrTheTightestLatencyOfTheOthers) {
  slice_rule rule;
  const queue batch = added(rule, {.quantum = ceil(10ms)});
  const queue serve = added(rule, {.quantum = ceil(1ms), .latency = ceil(500us)});
  const queue idle = added(rule, {.quantum = ceil(5ms), .latency = ceil(2ms)});

  EXPECT_EQ(rule.slice_of(batch), ceil(500us));
  EXPECT_EQ(rule.slice_of(serve), ceil(1ms))
      << "its own latency does not bind it, and the others' is longer than its quantum";
  EXPECT_EQ(rule.slice_of(idle), ceil(500us));

  rule.remove(serve);
  EXPECT_EQ(rule.slice_of(batch), ceil(2ms));
  EXPECT_EQ(rule.slice_of(idle), ceil(5ms));
}

TEST(SliceRuleTest, TwoOfTheSameLatencyBindEachOther) {
  slice_rule rule;
  const queue one = added(rule, {.latency = ceil(100us)});
  const queue other = added(rule, {.latency = ceil(100us)});

  EXPECT_EQ(rule.slice_of(one), ceil(100us));
  EXPECT_EQ(rule.slice_of(other), ceil(100us));
}

TEST(SliceRuleTest, ASliceEndsForOthersOrForATimerAndElseNever) {
  slice_rule rule;
  const queue only = added(rule, {.quantum = ceil(1ms)});

  EXPECT_EQ(rule.end_of(only, {.now = now}), never);
  EXPECT_EQ(rule.end_of(only, {.now = now, .others_ready = true}), now + ceil(1ms));
  EXPECT_EQ(rule.end_of(only, {.now = now, .waits_for_others = true}), now + ceil(1ms));
  EXPECT_EQ(rule.end_of(only, {.now = now, .next_timer = now + ceil(3ms)}), now + ceil(3ms));
  EXPECT_EQ(rule.end_of(only, {.now = now, .others_ready = true, .next_timer = now + ceil(3ms)}),
            now + ceil(1ms));
  EXPECT_EQ(rule.end_of(only, {.now = now, .others_ready = true, .next_timer = now + ceil(300us)}),
            now + ceil(300us));
}

TEST(SliceRuleTest, ATimerThatIsDueLeavesASliceTheLeast) {
  slice_rule rule;
  const queue only = added(rule, {});

  for (const instant timer : {instant{0}, now, now + duration{1}, now + quantum_min}) {
    EXPECT_EQ(rule.end_of(only, {.now = now, .next_timer = timer}), now + quantum_min);
    EXPECT_EQ(rule.end_of(only, {.now = now, .others_ready = true, .next_timer = timer}), now + quantum_min);
  }
}

TEST(SliceRuleTest, EndsAtTheEndOfTimeAtTheLatest) {
  slice_rule rule;
  const queue only = added(rule, {.quantum = quantum_max});

  EXPECT_EQ(rule.end_of(only, {.now = instant{never.ns - 5}, .others_ready = true}), never);
}

TEST(SliceRuleTest, RefusesTermsInWordsAndStaysAsItWas) {
  struct refused {
    queue_terms terms;
    const char* because;
  };
  const refused all[] = {
      {{.quantum = duration{}}, "a quantum of 0 ns"},
      {{.quantum = ceil(-1ms)}, "negative std::chrono duration"},
      {{.quantum = duration{9'999}}, "a quantum of 9999 ns"},
      {{.quantum = ceil(11s)}, "above 10 s"},
      {{.quantum = ceil(std::chrono::hours::max())}, "above 10 s"},
      {{.quantum = forever}, "above 10 s"},
      {{.latency = duration{}}, "a latency of 0 ns"},
      {{.latency = duration{9'999}}, "a latency of 9999 ns"},
  };
  slice_rule rule;
  const queue kept = added(rule, {.quantum = ceil(2ms)});

  for (const refused& each : all) {
    const auto made = rule.add(each.terms);
    const auto changed = rule.change(kept, each.terms);
    ASSERT_FALSE(made) << each.because;
    ASSERT_FALSE(changed) << each.because;
    const std::string why = to_string(made.error());
    EXPECT_NE(why.find(each.because), std::string::npos) << why;
    EXPECT_EQ(made.error().code, std::errc::invalid_argument);
    EXPECT_FALSE(made.error().remedy.empty());
    EXPECT_EQ(why, to_string(changed.error()));
  }

  EXPECT_EQ(rule.slice_of(kept), ceil(2ms));
  EXPECT_EQ(rule.terms(kept), (queue_terms{.quantum = ceil(2ms)}));
}

TEST(SliceRuleTest, TakesTheLeastAndTheMost) {
  slice_rule rule;

  EXPECT_TRUE(rule.add({.quantum = quantum_min, .latency = quantum_min}));
  EXPECT_TRUE(rule.add({.quantum = quantum_max, .latency = ceil(24h)}));
}

// All terms, looked at each time.
struct oracle {
  std::map<std::uint32_t, queue_terms> queues;

  [[nodiscard]] duration slice_of(std::uint32_t which) const {
    duration slice = queues.at(which).quantum;
    for (const auto& [number, terms] : queues)
      if (number != which) slice = std::min(slice, terms.latency);
    return slice;
  }
  [[nodiscard]] instant end_of(std::uint32_t which, const slice_state& state) const {
    instant end = never;
    if (state.others_ready || state.waits_for_others) end = state.now + slice_of(which);
    if (state.next_timer != never)
      end = std::min(end, std::max(state.next_timer, state.now + duration{10'000}));
    return end;
  }
};

TEST(SliceRuleTest, SaysWhatAnOracleSaysWhateverIsDone) {
  std::mt19937_64 numbers{1};
  const auto below = [&](std::uint64_t n) { return numbers() % n; };
  // Few different ones, so that some are the same.
  const auto any_terms = [&] {
    return queue_terms{.quantum = duration{10'000 * (1 + below(8))},
                       .latency = below(3) == 0 ? forever : duration{10'000 * (1 + below(6))}};
  };
  for (int run = 0; run < 200; ++run) {
    slice_rule rule;
    oracle right;
    for (int step = 0; step < 60; ++step) {
      const auto pick = [&] {
        return std::next(right.queues.begin(), static_cast<std::ptrdiff_t>(below(right.queues.size())));
      };
      const std::uint64_t what = below(4);
      if (right.queues.empty() || what < 2) {
        const queue_terms terms = any_terms();
        const auto number = static_cast<std::uint32_t>(added(rule, terms));
        ASSERT_TRUE(right.queues.emplace(number, terms).second) << "a number that is in use was given again";
      } else if (what == 2) {
        const auto gone = pick();
        rule.remove(queue{gone->first});
        right.queues.erase(gone);
      } else {
        const auto other = pick();
        other->second = any_terms();
        ASSERT_TRUE(rule.change(queue{other->first}, other->second));
      }
      const slice_state state{.now = now,
                              .others_ready = below(2) == 0,
                              .next_timer =
                                  below(3) == 0 ? never : now - duration{20'000} + duration{below(120'000)},
                              .waits_for_others = below(2) == 0};
      for (const auto& [number, terms] : right.queues) {
        ASSERT_EQ(rule.slice_of(queue{number}), right.slice_of(number)) << "run " << run << ", step " << step;
        ASSERT_EQ(rule.end_of(queue{number}, state), right.end_of(number, state))
            << "run " << run << ", step " << step;
        ASSERT_EQ(rule.terms(queue{number}), terms);
      }
    }
  }
}

}  // namespace
}  // namespace pinion::preempt
