// SPDX-License-Identifier: Apache-2.0
//
// Sources that know no time.
#include <gtest/gtest.h>

#include <pinion/preempt.hpp>
#include <vector>

namespace pinion::preempt {
namespace {

constexpr instant now{1'000};
constexpr instant later{2'000};

// The checks, from 1, at which that source is due.
std::vector<int> due_at(const word& looked_at, int checks) {
  std::vector<int> due;
  for (int check = 1; check <= checks; ++check)
    if (looked_at.is_due()) due.push_back(check);
  return due;
}

TEST(AlwaysDueTest, IsDueAtEachCheckOfASliceThatHasAnEnd) {
  always_due source;
  EXPECT_FALSE(source.word().is_due());

  source.begin(now, later);
  EXPECT_EQ(due_at(source.word(), 3), (std::vector{1, 2, 3}));

  source.begin(now, never);
  EXPECT_FALSE(source.word().is_due());
  source.begin(now, later);
  source.rest();
  EXPECT_FALSE(source.word().is_due());
}

TEST(NeverDueTest, IsNot) {
  never_due source;

  source.begin(now, instant{0});

  EXPECT_FALSE(source.word().is_due());
}

TEST(ScriptedSourceTest, IsDueFromAListedCheckUntilItsSliceIsOver) {
  scripted_source source{3};

  source.begin(now, later);
  EXPECT_EQ(due_at(source.word(), 5), (std::vector{3, 4, 5}));

  source.begin(now, later);
  EXPECT_EQ(due_at(source.word(), 5), (std::vector<int>{}));
  EXPECT_EQ(source.checks(), 10U);
}

TEST(ScriptedSourceTest, CountsOnAcrossSlicesButNotInThoseWithoutAnEnd) {
  scripted_source source{10, 4};  // in any order
  EXPECT_EQ(due_at(source.word(), 20), (std::vector<int>{}));

  source.begin(now, later);
  EXPECT_EQ(due_at(source.word(), 2), (std::vector<int>{}));
  source.rest();
  EXPECT_EQ(due_at(source.word(), 20), (std::vector<int>{}));
  source.begin(now, later);
  EXPECT_EQ(due_at(source.word(), 2), (std::vector{2}));
  source.begin(now, later);

  EXPECT_EQ(due_at(source.word(), 7), (std::vector{6, 7}));
  EXPECT_EQ(source.checks(), 11U);
}

TEST(ScriptedSourceTest, MayHaveNothingListedOrSomethingTwice) {
  scripted_source none{};
  scripted_source twice{2, 2, 0};

  none.begin(now, later);
  twice.begin(now, later);

  EXPECT_EQ(due_at(none.word(), 5), (std::vector<int>{}));
  EXPECT_EQ(due_at(twice.word(), 3), (std::vector{2, 3}));
}

}  // namespace
}  // namespace pinion::preempt
