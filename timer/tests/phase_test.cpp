// SPDX-License-Identifier: Apache-2.0
//
// Which ticks run when polls are late by exactly k periods, by a little less and a little more: against the
// words of phase.hpp.
#include <gtest/gtest.h>

#include <cstdint>
#include <pinion/timer.hpp>
#include <vector>

namespace pinion::timer {
namespace {

constexpr duration period{10};

/// Runs whatever is due at each of the times, one tick a poll as intervals do.
std::vector<tick> ticks_at(missed_ticks missed, const std::vector<std::uint64_t>& polls) {
  phase p{instant{10}, period, missed};
  std::vector<tick> ran;
  for (const std::uint64_t now : polls) {
    if (p.due() <= instant{now}) ran.push_back(p.advance(instant{now}));
  }
  return ran;
}
tick on(std::uint64_t due, std::uint64_t missed = 0) { return {instant{due}, missed}; }

TEST(phase, OnTimeAllPoliciesAreOne) {
  for (const auto missed : {missed_ticks::burst, missed_ticks::delay, missed_ticks::skip}) {
    EXPECT_EQ(ticks_at(missed, {9, 10, 20, 29, 30, 40}), (std::vector{on(10), on(20), on(30), on(40)}));
  }
}

TEST(phase, LatenessBelowAPeriodIsNotPassedOnUnlessThatIsAskedFor) {
  EXPECT_EQ(ticks_at(missed_ticks::delay, {11, 20, 21, 30, 34, 43, 44}),
            (std::vector{on(10), on(21), on(31), on(44)}));
  for (const auto missed : {missed_ticks::burst, missed_ticks::skip}) {
    EXPECT_EQ(ticks_at(missed, {9, 10, 11, 29, 30, 49, 59}),
              (std::vector{on(10), on(20), on(30), on(40), on(50)}));
  }
}

TEST(phase, TheExampleAboveTheClassIsTrue) {
  const std::vector<std::uint64_t> polls{10, 20, 55, 55, 55, 60, 65, 70};

  EXPECT_EQ(ticks_at(missed_ticks::burst, polls),
            (std::vector{on(10), on(20), on(30), on(40), on(50), on(60), on(70)}));
  EXPECT_EQ(ticks_at(missed_ticks::delay, polls), (std::vector{on(10), on(20), on(30, 2), on(65)}));
  EXPECT_EQ(ticks_at(missed_ticks::skip, polls), (std::vector{on(10), on(20), on(30, 2), on(60), on(70)}));
}

TEST(phase, BurstRunsEveryTickHoweverLate) {
  for (std::uint64_t k = 0; k <= 5; ++k) {
    for (const std::uint64_t more : {0U, 1U, 9U}) {
      phase p{instant{10}, period, missed_ticks::burst};
      const instant now{10 + 10 * k + more};

      std::uint64_t ran = 0;
      for (; p.due() <= now; ++ran) EXPECT_EQ(p.advance(now), on(10 + 10 * ran));

      EXPECT_EQ(ran, k + 1);
      EXPECT_EQ(p.due(), instant{10 + 10 * (k + 1)}) << "in phase";
    }
  }
}

TEST(phase, SkipDropsWhatIsDueByNowAndKeepsTheGrid) {
  for (std::uint64_t k = 0; k <= 5; ++k) {
    for (const std::uint64_t more : {0U, 1U, 9U}) {
      phase p{instant{10}, period, missed_ticks::skip};

      EXPECT_EQ(p.advance(instant{10 + 10 * k + more}), on(10, k));

      EXPECT_EQ(p.due(), instant{10 + 10 * (k + 1)}) << "the first on the grid after now, " << k << " late";
    }
  }
}

TEST(phase, DelayLeavesAWholePeriodBehindEachTick) {
  for (std::uint64_t k = 0; k <= 5; ++k) {
    for (const std::uint64_t more : {0U, 1U, 9U}) {
      phase p{instant{10}, period, missed_ticks::delay};

      EXPECT_EQ(p.advance(instant{10 + 10 * k + more}), on(10, k));

      EXPECT_EQ(p.due(), instant{10 + 10 * k + more + 10});
    }
  }
}

TEST(phase, SaturatesAtNeverInsteadOfComingRoundAgain) {
  for (const auto missed : {missed_ticks::burst, missed_ticks::delay, missed_ticks::skip}) {
    phase near_the_end{instant{never.ns - 5}, period, missed};
    phase fine{instant{0}, duration{1}, missed};

    near_the_end.advance(instant{never.ns - 1});
    if (missed != missed_ticks::burst) fine.advance(never);

    EXPECT_EQ(near_the_end.due(), never);
    EXPECT_EQ(fine.due(), missed == missed_ticks::burst ? instant{0} : never);
  }
}

TEST(phase, APeriodOfNothingIsAViolation) {
  if (!is_checked) GTEST_SKIP() << "expects a contract violation: only in a checked build";

  EXPECT_DEATH((phase{instant{0}, duration{0}, missed_ticks::burst}), "an interval's period is 0");
}

}  // namespace
}  // namespace pinion::timer
