// SPDX-License-Identifier: Apache-2.0
//
// call_budget: what is spent where, who is stopped, and when there is more to spend.
#include <gtest/gtest.h>

#include <pinion/preempt.hpp>
#include <string>
#include <type_traits>

#include "turn_loop.hpp"

namespace pinion::preempt {
namespace {

using testing::task;
using testing::turn_loop;

static_assert(!std::is_copy_constructible_v<call_budget> && !std::is_move_constructible_v<call_budget>);

TEST(CallBudgetTest, IsUsedUpByAsManyUnitsAsItHas) {
  call_budget budget{3};

  EXPECT_TRUE(budget.try_spend());
  EXPECT_TRUE(budget.try_spend(2));
  EXPECT_EQ(budget.left(), 0U);
  EXPECT_FALSE(budget.try_spend());
  EXPECT_FALSE(budget.try_spend(0));

  budget.refill();
  EXPECT_EQ(budget.left(), 3U);
}

TEST(CallBudgetTest, MoreThanIsLeftIsSpentOnce) {
  call_budget budget{10};

  EXPECT_TRUE(budget.try_spend(1'000));
  EXPECT_FALSE(budget.try_spend(1));
}

TEST(CallBudgetTest, WhatAPartSpendsAllAboveHaveSpent) {
  call_budget whole{100};
  call_budget part{whole, 50};
  call_budget part_of_part{part, 20};

  EXPECT_TRUE(part_of_part.try_spend(15));
  EXPECT_EQ(part_of_part.left(), 5U);
  EXPECT_EQ(part.left(), 35U);
  EXPECT_EQ(whole.left(), 85U);

  EXPECT_TRUE(part.try_spend(5));
  EXPECT_EQ(part_of_part.left(), 5U) << "what is above a part spends nothing of it";
}

TEST(CallBudgetTest, APartStopsWhereTheWholeIsUsedUp) {
  call_budget whole{10};
  call_budget part{whole, 100};
  EXPECT_EQ(part.left(), 10U);

  EXPECT_TRUE(whole.try_spend(10));

  EXPECT_FALSE(part.try_spend());
}

TEST(CallBudgetTest, APartThatIsUsedUpStopsNobodyAbove) {
  call_budget whole{10};
  {
    call_budget part{whole, 2};
    EXPECT_TRUE(part.try_spend(2));
    EXPECT_FALSE(part.try_spend());
  }

  EXPECT_TRUE(whole.try_spend());
  EXPECT_EQ(whole.left(), 7U);
}

TEST(CallBudgetTest, ATaskYieldsWhenItIsUsedUpAndNeverWhileItIsNot) {
  never_due source;  // it looks at no word
  turn_loop loop{source};
  std::string said;
  constexpr auto spends = [](turn_loop& on, std::string& into) -> task {
    call_budget budget{3};
    for (int i = 0; i < 7; ++i) {
      co_await budget.spend(on);
      into += 'x';
    }
  };
  constexpr auto spends_here = [](std::string& into) -> task {
    call_budget budget{3};
    for (int i = 0; i < 7; ++i) {
      co_await budget.spend();
      into += 'o';
    }
  };
  task first = spends(loop, said), second = spends_here(said);
  loop.spawn(first);
  loop.spawn(second);

  loop.run();

  EXPECT_EQ(said, "xxxoooxxxoooxo");
}

TEST(CallBudgetTest, AYieldFillsThePartAndAllAboveIt) {
  never_due source;
  turn_loop loop{source};
  std::string said;
  constexpr auto callee = [](turn_loop& on, call_budget& whole, std::string& into) -> task {
    call_budget part{whole, 4};
    for (int i = 0; i < 6; ++i) {
      co_await part.spend(on);
      into += std::to_string(whole.left());
    }
  };
  constexpr auto caller = [](turn_loop& on, auto call, std::string& into) -> task {
    call_budget budget{9};
    co_await budget.spend(on, 2);
    co_await call(on, budget, into);
    into += '.';
    co_await budget.spend(on, 7);
    into += std::to_string(budget.left());
  };
  task calls = caller(loop, callee, said);
  loop.spawn(calls);

  loop.run();

  EXPECT_EQ(said, "654387.0");
  EXPECT_EQ(loop.turns, 2U);
}

TEST(CallBudgetTest, APlainFunctionUnwindsAndIsCalledAgain) {
  never_due source;
  turn_loop loop{source};
  int steps = 0;
  constexpr auto walks = [](int& done) -> task {
    call_budget budget{4};
    const auto walk = [&] {
      while (done < 10) {
        if (!budget.try_spend()) return false;
        ++done;
      }
      return true;
    };
    while (!walk()) co_await budget.spend(0);
  };
  task one = walks(steps);
  loop.spawn(one);

  loop.run();

  EXPECT_TRUE(one.is_done());
  EXPECT_EQ(steps, 10);
  EXPECT_EQ(loop.turns, 1U + 2U);
}

TEST(CallBudgetTest, IsUsedUpForAllUntilTheTaskGoesOn) {
  never_due source;
  turn_loop loop{source};
  call_budget shared{1};
  std::string said;
  constexpr auto branch = [](turn_loop& on, call_budget& budget, char name, std::string& into) -> task {
    for (int i = 0; i < 2; ++i) {
      co_await budget.spend(on);
      into += name;
    }
  };
  task first = branch(loop, shared, 'a', said), second = branch(loop, shared, 'b', said);
  loop.spawn(first);
  loop.spawn(second);

  loop.turn();
  loop.turn();

  EXPECT_EQ(said, "a") << "the second found it used up, and waits";
  loop.run();
  EXPECT_EQ(said, "aabb");
}

TEST(CallBudgetTest, CountsWhatItLooksAt) {
  if (!is_counted) GTEST_SKIP() << "checks and yields are counted in builds with statistics only";
  never_due source;
  turn_loop loop{source};
  constexpr auto spends = [](turn_loop& on) -> task {
    call_budget budget{2};
    for (int i = 0; i < 3; ++i) co_await budget.spend(on);
    for (int i = 0; i < 2; ++i) co_await budget.spend();
  };
  task one = spends(loop);
  loop.spawn(one);

  loop.run();

  EXPECT_EQ(loop.counts.checks, 5U);
  EXPECT_EQ(loop.counts.yields, 2U);
}

TEST(CallBudgetTest, OneOfNoUnitsIsABrokenContract) {
  if (!is_checked) GTEST_SKIP() << "contracts are checked in checked builds only";

  EXPECT_DEATH(call_budget{0}, "a call_budget of 0 units lets a function do nothing");
}

}  // namespace
}  // namespace pinion::preempt
