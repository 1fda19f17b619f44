// SPDX-License-Identifier: Apache-2.0
//
// laws: each law of concept.hpp as plain functions from a channel factory to what broke, or to nothing.
//
// A law has several clauses, each a function. They know no test framework, so the same code proves a pair and
// kills a mutant, and can be run on an inbox of somebody else's.
#pragma once

#include <string>
#include <vector>

#include "any_channel.hpp"
#include "law.hpp"

namespace pinion::waker::testing {

using pinion::testing::broken;
using pinion::testing::violation;

struct clause {
  const char* law;   ///< "W1"
  const char* name;  ///< what holds, as a test is named
  violation (*check)(const channel_factory&);
  bool needs_w3 = false;  ///< holds only where pushes neither allocate nor wait
};
[[nodiscard]] inline bool is_for(const clause& c, const channel_factory& factory) {
  return !c.needs_w3 || factory.keeps_w3;
}
[[nodiscard]] inline std::string why_skipped(const clause&, const channel_factory& factory) {
  return factory.unavailable;
}

[[nodiscard]] std::vector<clause> no_lost_wake();           // W1
[[nodiscard]] std::vector<clause> one_signal_per_arm();     // W2
[[nodiscard]] std::vector<clause> no_allocation_no_drop();  // W3
[[nodiscard]] std::vector<clause> producers_order();        // W4
[[nodiscard]] std::vector<clause> lifetime();               // W5
[[nodiscard]] std::vector<clause> bounded_drain();          // W6
[[nodiscard]] std::vector<clause> already_there();          // W7

/// All of them.
[[nodiscard]] const std::vector<clause>& laws();

/// W1, W2, W5 and W7 under contention: for a program of its own, which ThreadSanitizer watches.
[[nodiscard]] std::vector<clause> between_threads();

}  // namespace pinion::waker::testing
