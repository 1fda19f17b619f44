// SPDX-License-Identifier: Apache-2.0
//
// The word, the board and the gate under the interleavings of two or three threads, with every stale value
// that their orders allow.
//
// Each is searched in order, to the end where the table says so: then nothing breaks with at most so many
// preemptions. The search of the others is cut short. After each come random executions with any number of
// preemptions. What was gone through is printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <optional>
#include <pinion/sim/explored_sync.hpp>
#include <string>
#include <string_view>

#include "explored_scenarios.hpp"
#include "to_the_end.hpp"

namespace pinion::preempt::testing {
namespace {

using sim::explored_sync;

constexpr sim::limits usual{.executions_max = 20'000, .random_executions = 10'000};

struct bound {
  std::string_view name;
  std::optional<std::uint32_t> preemptions_max;  // to the end with so many; none: cut short
};

constexpr bound bounds[] = {
    {"one late end", 3},
    {"two late ends", 3},
    {"ends of one owner's slices", 3},
    {"ends of two owners' slices", 1},
    {"an end before sleep", 3},
    {"a call before sleep", 3},
    {"a ticker that ends", 1},
    {"a ticker that ends at rest", 0},
    // An owner spins, and each look may be at any value of the word: without a preemption there are 150,000
    // executions and more.
    {"an owner who rests", std::nullopt},
    {"two owners who rest", std::nullopt},
};

std::string judge(const char* name, const auto& scenario) {
  const auto* const is =
      std::find_if(std::begin(bounds), std::end(bounds), [&](const bound& b) { return b.name == name; });
  if (is == std::end(bounds)) return std::string{name} + " has no bound";
  if (is->preemptions_max) return sim::testing::what_breaks_to_the_end(name, scenario, *is->preemptions_max);
  const sim::exploration some =
      sim::explore(scenario, {.executions_max = usual.executions_max, .random_executions = 0});
  std::cout << name << ": the first " << some.executions << " executions, longest " << some.longest << '\n';
  if (!some) return std::string{name} + ": " + some.report();
  if (some.is_complete) return std::string{name} + " is searched to the end by now: say so in the table";
  return sim::testing::what_breaks_at_random(name, scenario, usual.random_executions);
}

TEST(explored, NoSliceIsCutShortAndNoOwnerForgotten) {
  EXPECT_EQ(what_breaks<explored_sync>(
                [](const char* name, const auto& scenario) { return judge(name, scenario); }),
            "");
}

// What a word without a number comes to: the end is stored, whichever slice runs.
template <class Sync>
struct plain_flag : basic_slice_word<Sync> {
  bool end(std::uint32_t slice) {
    this->bits_.store(this->bits_.load(std::memory_order_relaxed) | basic_word<Sync>::due,
                      std::memory_order_relaxed);
    return (slice & basic_word<Sync>::due) == 0;
  }
};

TEST(explored, AFlagThatIsStoredCutsTheNextSliceShort) {
  const sim::exploration found = sim::explore(late_ends<explored_sync, plain_flag<explored_sync>>(1), usual);

  EXPECT_EQ(found.violation, "a slice is over that nobody has ended") << found.report();
}

}  // namespace
}  // namespace pinion::preempt::testing
