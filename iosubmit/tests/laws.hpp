// SPDX-License-Identifier: Apache-2.0
//
// laws: each law of concept.hpp as plain functions from a submission factory to what broke, or to nothing.
//
// A law has several clauses, each a function. They know no test framework, so the same code proves a policy
// and kills a mutant, and can be run on a policy of somebody else's.
#pragma once

#include <string>
#include <vector>

#include "any_submission.hpp"
#include "law.hpp"

namespace pinion::iosubmit::testing {

using pinion::testing::broken;
using pinion::testing::violation;

struct clause {
  const char* law;   ///< "S1"
  const char* name;  ///< what holds, as a test is named
  violation (*check)(const submission_factory&);
  bool needs_calm = false;  ///< scripts its faults itself: not over a ring that has its own
  bool counts_allocations = false;
};
[[nodiscard]] inline bool is_for(const clause& c, const submission_factory& factory) {
  return !(c.needs_calm && factory.is_faulty) && !(c.counts_allocations && factory.may_allocate);
}

[[nodiscard]] std::vector<clause> never_stranded();  // S1
[[nodiscard]] std::vector<clause> one_enter();       // S2
[[nodiscard]] std::vector<clause> pure_policy();     // S3
[[nodiscard]] std::vector<clause> not_starved();     // S4
[[nodiscard]] std::vector<clause> nothing_lost();    // S5
[[nodiscard]] std::vector<clause> no_answers();      // S6
[[nodiscard]] std::vector<clause> absolute_time();   // S7
[[nodiscard]] std::vector<clause> all_counted();     // S8
[[nodiscard]] std::vector<clause> urgent_ports();    // S9

/// All of them.
[[nodiscard]] const std::vector<clause>& laws();

}  // namespace pinion::iosubmit::testing
