// SPDX-License-Identifier: Apache-2.0
//
// The word, the board and the gate under every interleaving of two or three threads, with every stale value that their orders allow.
//
// What each exploration went through is printed: executions, whether that was all within the limits, and the longest one.
#include <gtest/gtest.h>

#include <iostream>
#include <pinion/sim/explored_sync.hpp>
#include <string>

#include "explored_scenarios.hpp"

namespace pinion::preempt::testing {
namespace {

using sim::explored_sync;

constexpr sim::limits usual{.executions_max = 20'000, .random_executions = 5'000};

TEST(explored, NoSliceIsCutShortAndNoOwnerForgotten) {
  const auto print = [](const char* name, const sim::exploration& found) {
    std::cout << name << ": " << found.executions << " executions, "
              << (found.is_complete ? "complete" : "not complete") << ", longest " << found.longest << '\n';
  };

  EXPECT_EQ(what_breaks<explored_sync>(usual, print), "");
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
