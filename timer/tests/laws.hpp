// SPDX-License-Identifier: Apache-2.0
//
// laws: each law of concept.hpp as plain functions from a store factory to what broke, or to nothing.
//
// A law has several clauses, each a function. They know no test framework, so the same code proves a backend
// and kills a mutant, and can be run on a store of somebody else's.
#pragma once

#include <string>
#include <vector>

#include "any_store.hpp"
#include "law.hpp"

namespace pinion::timer::testing {

struct clause {
  const char* law;   ///< "T1"
  const char* name;  ///< what holds, as a test is named
  violation (*check)(const store_factory&);
  bool needs_checked = false;  ///< it counts work or expects a contract violation
};

/// Why what needs a checked build can't be tried in this one; empty if it can.
[[nodiscard]] inline const char* unless_checked(bool needs_checked) {
  return needs_checked && !is_checked ? "counts work or expects a contract violation: only in a checked build"
                                      : "";
}
[[nodiscard]] inline std::string why_skipped(const clause& c, const store_factory&) {
  return unless_checked(c.needs_checked);
}

[[nodiscard]] std::vector<clause> never_early();       // T1
[[nodiscard]] std::vector<clause> never_lost();        // T2
[[nodiscard]] std::vector<clause> bounded_lateness();  // T3
[[nodiscard]] std::vector<clause> honest_wakeup();     // T4
[[nodiscard]] std::vector<clause> safe_handles();      // T5
[[nodiscard]] std::vector<clause> bounded_poll();      // T6
[[nodiscard]] std::vector<clause> re_entrancy();       // T7
[[nodiscard]] std::vector<clause> cost();              // T8
[[nodiscard]] std::vector<clause> allocations();       // T9
[[nodiscard]] std::vector<clause> any_epoch();         // T10
[[nodiscard]] std::vector<clause> order();             // T11

/// All of them.
[[nodiscard]] const std::vector<clause>& laws();

/// Runs one clause. Where the store can check itself, it does so after every step, and what it finds is the
/// violation.
[[nodiscard]] violation check_clause(const clause& c, const store_factory& factory);

}  // namespace pinion::timer::testing
