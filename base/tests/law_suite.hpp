// SPDX-License-Identifier: Apache-2.0
//
// The laws of a part as tests: each clause for each backend, and each mutant by the law that must kill it.
//
//   [[maybe_unused]] const bool are_listed = (add_laws(laws(), backends()), add_mutants(laws(), mutants()), true);
//
//   <part>_conformance --gtest_filter='my_backend*'     one backend
//   <part>_conformance --gtest_filter='mutants.*'       what the suite is worth
//   PINION_TEST_SEED=7 <part>_conformance               other numbers; a failure prints the seed it had
//
// What a part brings is told in law.hpp.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "law.hpp"
#include "listed_test.hpp"

namespace pinion::testing {

template <class Clause, class Factory>
void law_holds(const Clause& c, const Factory& backend) {
  if (const std::string why = why_skipped(c, backend); !why.empty()) GTEST_SKIP() << why;
  const violation what = check_clause(c, backend);
  EXPECT_FALSE(what) << "law " << c.law << " is broken by " << backend.name << ": " << what.what();
}

template <class Clause, class Factory>
void is_killed(const std::vector<Clause>& laws, const mutant_of<Factory>& m) {
  if (!m.skipped.empty()) GTEST_SKIP() << m.skipped;
  const violation what = check_law(laws, m.law, m.factory);
  EXPECT_TRUE(what) << "mutant " << m.factory.name << " is alive: law " << m.law << " did not see it";
  std::cout << "mutant " << m.factory.name << (m.origin.empty() ? "" : " (" + m.origin + ')')
            << ", killed by " << m.law << ": " << what.what() << '\n';
}

/// `judging`: the laws that kill mutants of this frame. Each must have something to say of it.
template <class Clause, class Factory>
void keeps_every_law(const std::vector<Clause>& laws, const Factory& frame, std::set<std::string> judging) {
  std::set<std::string> skipped;
  for (const Clause& c : laws) {
    if (!is_for(c, frame)) continue;
    if (!why_skipped(c, frame).empty()) {
      skipped.insert(c.law);
      continue;
    }
    judging.erase(c.law);
    const violation what = c.check(frame);
    EXPECT_FALSE(what) << frame.name << " breaks law " << c.law << " without a defect, " << c.name << ": "
                       << what.what();
  }
  for (const std::string& law : judging) {
    EXPECT_TRUE(skipped.contains(law)) << "no clause of " << law << " is for " << frame.name;
  }
}

/// A test for each of these clauses and each backend that it is for.
template <class Clause, class Factory>
void add_laws(const std::vector<Clause>& laws, const std::vector<Factory>& backends) {
  for (Factory backend : backends) {
    backend.seed = seed_from_environment();
    for (const Clause& c : laws) {
      if (!is_for(c, backend)) continue;
      add_test(backend.name, std::string{c.law} + c.name, [c, backend] { law_holds(c, backend); });
    }
  }
}

/// A frame, and the laws that kill mutants of it.
template <class Factory>
struct judged_frame {
  Factory frame;
  std::set<std::string> judging{};
};

/// Each frame of these mutants once. Frames are told apart as objects: two may have one name.
template <class Factory>
[[nodiscard]] std::vector<judged_frame<Factory>> frames_of(const std::vector<mutant_of<Factory>>& mutants) {
  std::map<const Factory*, std::size_t> places;
  std::vector<judged_frame<Factory>> frames;
  for (const auto& m : mutants) {
    const auto [known, is_new] = places.emplace(m.frame, frames.size());
    if (is_new) frames.push_back({*m.frame});
    frames[known->second].judging.insert(m.law);
  }
  return frames;
}

/// Adds a test for each mutant, a test for each frame that mutants have, and a test that every law has a
/// mutant.
template <class Clause, class Factory>
void add_mutants(const std::vector<Clause>& laws, const std::vector<mutant_of<Factory>>& mutants) {
  std::set<std::string> unproven;
  for (const Clause& c : laws) unproven.insert(c.law);
  for (mutant_of<Factory> m : mutants) {
    m.factory.seed = seed_from_environment();
    unproven.erase(m.law);
    add_test("mutants", m.factory.name + "IsKilledBy" + m.law, [laws, m] { is_killed(laws, m); });
  }
  for (auto [frame, judging] : frames_of(mutants)) {
    frame.seed = seed_from_environment();
    add_test("frames", frame.name + "WithoutADefectKeepsEveryLaw",
             [laws, frame, judging] { keeps_every_law(laws, frame, judging); });
  }
  add_test("suite", "HasAMutantForEveryLaw", [unproven] {
    EXPECT_TRUE(unproven.empty()) << "no mutant shows that the suite would see a breach of "
                                  << *unproven.begin();
  });
}

}  // namespace pinion::testing
