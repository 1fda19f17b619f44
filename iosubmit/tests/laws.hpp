// SPDX-License-Identifier: Apache-2.0
//
// laws: each law of concept.hpp as plain functions from a submission factory to what broke, or to nothing.
//
// A law has several clauses, each a function. They know no test framework, so the same code proves a policy and kills a mutant, and
// can be run on a policy of somebody else's.
#pragma once

#include <string>
#include <vector>

#include "any_submission.hpp"
#include "violation.hpp"

namespace pinion::iosubmit::testing {

using pinion::testing::violation;

/// A violation from words and numbers, with the seed.
template <class... Words>
violation broken(const submission_factory& factory, const Words&... words) {
  return pinion::testing::in_words(words..., " (seed ", factory.seed, ')');
}

struct clause {
  const char* law;   ///< "S1"
  const char* name;  ///< what holds, as a test is named
  violation (*check)(const submission_factory&);
  bool needs_calm = false;  ///< scripts its faults itself: not over a ring that has its own
};

[[nodiscard]] std::vector<clause> never_stranded();  // S1
[[nodiscard]] std::vector<clause> one_enter();       // S2
[[nodiscard]] std::vector<clause> pure_policy();     // S3
[[nodiscard]] std::vector<clause> not_starved();     // S4
[[nodiscard]] std::vector<clause> nothing_lost();    // S5

/// All of them.
[[nodiscard]] const std::vector<clause>& laws();

/// Runs the clauses of one law, in order, up to the first violation.
[[nodiscard]] violation check_law(const std::string& law, const submission_factory& factory);

}  // namespace pinion::iosubmit::testing
