// SPDX-License-Identifier: Apache-2.0
//
// The explorer's own proof: for each program of the tables it finds exactly what C++20 allows.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "litmus.hpp"

namespace pinion::sim {
namespace {

// What the explorer finds that the row does not have, and the other way round; empty if they agree.
std::string difference(const litmus::row& row) {
  const litmus::found found = litmus::run(row.program);
  std::string text;
  if (!found.how.is_complete) text += " search not complete: " + found.how.report();
  for (const std::string& outcome : found.outcomes) {
    if (!row.outcomes.contains(outcome)) text += " found and not allowed: " + outcome;
  }
  for (const std::string& outcome : row.outcomes) {
    if (!found.outcomes.contains(outcome)) text += " allowed and not found: " + outcome;
  }
  return text;
}

std::vector<litmus::row> table(const char* file) {
  std::ifstream stream{std::string{PINION_SIM_TESTS} + '/' + file};
  return litmus::read(stream);
}

void expect_agreement(const std::vector<litmus::row>& rows) {
  for (const litmus::row& row : rows) EXPECT_EQ(difference(row), "") << row.name << ": " << row.program;
}

TEST(litmus, KnownShapesHaveExactlyTheOutcomesThatTheStandardAllows) {
  const std::vector<litmus::row> rows = table("litmus_known.csv");

  EXPECT_GE(rows.size(), 800U);
  expect_agreement(rows);
}

TEST(litmus, RandomProgramsHaveExactlyTheOutcomesThatTheStandardAllows) {
  const std::vector<litmus::row> rows = table("litmus_random.csv");

  EXPECT_GE(rows.size(), 300U);
  expect_agreement(rows);
}

// The tables are made by a program; here are those rows of which the literature says what they are.
TEST(litmus, TheShapesOfTheLiteratureAreInTheTable) {
  const std::vector<litmus::row> rows = table("litmus_known.csv");
  const auto allows = [&](const std::string& program, const std::string& outcome) {
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const litmus::row& r) { return r.program == program; });
    if (row == rows.end()) throw std::invalid_argument{"not in the table: " + program};
    return row->outcomes.contains(outcome);
  };

  EXPECT_TRUE(allows("Wx1:rel Ry:acq | Wy1:rel Rx:acq", "00/11"));
  EXPECT_FALSE(allows("Wx1:sc Ry:sc | Wy1:sc Rx:sc", "00/11"));
  EXPECT_FALSE(allows("Wx1:rlx F:sc Ry:rlx | Wy1:rlx F:sc Rx:rlx", "00/11"));
  EXPECT_TRUE(allows("Wx1:rlx F:ar Ry:rlx | Wy1:rlx F:sc Rx:rlx", "00/11"));
  EXPECT_TRUE(allows("Wx1:rlx Wy1:rel | Ry:rlx Rx:rlx", "10/11"));
  EXPECT_FALSE(allows("Wx1:rlx Wy1:rel | Ry:acq Rx:rlx", "10/11"));
  EXPECT_TRUE(allows("Wx1:rel | Wy1:rel | Rx:acq Ry:acq | Ry:acq Rx:acq", "1010/11"));
  EXPECT_FALSE(allows("Wx1:sc | Wy1:sc | Rx:sc Ry:sc | Ry:sc Rx:sc", "1010/11"));
  EXPECT_FALSE(allows("Wx1:rlx | Wy1:rlx | Rx:rlx F:sc Ry:rlx | Ry:rlx F:sc Rx:rlx", "1010/11"));
  EXPECT_FALSE(allows("Wx1:rlx | Rx:rlx Rx:rlx", "10/1"));
  EXPECT_TRUE(allows("Wx1:rel Wy2:rel | Wy1:rel Wx2:rel", "/11"));
  EXPECT_FALSE(allows("Wx1:sc Wy2:sc | Wy1:sc Wx2:sc", "/11"));
  EXPECT_FALSE(allows("Wy1:rlx Wx1:rel | Ux2:rlx | Rx:acq Ry:rlx", "120/21")) << "a release sequence";
  EXPECT_TRUE(allows("Wy1:rlx Wx1:rel Wx2:rlx | Rx:acq Ry:rlx", "20/21")) << "none since C++20";
  EXPECT_TRUE(allows("Wx1:sc Wy1:rel | Uy2:sc Ry:rlx | Wy3:sc Rx:sc", "130/13")) << "C++11 forbade it";
}

TEST(litmus, LoadBufferingIsAllowedAndNotFound) {
  const std::vector<litmus::row> rows = table("litmus_known.csv");
  const auto row =
      std::find_if(rows.begin(), rows.end(), [](const litmus::row& r) { return r.name == "LB"; });

  ASSERT_NE(row, rows.end());
  EXPECT_EQ(row->hidden, std::set<std::string>{"11/11"});
}

TEST(litmus, ARowThatIsWrongIsNoticed) {
  const litmus::row right{"SB", "Wx1:sc Ry:sc | Wy1:sc Rx:sc", {"01/11", "10/11", "11/11"}, {}};
  litmus::row too_little = right;
  litmus::row too_much = right;

  too_little.outcomes.erase("01/11");
  too_much.outcomes.insert("00/11");

  EXPECT_EQ(difference(right), "");
  EXPECT_EQ(difference(too_little), " found and not allowed: 01/11");
  EXPECT_EQ(difference(too_much), " allowed and not found: 00/11");
}

}  // namespace
}  // namespace pinion::sim
