// SPDX-License-Identifier: Apache-2.0
//
// What the historic mutants are made from is right without its defect, so that a kill is the defect's doing.
#include <gtest/gtest.h>

#include <iostream>

#include "historic_wheel.hpp"
#include "laws.hpp"

namespace pinion::timer::testing {
namespace {

TEST(historic, AWheelWithoutADefectKeepsEveryLaw) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    const store_factory right{"historic_wheel",
                              [](const setup& how) { return std::make_unique<historic_wheel>(how); }, seed};

    for (const clause& c : laws()) {
      if (!why_skipped(c, right).empty()) continue;
      const violation broken = c.check(right);
      EXPECT_FALSE(broken) << c.law << ' ' << c.name << ": " << broken.what();
    }
  }
}

TEST(historic, EveryListedDefectHasAMutant) {
  const char* listed[] = {"000-a",    "000-b",
                          "000-c",    "000-d",
                          "000-e",    "001 (a)",
                          "001 (b)",  "001 (c)",
                          "001 (d)",  "001 (e)",
                          "001 (f)",  "001 (g)",
                          "001 (h)",  "001 (j)",
                          "003 (a)",  "003 (b)",
                          "003 (c)",  "003 (d)",
                          "003 (e)",  "003 (f)",
                          "003-a",    "004 (1)",
                          "004 (2)",  "004 (3)",
                          "004 (4)",  "004-a",
                          "004-b",    "004-c",
                          "004-d",    "Folly",
                          "Asio",     "Netty",
                          "bitwheel", "Glommio's successor",
                          "Agrona",   "prototypes"};

  for (const char* origin : listed) {
    bool found = false;
    for (const mutant& m : mutants()) {
      if (std::string{m.origin}.find(origin) == std::string::npos) continue;
      std::cout << origin << ": mutant " << m.factory.name << ", law " << m.law << '\n';
      found = true;
    }
    EXPECT_TRUE(found) << "no mutant shows the defect " << origin;
  }
}

}  // namespace
}  // namespace pinion::timer::testing
