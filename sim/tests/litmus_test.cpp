// SPDX-License-Identifier: Apache-2.0
//
// The explorer's own proof: for each program of the tables it finds exactly what C++20 allows.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "litmus.hpp"

namespace pinion::sim {
namespace {

std::string joined(const std::set<std::string>& outcomes) {
  std::string text;
  for (const std::string& outcome : outcomes) text += outcome + ' ';
  return text;
}

// How many rows of the table are as they should be.
void expect_table(const char* file, std::size_t rows_min) {
  std::ifstream table{std::string{PINION_SIM_TESTS} + '/' + file};
  const std::vector<litmus::row> rows = litmus::read(table);
  std::uint64_t executions = 0;

  for (const litmus::row& row : rows) {
    const litmus::found found = litmus::run(row.program);

    EXPECT_TRUE(found.how.is_complete) << row.name;
    EXPECT_EQ(joined(found.outcomes), joined(row.outcomes)) << row.name << ": " << row.program;
    executions += found.how.executions;
  }

  EXPECT_GE(rows.size(), rows_min);
  testing::Test::RecordProperty("executions", std::to_string(executions));
  std::printf("%zu programs, %llu executions\n", rows.size(), static_cast<unsigned long long>(executions));
}

TEST(litmus, KnownShapesHaveExactlyTheOutcomesThatTheStandardAllows) {
  expect_table("litmus_known.csv", 400);
}

TEST(litmus, RandomProgramsHaveExactlyTheOutcomesThatTheStandardAllows) {
  expect_table("litmus_random.csv", 300);
}

}  // namespace
}  // namespace pinion::sim
