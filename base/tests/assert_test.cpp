// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <pinion/base/assert.hpp>
#include <string>

namespace pinion {
namespace {

struct caught {
  std::string condition;
  std::string meaning;
  unsigned line;
};

class contract : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!is_checked) GTEST_SKIP() << "contracts are checked in checked builds only";
    before_ = set_violation_handler([](const contract_violation& v) {
      throw caught{std::string{v.condition}, std::string{v.meaning}, v.place.line()};
    });
  }
  void TearDown() override {
    if (is_checked) set_violation_handler(before_);
  }

 private:
  violation_handler before_ = nullptr;
};

TEST_F(contract, ABrokenOneReachesTheHandlerWithItsMeaningAndPlace) {
  const int count = 3;

  try {
    PINION_ASSERT(count < 3, "there is room for two");
    FAIL() << "the assertion let a broken contract pass";
  } catch (const caught& v) {
    EXPECT_EQ(v.condition, "count < 3");
    EXPECT_EQ(v.meaning, "there is room for two");
    EXPECT_EQ(v.line, static_cast<unsigned>(__LINE__) - 5);
  }
}

TEST_F(contract, AKeptOneCostsNothingButItsEvaluation) {
  int evaluated = 0;

  PINION_ASSERT(++evaluated == 1, "once");

  EXPECT_EQ(evaluated, 1);
}

TEST_F(contract, AHandlerThatReturnsIsFollowedByAbort) {
  set_violation_handler([](const contract_violation&) {});

  EXPECT_DEATH(PINION_ASSERT(false, "kept going"), "");
}

TEST_F(contract, TheDefaultHandlerSaysWhatBrokeAndWhere) {
  set_violation_handler(nullptr);

  EXPECT_DEATH(PINION_ASSERT(1 == 2, "one is not two"),
               "contract broken: one is not two\n.*condition: 1 == 2\n.*assert_test");
}

TEST(unchecked, AnAssertionIsNotEvaluated) {
  if (is_checked) GTEST_SKIP() << "in a checked build it is";
  int evaluated = 0;

  PINION_ASSERT(++evaluated == 1, "never");

  EXPECT_EQ(evaluated, 0);
}

}  // namespace
}  // namespace pinion
