// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <pinion/sim/run_until.hpp>
#include <set>
#include <stdexcept>
#include <vector>

namespace pinion::sim {
namespace {

// What is driven: alarms, each heard in the first turn whose reading has reached it.
struct alarms {
  std::multiset<instant> set;
  std::vector<instant> heard_at;

  [[nodiscard]] instant next_wakeup() const { return set.empty() ? never : *set.begin(); }
  void turn(instant now) {
    const auto later = set.upper_bound(now);
    for (auto due = set.begin(); due != later; ++due) heard_at.push_back(now);
    set.erase(set.begin(), later);
  }
};

struct run_until : testing::Test {
  virtual_clock clock{instant{0}};
  alarms driven{{instant{10}, instant{10}, instant{30}}, {}};

  run_result go(instant end, std::size_t turns_max = turns_usual) {
    return sim::run_until(clock, end, driven, [this](instant now) { driven.turn(now); }, turns_max);
  }
};

TEST_F(run_until, SleepsExactlyUntilEachWakeupAndThenUntilTheEnd) {
  const run_result result = go(instant{100});

  EXPECT_EQ(driven.heard_at, (std::vector<instant>{instant{10}, instant{10}, instant{30}}));
  EXPECT_EQ(result.end, run_end::idle);
  EXPECT_EQ(result.turns, 2U);
  EXPECT_EQ(clock.time(), instant{100});
}

TEST_F(run_until, TakesWhatComesAtTheEndAndLeavesWhatComesAfter) {
  const run_result at_it = go(instant{10});
  EXPECT_EQ(driven.heard_at.size(), 2U);
  EXPECT_EQ(at_it.end, run_end::time_up);

  const run_result before_it = go(instant{29});
  EXPECT_EQ(driven.heard_at.size(), 2U);
  EXPECT_EQ(before_it.end, run_end::time_up);
  EXPECT_EQ(before_it.turns, 0U);
  EXPECT_EQ(clock.time(), instant{29});
}

TEST_F(run_until, IdleIsReachedWithoutAnEndAndTheClockStaysAtTheLastTurn) {
  const run_result result = run_until_idle(clock, driven, [this](instant now) { driven.turn(now); });

  EXPECT_EQ(result.end, run_end::idle);
  EXPECT_EQ(result.turns, 2U);
  EXPECT_EQ(clock.time(), instant{30});
}

TEST_F(run_until, WhatATurnAddsIsSleptForToo) {
  int left = 3;

  const run_result result = run_until_idle(clock, driven, [&](instant now) {
    driven.turn(now);
    if (left-- > 0) driven.set.insert(now + duration{5});
  });

  EXPECT_EQ(driven.heard_at, (std::vector<instant>{instant{10}, instant{10}, instant{15}, instant{20},
                                                   instant{25}, instant{30}}));
  EXPECT_EQ(result.turns, 5U);
}

TEST_F(run_until, GivesUpOnWhatDoesNotSleep) {
  const run_result result = sim::run_until(clock, instant{100}, driven, [](instant) {}, 7);

  EXPECT_EQ(result.end, run_end::gave_up);
  EXPECT_EQ(result.turns, 7U);
  EXPECT_EQ(clock.time(), instant{10}) << "it stands where the turns were in vain";
}

TEST_F(run_until, AsManyTurnsAsAllowedAreEnough) { EXPECT_EQ(go(instant{100}, 2).end, run_end::idle); }

TEST_F(run_until, WhatIsOverdueIsNotSleptFor) {
  clock.jump_to(instant{20});

  go(instant{5});
  EXPECT_TRUE(driven.heard_at.empty()) << "it comes after the end";
  go(instant{15});
  EXPECT_EQ(driven.heard_at, (std::vector<instant>{instant{20}, instant{20}}));
  EXPECT_EQ(clock.time(), instant{20}) << "an end that has been does not put the clock back";
}

TEST_F(run_until, ASleepThatEndsTooEarlyIsSleptAgain) {
  clock.stand_still(2);

  const run_result result = go(instant{100});

  EXPECT_EQ(result.turns, 4U) << "two in vain";
  EXPECT_EQ(driven.heard_at, (std::vector<instant>{instant{10}, instant{10}, instant{30}}));
}

TEST_F(run_until, SleepsOfATickingClockEndLate) {
  clock.tick(duration{5}, 3);

  go(instant{100});

  ASSERT_EQ(driven.heard_at.size(), 3U);
  EXPECT_GT(driven.heard_at[2], instant{30});
  EXPECT_LE(driven.heard_at[2], instant{35});
}

TEST_F(run_until, ATurnThatTakesItsOwnReadingIsTheOnlyOneThatReads) {
  const run_result result = run_until_idle(clock, driven, [this] { driven.turn(clock.now()); });

  EXPECT_EQ(driven.heard_at, (std::vector<instant>{instant{10}, instant{10}, instant{30}}));
  EXPECT_EQ(clock.readings(), result.turns);
}

TEST_F(run_until, WhatATurnThrowsPassesThrough) {
  const auto thrower = [](instant) { throw std::runtime_error{"as a task might"}; };

  EXPECT_THROW(sim::run_until(clock, instant{100}, driven, thrower), std::runtime_error);

  EXPECT_EQ(clock.time(), instant{10});
  EXPECT_EQ(go(instant{100}).turns, 2U) << "and the run can be taken up again";
}

}  // namespace
}  // namespace pinion::sim
