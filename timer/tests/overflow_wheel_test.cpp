// SPDX-License-Identifier: Apache-2.0
//
// What overflow_wheel adds to the laws: levels as designed, an overflow that is counted and drained, cascades
// that a budget spreads.
#include <gtest/gtest.h>

#include <algorithm>
#include <pinion/timer.hpp>
#include <ranges>
#include <vector>

#include "scenario.hpp"

namespace pinion::timer {
namespace {

constexpr auto ignore = [](auto&&...) {};
constexpr instant ms(std::uint64_t n) { return instant{n * 1'000'000}; }

// 256 slots of 1 ms, 64 of 256 ms, 64 of 16.384 s, 64 of 1,048.576 s.
constexpr std::uint64_t range_ms = 256ULL * 64 * 64 * 64;

TEST(overflow_wheel, HasFourLevelsAndAnOverflow) {
  overflow_wheel<int> wheel{instant{0}};

  EXPECT_EQ(wheel.level_of(wheel.schedule(ms(255), 0)), 0U);
  EXPECT_EQ(wheel.level_of(wheel.schedule(ms(256), 0)), 1U);
  EXPECT_EQ(wheel.level_of(wheel.schedule(ms(16'383), 0)), 1U);
  EXPECT_EQ(wheel.level_of(wheel.schedule(ms(16'384), 0)), 2U);
  EXPECT_EQ(wheel.level_of(wheel.schedule(ms(1'048'575), 0)), 2U);
  EXPECT_EQ(wheel.level_of(wheel.schedule(ms(1'048'576), 0)), 3U);
  EXPECT_EQ(wheel.level_of(wheel.schedule(ms(range_ms - 1), 0)), 3U);
  EXPECT_EQ(wheel.overflow_size(), 0U);
  EXPECT_EQ(wheel.level_of(wheel.schedule(ms(range_ms), 0)), 4U);
  EXPECT_EQ(wheel.overflow_size(), 1U);
}

TEST(overflow_wheel, FiresAtTheMillisecondAndNotBefore) {
  overflow_wheel<int> wheel{instant{0}};
  wheel.schedule(ms(7), 1);
  wheel.schedule(ms(7) + duration{1}, 2);

  EXPECT_EQ(wheel.poll(ms(7) - duration{1}, ignore).fired, 0U);
  EXPECT_EQ(wheel.poll(ms(7), ignore).fired, 1U);
  EXPECT_EQ(wheel.poll(ms(8), ignore).fired, 1U);
}

TEST(overflow_wheel, TheOverflowIsDrainedInOrderAndEachTimerFiresAtItsMillisecond) {
  overflow_wheel<std::uint64_t> wheel{instant{0}};
  std::vector<std::uint64_t> fired;
  const std::vector<std::uint64_t> deadlines_ms{range_ms,      range_ms + 1,  2 * range_ms - 1, 2 * range_ms,
                                                70 * range_ms, 71 * range_ms, 5'000 * range_ms};
  for (const std::uint64_t d : deadlines_ms | std::views::reverse) wheel.schedule(ms(d), std::uint64_t{d});
  EXPECT_EQ(wheel.overflow_size(), deadlines_ms.size());

  while (wheel.size() != 0) {
    const instant wakeup = wheel.next_wakeup();
    wheel.poll(wakeup, [&](handle, instant, std::uint64_t&& deadline_ms) {
      EXPECT_EQ(wakeup, ms(deadline_ms));
      fired.push_back(deadline_ms);
    });
  }

  EXPECT_EQ(fired, deadlines_ms);
  EXPECT_EQ(wheel.overflow_size(), 0U);
}

TEST(overflow_wheel, ATimerInTheOverflowIsCancelledAndMovedLikeAnyOther) {
  overflow_wheel<int> wheel{instant{0}};
  const handle gone = wheel.schedule(ms(3 * range_ms), 1);
  const handle near = wheel.schedule(ms(3 * range_ms), 2);
  wheel.schedule(ms(9 * range_ms), 3);

  EXPECT_EQ(wheel.cancel(gone), 1);
  EXPECT_TRUE(wheel.reschedule(near, ms(5)));

  EXPECT_EQ(wheel.overflow_size(), 1U);
  EXPECT_EQ(wheel.next_wakeup(), ms(5));
  EXPECT_EQ(wheel.poll(ms(5), ignore).fired, 1U);
}

TEST(overflow_wheel, ABudgetSpreadsACascadeOverPollsAndNothingIsLate) {
  overflow_wheel<int> wheel{instant{0}};
  constexpr std::size_t timers = 10'000;
  for (std::size_t k = 0; k < timers; ++k) wheel.schedule(ms(256 + k % 100), 0);  // all in one slot of 256 ms
  std::size_t polls = 0;
  std::size_t moved = 0;

  for (bool more = true; more; ++polls) {
    const poll_result did = wheel.poll(ms(256), 64, ignore);
    ASSERT_LE(did.fired + did.moved, 64U);
    moved += did.moved;
    more = did.more;
  }

  EXPECT_GE(polls, timers / 64);
  EXPECT_EQ(moved, timers - timers / 100) << "those due at once fire instead";
  EXPECT_EQ(wheel.poll(ms(355), ignore).fired, timers - timers / 100);
}

TEST(overflow_wheel, ATimerStepsDownThroughTheLevelsAndIsMovedOnceForEach) {
  for (const instant start : {instant{0}, ms(12'345'678), instant{std::uint64_t{1} << 63}}) {
    overflow_wheel<int> wheel{start};
    const instant deadline = start + duration{range_ms * 3 * 1'000'000 + 123};
    const handle h = wheel.schedule(deadline, 1);
    std::size_t level = wheel.level_of(h);
    EXPECT_GE(level, 4U);

    while (wheel.size() != 0) {
      const instant now = wheel.next_wakeup();
      const poll_result did = wheel.poll(now, ignore);
      ASSERT_EQ(did.moved + did.fired, 1U) << "a wakeup for nothing";
      if (did.moved != 0) {
        ASSERT_LT(wheel.level_of(h), level) << "never up, never on the same level";
        level = wheel.level_of(h);
      } else {
        ASSERT_GE(now, deadline);
        ASSERT_LT(now, deadline + duration{1'000'000});
      }
    }
  }
}

TEST(overflow_wheel, ACascadeThatABudgetCutsFiresWhatComesDueMeanwhileInOrder) {
  overflow_wheel<std::uint64_t> wheel{instant{0}};
  for (std::uint64_t k = 0; k < 2'000; ++k) wheel.schedule(ms(256 + k % 200), 256 + k % 200);
  std::vector<std::uint64_t> fired;

  // The clock goes on while the cascade does.
  for (std::uint64_t now = 256; wheel.size() != 0 && now < 2'000; ++now) {
    const poll_result did = wheel.poll(ms(now), 10, [&](handle, instant, std::uint64_t&& deadline) {
      EXPECT_LE(deadline, now) << "early";
      fired.push_back(deadline);
    });
    ASSERT_LE(did.fired + did.moved, 10U);
    if (did.more) {
      ASSERT_LE(wheel.next_wakeup(), ms(now)) << "a loop that sleeps on it would be late";
    }
  }

  EXPECT_EQ(fired.size(), 2'000U);
  EXPECT_TRUE(std::ranges::is_sorted(fired));
}

TEST(overflow_wheel, NamingOrderedMapInsteadIsTheLegacyStore) {
  // The same calls, and at whole milliseconds the same timers.
  testing::random_numbers random{1};
  overflow_wheel<int> wheel{instant{0}};
  ordered_map<int> legacy{instant{0}};
  for (int k = 0; k < 1'000; ++k) {
    const instant deadline = instant{0} + random.any_length(58);
    const handle a = wheel.schedule(deadline, int{k});
    const handle b = legacy.schedule(deadline, int{k});
    if (k % 3 == 0) {
      EXPECT_EQ(wheel.cancel(a), legacy.cancel(b));
    }
    if (k % 3 == 1) {
      EXPECT_EQ(wheel.reschedule(a, deadline + duration{1}), legacy.reschedule(b, deadline + duration{1}));
    }
  }

  for (std::uint64_t t = 1; t < (std::uint64_t{1} << 39); t += 1 + t / 2) {
    wheel.poll(ms(t), ignore);
    legacy.poll(ms(t), ignore);
    ASSERT_EQ(wheel.size(), legacy.size()) << t << " ms";
  }

  EXPECT_EQ(wheel.size(), 0U);
}

}  // namespace
}  // namespace pinion::timer
