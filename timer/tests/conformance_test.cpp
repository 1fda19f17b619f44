// SPDX-License-Identifier: Apache-2.0
//
// Every law against every backend, and every mutant against the law that must kill it.
//
//   timer_conformance --gtest_filter='ordered_map.*'    one backend
//   timer_conformance --gtest_filter='mutants.*'        what the suite is worth
//   PINION_TEST_SEED=7 timer_conformance                other numbers; a failure prints the seed it had
#include <gtest/gtest.h>

#include <iostream>
#include <set>
#include <string>
#include <utility>

#include "laws.hpp"
#include "listed_test.hpp"
#include "mutants.hpp"

namespace pinion::timer::testing {
namespace {

constexpr const char* needs_checked_build =
    "counts work or expects a contract violation: only in a checked build";

void law_holds(const clause& c, const store_factory& backend) {
  if (c.needs_checked && !is_checked) GTEST_SKIP() << needs_checked_build;
  const violation broken = check_clause(c, backend);
  EXPECT_FALSE(broken) << "law " << c.law << " is broken by " << backend.name << ": " << broken.what();
}

void is_killed(const mutant& m, std::uint64_t seed) {
  if (m.needs_checked && !is_checked) GTEST_SKIP() << needs_checked_build;
  store_factory factory = m.factory;
  factory.seed = seed;
  const violation broken = check_law(m.law, factory);
  EXPECT_TRUE(broken) << "mutant " << factory.name << " is alive: law " << m.law << " did not see it";
  std::cout << "mutant " << factory.name << " (" << m.origin << "), killed by " << m.law << ": "
            << broken.what() << '\n';
}

void keeps_every_law(const store_factory& frame) {
  for (const clause& c : laws()) {
    if (c.needs_checked && !is_checked) continue;
    const violation broken = c.check(frame);
    EXPECT_FALSE(broken) << frame.name << " breaks law " << c.law << " without its defect, " << c.name << ": "
                         << broken.what();
  }
}

void register_all() {
  const std::uint64_t seed = seed_from_environment();
  for (const store_factory& backend : backends()) {
    for (const clause& c : laws()) {
      store_factory seeded = backend;
      seeded.seed = seed;
      add_test(backend.name, std::string{c.law} + c.name, [c, seeded] { law_holds(c, seeded); });
    }
  }
  std::set<std::string> frames;
  for (const mutant& m : mutants()) {
    store_factory frame = m.frame;
    frame.seed = seed;
    if (frames.insert(frame.name).second)
      add_test("frames", frame.name + "WithoutItsDefectKeepsEveryLaw", [frame] { keeps_every_law(frame); });
    add_test("mutants", m.factory.name + "IsKilledBy" + m.law, [m, seed] { is_killed(m, seed); });
  }
}

TEST(suite, HasAMutantForEveryLaw) {
  std::set<std::string> unproven;
  for (const clause& c : laws()) unproven.insert(c.law);

  for (const mutant& m : mutants()) unproven.erase(m.law);

  EXPECT_TRUE(unproven.empty()) << "no mutant shows that the suite would see a breach of "
                                << *unproven.begin();
}

}  // namespace
}  // namespace pinion::timer::testing

int main(int argc, char** argv) {
  pinion::timer::testing::register_all();
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
