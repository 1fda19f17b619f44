// SPDX-License-Identifier: Apache-2.0
//
// What law_suite.hpp itself is worth: a frame that breaks the law is no proof of the law.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "law_suite.hpp"

namespace pinion::testing {
namespace {

// A thing that is right, or breaks L.
struct thing {
  std::string name;
  bool breaks_the_law = false;
  bool breaks_another = false;
  std::uint64_t seed = 1;
};
struct clause {
  const char* law;
  const char* name;
  violation (*check)(const thing&);
};

std::vector<clause> laws() {
  return {
      {.law = "L",
       .name = "IsKept",
       .check = [](const thing& t) { return t.breaks_the_law ? broken(t, "it is broken") : violation{}; }},
      {.law = "M", .name = "IsKeptToo", .check = [](const thing& t) {
         return t.breaks_another ? broken(t, "it is broken, too") : violation{};
       }}};
}

const thing right{.name = "Frame"};
const thing wrong{.name = "Frame", .breaks_another = true};

mutant_of<thing> mutant(bool breaks_the_law, const thing& frame = right) {
  return {.law = "L", .factory = {"Mutant", breaks_the_law}, .frame = &frame};
}
void keep_every_law(const std::vector<mutant_of<thing>>& mutants) {
  for (const auto& [frame, judging] : frames_of(mutants)) keeps_every_law(laws(), frame, judging);
}

TEST(LawSuite, AMutantIsKilledThatBreaksItsLaw) {
  is_killed(laws(), mutant(true));

  EXPECT_FALSE(HasFailure());
}

TEST(LawSuite, AMutantIsAliveThatKeepsItsLaw) {
  EXPECT_NONFATAL_FAILURE(is_killed(laws(), mutant(false)), "mutant Mutant is alive");
}

TEST(LawSuite, AFrameOfSeveralMutantsIsLookedAtOnce) {
  const auto frames = frames_of(std::vector{mutant(true), mutant(false)});

  EXPECT_EQ(frames.size(), 1U);
  for (const auto& [frame, judging] : frames) keeps_every_law(laws(), frame, judging);
}

// Also by the laws that kill none of its mutants, and also where another frame of its name keeps them.
TEST(LawSuite, AFrameThatBreaksALawIsFound) {
  EXPECT_NONFATAL_FAILURE(keep_every_law({mutant(true), mutant(true, wrong)}), "Frame breaks law M");
}

}  // namespace
}  // namespace pinion::testing
