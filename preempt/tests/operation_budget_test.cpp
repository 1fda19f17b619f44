// SPDX-License-Identifier: Apache-2.0
//
// The budget of operations: what is spent, by whom, and what is refused.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <pinion/preempt.hpp>
#include <string>
#include <system_error>

namespace pinion::preempt {
namespace {

constexpr instant now{1'000};
constexpr instant later{2'000};
constexpr std::uint32_t most = std::uint32_t{1} << 30;

int checks_until_due(const word& looked_at) {
  int checks = 1;
  while (!looked_at.is_due()) ++checks;
  return checks;
}

TEST(OperationBudgetTest, IsDueAtTheCheckThatSpendsTheLast) {
  operation_budget source{{.operations = 5}};

  for (int slice = 0; slice < 3; ++slice) {
    source.begin(now, later);
    EXPECT_EQ(checks_until_due(source.word()), 5);
    EXPECT_TRUE(source.word().is_due());
    EXPECT_EQ(source.left(), 0U);
  }
}

TEST(OperationBudgetTest, OfOneIsDueAtEachCheck) {
  operation_budget source{{.operations = 1}};

  source.begin(now, later);

  EXPECT_EQ(checks_until_due(source.word()), 1);
}

TEST(OperationBudgetTest, IsSpentByOperationsAsByChecks) {
  operation_budget source{{.operations = 10}};
  source.begin(now, later);

  EXPECT_FALSE(source.spend(4));
  EXPECT_FALSE(source.word().is_due());
  EXPECT_EQ(source.left(), 5U);
  EXPECT_FALSE(source.spend(0));
  EXPECT_FALSE(source.spend(4));

  EXPECT_TRUE(source.spend(1));
  EXPECT_TRUE(source.spend(0));
  EXPECT_TRUE(source.word().is_due());
}

TEST(OperationBudgetTest, IsNotSpentBeyondItsEnd) {
  operation_budget source{{.operations = most}};
  source.begin(now, later);

  EXPECT_FALSE(source.spend(most - 1));
  EXPECT_TRUE(source.spend(std::numeric_limits<std::uint32_t>::max()));

  EXPECT_EQ(source.left(), 0U);
}

TEST(OperationBudgetTest, IsUnlimitedInSlicesWithoutAnEnd) {
  operation_budget source{{.operations = 1}};
  const auto spends_nothing = [&] {
    EXPECT_EQ(source.left(), operation_budget::unlimited);
    return !source.spend(most) && !source.word().is_due() && source.left() == operation_budget::unlimited;
  };

  EXPECT_TRUE(spends_nothing()) << "before the first slice";
  source.begin(now, later);
  source.rest();
  EXPECT_TRUE(spends_nothing()) << "at rest";
  source.begin(now, later);
  source.begin(now, never);
  EXPECT_TRUE(spends_nothing()) << "in a slice without an end";
}

TEST(OperationBudgetTest, RefusesNoneAndTooManyInWords) {
  for (const std::uint32_t refused : {0U, most + 1, std::numeric_limits<std::uint32_t>::max()}) {
    try {
      const operation_budget source{{.operations = refused}};
      ADD_FAILURE() << refused << " operations were taken";
    } catch (const std::system_error& why) {
      EXPECT_EQ(why.code(), std::errc::invalid_argument);
      EXPECT_NE(std::string{why.what()}.find("128 is usual"), std::string::npos) << why.what();
    }
  }
}

}  // namespace
}  // namespace pinion::preempt
