// SPDX-License-Identifier: Apache-2.0
//
// laws: each law of concept.hpp as plain functions from a source factory to what broke, or to nothing.
//
// A law has several clauses, each a function. They know no test framework, so the same code proves a source
// and kills a mutant, and can be run on a source of somebody else's.
#pragma once

#include <string>
#include <vector>

#include "any_source.hpp"
#include "law.hpp"

namespace pinion::preempt::testing {

using pinion::testing::broken;
using pinion::testing::violation;

/// Which sources a clause is for.
enum class kinds : std::uint8_t {
  all,
  not_asking,   ///< a check is two loads
  counting,     ///< due by what is done
  timed,        ///< due by time
  never_early,  ///< of these, those that nothing else ends
  seeing,       ///< those that see stalls
};

struct clause {
  const char* law;   ///< "Y1"
  const char* name;  ///< what holds, as a test is named
  violation (*check)(const source_factory&);
  kinds of = kinds::all;
};

[[nodiscard]] bool is_for(const clause& c, const source_factory& factory);

[[nodiscard]] std::vector<clause> cheap_check();       // Y1
[[nodiscard]] std::vector<clause> no_false_promise();  // Y2
[[nodiscard]] std::vector<clause> seen();              // Y3
[[nodiscard]] std::vector<clause> quiet();             // Y4

/// All of them.
[[nodiscard]] const std::vector<clause>& laws();

/// Looks as often as it may take that source to say that it is due.
[[nodiscard]] inline bool looks_due(any_source& source, const source_factory& factory, std::size_t who = 0) {
  for (std::uint32_t k = 0; k < factory.checks_max; ++k)
    if (source.is_due(who)) return true;
  return false;
}

}  // namespace pinion::preempt::testing
