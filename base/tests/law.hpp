// SPDX-License-Identifier: Apache-2.0
//
// What the laws of all parts have in common. They know no test framework: law_suite.hpp makes tests of them.
//
// A part brings a `clause`, a struct with `law`, `name` and `check`, a function from a factory to a
// violation; a factory, a struct with `name`, `seed` and what makes one; and a list of each. What it has to
// say beyond that it says by a function of its own beside them, which is found in the place of the one here:
//
//   bool is_for(const clause& c, const factory& f) { return !c.needs_room || f.has_room; }
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "violation.hpp"

namespace pinion::testing {

/// Whether the clause says anything of such a thing. If not there is no test.
template <class Clause, class Factory>
[[nodiscard]] bool is_for(const Clause&, const Factory&) {
  return true;
}

/// Why it can't be tried in this build or on this machine; empty if it can.
template <class Clause, class Factory>
[[nodiscard]] std::string why_skipped(const Clause&, const Factory&) {
  return {};
}

/// Runs one clause.
template <class Clause, class Factory>
[[nodiscard]] violation check_clause(const Clause& c, const Factory& factory) {
  return c.check(factory);
}

/// Runs the clauses of one law that are for such a thing and can be tried, in order, up to the first
/// violation: of the law itself, whatever else check_clause() looks at.
template <class Clause, class Factory>
[[nodiscard]] violation check_law(const std::vector<Clause>& laws, const std::string& law,
                                  const Factory& factory) {
  for (const Clause& c : laws) {
    if (law != c.law || !is_for(c, factory) || !why_skipped(c, factory).empty()) continue;
    if (violation what = c.check(factory)) return what;
  }
  return {};
}

/// Several laws as one list.
template <class Clause>
[[nodiscard]] std::vector<Clause> joined(std::initializer_list<std::vector<Clause>> laws) {
  std::vector<Clause> all;
  for (const auto& law : laws) all.insert(all.end(), law.begin(), law.end());
  return all;
}

/// What is right but for one defect. Without that it is the mutant's frame, and keeps every law: otherwise a
/// kill could be the frame's doing.
template <class Factory>
struct mutant_of {
  const char* law;        ///< that kills it
  Factory factory;        ///< its name is the mutant's
  const Factory* frame;   ///< one object for all mutants that share it, there to the program's end
  std::string origin{};   ///< the design text or project that has the defect, as "001 (e)"
  std::string skipped{};  ///< why it can't be tried in this build
};

/// A violation from words and numbers, with the seed.
template <class Factory, class... Words>
[[nodiscard]] violation broken(const Factory& factory, const Words&... words) {
  return in_words(words..., " (seed ", factory.seed, ')');
}

}  // namespace pinion::testing
