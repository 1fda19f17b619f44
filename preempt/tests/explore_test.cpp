// SPDX-License-Identifier: Apache-2.0
//
// The word, the board and the gate under the interleavings of two or three threads, with every stale value that their orders allow.
//
// Each is searched in order, to the end where the table says so: then nothing breaks with at most so many preemptions. The search of the
// others is cut short. After each come random executions with any number of preemptions. What was gone through is printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <optional>
#include <pinion/sim/explored_sync.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "explored_scenarios.hpp"

namespace pinion::preempt::testing {
namespace {

using sim::explored_sync;

constexpr sim::limits usual{.executions_max = 20'000, .random_executions = 3'000};

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
    // An owner spins, and each look may be at any value of the word: without a preemption there are 150,000 executions and more.
    {"an owner who rests", std::nullopt},
    {"two owners who rest", std::nullopt},
};

sim::exploration in_order(const char* name, const auto& scenario) {
  const auto* const is =
      std::find_if(std::begin(bounds), std::end(bounds), [&](const bound& b) { return b.name == name; });
  if (is == std::end(bounds)) throw std::logic_error(std::string{name} + " has no bound");
  sim::limits limits{.executions_max = usual.executions_max, .random_executions = 0};
  if (is->preemptions_max)
    limits = {.preemptions_max = *is->preemptions_max, .executions_max = 60'000, .random_executions = 0};
  sim::exploration found = sim::explore(scenario, limits);
  std::cout << name << ": " << found.executions << " executions, " << (found.is_complete ? "all" : "not all")
            << " with at most " << limits.preemptions_max << " preemptions, longest " << found.longest
            << '\n';
  if (found) {
    EXPECT_EQ(found.is_complete, is->preemptions_max.has_value()) << name << ": the table says otherwise";
  }
  return found;
}

TEST(explored, NoSliceIsCutShortAndNoOwnerForgotten) {
  const auto explore = [](const char* name, const auto& scenario) { return in_order(name, scenario); };

  EXPECT_EQ(what_breaks<explored_sync>(explore), "");
}

TEST(explored, NorAtRandom) {
  constexpr sim::limits random{.executions_max = 0, .random_executions = usual.random_executions};
  const auto explore = [&](const char*, const auto& scenario) { return sim::explore(scenario, random); };

  EXPECT_EQ(what_breaks<explored_sync>(explore), "");
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
