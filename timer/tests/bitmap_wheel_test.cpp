// SPDX-License-Identifier: Apache-2.0
//
// What bitmap_wheel adds to hook_wheel: wakers, entries that are the caller's or the wheel's, and levels and
// overflow as designed.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>
#include <pinion/timer.hpp>
#include <utility>
#include <vector>

#include "allocations.hpp"
#include "scenario.hpp"

namespace pinion::timer {
namespace {

using entry = bitmap_wheel::entry;

constexpr instant ms(std::uint64_t n) { return instant{n * 1'000'000}; }

// 64 slots of 1 ms, 64 ms, 4,096 ms, 262,144 ms and 16,777,216 ms.
constexpr std::uint64_t range_ms = 1ULL << 30;

/// A waker that adds the entry's word to a list, its context.
void note(entry& e) { static_cast<std::vector<std::uint64_t>*>(e.context)->push_back(e.user); }

// ---- Wakers

TEST(bitmap_wheel, CallsTheWakerWithItsContextAndWord) {
  bitmap_wheel wheel{instant{0}};
  std::vector<std::uint64_t> woken;
  entry seven{note, &woken, 7};
  entry eight{note, &woken, 8};
  entry silent;
  wheel.schedule(eight, ms(8));
  wheel.schedule(seven, ms(7));
  wheel.schedule(silent, ms(7));

  EXPECT_EQ(wheel.poll(ms(6)).fired, 0U);
  EXPECT_EQ(wheel.poll(ms(7)).fired, 2U) << "an entry without a waker fires too";
  EXPECT_EQ(wheel.poll(ms(100)).fired, 1U);

  EXPECT_EQ(woken, (std::vector<std::uint64_t>{7, 8}));
  EXPECT_FALSE(seven.is_armed());
  EXPECT_EQ(wheel.size(), 0U);
}

TEST(bitmap_wheel, AnEntryIsDisarmedWhenItsWakerIsCalledAndMayBeArmedAgainThere) {
  bitmap_wheel wheel{instant{0}};
  entry every_10_ms{[](entry& e) {
                      EXPECT_FALSE(e.is_armed());
                      ++e.user;
                      static_cast<bitmap_wheel*>(e.context)->schedule(e, e.deadline() + duration{10'000'000});
                    },
                    &wheel};
  wheel.schedule(every_10_ms, ms(10));

  for (std::uint64_t t = 1; t <= 100; ++t) wheel.poll(ms(t));

  EXPECT_EQ(every_10_ms.user, 10U);
  EXPECT_EQ(wheel.size(), 1U);
}

TEST(bitmap_wheel, AnEntryArmedForThePastInItsWakerWaitsForTheNextPoll) {
  bitmap_wheel wheel{instant{0}};
  entry again{[](entry& e) {
                ++e.user;
                static_cast<bitmap_wheel*>(e.context)->schedule(e, instant{0});
              },
              &wheel};
  wheel.schedule(again, ms(1));

  wheel.poll(ms(1));
  EXPECT_EQ(again.user, 1U);
  wheel.poll(ms(1));

  EXPECT_EQ(again.user, 2U);
}

TEST(bitmap_wheel, ABudgetAndASinkOfTheCallersAreTaken) {
  bitmap_wheel wheel{instant{0}};
  std::array<entry, 10> entries;
  for (entry& e : entries) wheel.schedule(e, ms(1));
  std::size_t sunk = 0;

  const poll_result first = wheel.poll(ms(1), 4, [&](entry&) { ++sunk; });
  EXPECT_EQ(sunk, 4U);
  EXPECT_TRUE(first.more);
  EXPECT_EQ(wheel.next_wakeup(), ms(1));
  EXPECT_EQ(wheel.poll(ms(1), 0).fired, 0U);

  EXPECT_EQ(wheel.poll(ms(1)).fired, 6U);
}

// ---- Whose the entry is

TEST(bitmap_wheel, AnEntryOnTheStackCancelsItselfAsItDies) {
  bitmap_wheel wheel{instant{0}};
  std::vector<std::uint64_t> woken;
  entry stays{note, &woken, 1};
  wheel.schedule(stays, ms(5));
  {
    entry goes{note, &woken, 2};
    wheel.schedule(goes, ms(5));
    EXPECT_EQ(wheel.size(), 2U);
  }

  EXPECT_EQ(wheel.size(), 1U);
  EXPECT_EQ(wheel.poll(ms(5)).fired, 1U);
  EXPECT_EQ(woken, std::vector<std::uint64_t>{1});
}

TEST(bitmap_wheel, TheLastEntryToDieLeavesNothingToWakeFor) {
  bitmap_wheel wheel{instant{0}};
  {
    entry goes;
    wheel.schedule(goes, ms(5'000));
    EXPECT_NE(wheel.next_wakeup(), never);
  }

  EXPECT_EQ(wheel.next_wakeup(), never);
}

TEST(bitmap_wheel, AnEntryInAMemberDiesWithItsObjectEvenInItsOwnWaker) {
  struct connection {
    explicit connection(std::optional<connection>& self) : place(self) {}
    std::optional<connection>& place;
    entry idle{[](entry& e) { static_cast<connection*>(e.context)->place.reset(); }, this};
  };
  bitmap_wheel wheel{instant{0}};
  std::optional<connection> fires;
  std::optional<connection> dies;
  fires.emplace(fires);
  dies.emplace(dies);
  wheel.schedule(fires->idle, ms(5));
  wheel.schedule(dies->idle, ms(5));

  dies.reset();
  EXPECT_EQ(wheel.poll(ms(5)).fired, 1U);

  EXPECT_FALSE(fires.has_value());
  EXPECT_EQ(wheel.size(), 0U);
}

TEST(bitmap_wheel, AWakerMayDestroyAnotherEntryThatIsDueInTheSamePoll) {
  bitmap_wheel wheel{instant{0}};
  std::array<std::optional<entry>, 2> pair;
  const auto kill_the_other = [](entry& e) {
    auto& both = *static_cast<std::array<std::optional<entry>, 2>*>(e.context);
    both[1 - e.user].reset();
  };
  for (std::uint64_t k = 0; k < 2; ++k) wheel.schedule(pair[k].emplace(kill_the_other, &pair, k), ms(5));

  EXPECT_EQ(wheel.poll(ms(5)).fired, 1U);

  EXPECT_NE(pair[0].has_value(), pair[1].has_value());
}

TEST(bitmap_wheel, ArmingNeverAllocates) {
  bitmap_wheel wheel{instant{0}};
  std::vector<entry> entries(1'000);
  const std::size_t before = testing::allocations_so_far();

  for (std::uint64_t k = 0; k < 1'000; ++k) wheel.schedule(entries[k], ms(k * k * k));
  for (entry& e : entries) wheel.reschedule(e, e.deadline() + duration{1'000'000'000});
  wheel.poll(ms(500'000'000));
  wheel.clear();

  EXPECT_EQ(testing::allocations_so_far(), before);
}

// ---- Levels and overflow

TEST(bitmap_wheel, EveryEntryFiresInItsMillisecondWhateverItsDistance) {
  testing::random_numbers random{1};
  for (const instant start : {instant{0}, ms(range_ms) - duration{1}, instant{std::uint64_t{1} << 63}}) {
    for (int k = 0; k < 500; ++k) {
      bitmap_wheel wheel{start};
      entry e;
      const instant deadline = start + duration{1 + random.any_length(58).ns};  // to 9 years
      wheel.schedule(e, deadline);

      while (wheel.size() != 0) {
        const instant now = std::max(wheel.next_wakeup(), wheel.now());
        if (wheel.poll(now).fired != 0) {
          ASSERT_GE(now, deadline) << "start " << start.ns;
          ASSERT_LT(now, deadline + wheel.lateness_bound({}))
              << "start " << start.ns << ", deadline " << deadline.ns;
        }
      }
    }
  }
}

TEST(bitmap_wheel, TheOverflowIsDrainedEachTimeTheLevelsHaveGoneRound) {
  bitmap_wheel wheel{instant{0}};
  std::vector<std::uint64_t> woken;
  const std::vector<std::uint64_t> days{range_ms, range_ms + 1, 2 * range_ms - 1, 2 * range_ms,
                                        20 * range_ms};
  std::vector<entry> entries(days.size());
  for (std::size_t k = days.size(); k-- > 0;) {
    entries[k].waker = note;
    entries[k].context = &woken;
    entries[k].user = days[k];
    wheel.schedule(entries[k], ms(days[k]));
  }
  EXPECT_EQ(wheel.next_wakeup(), ms(range_ms)) << "12.4 days: when the overflow is looked at";
  std::size_t polls = 0;

  for (; wheel.size() != 0 && polls < 1'000; ++polls) {
    const instant now = wheel.next_wakeup();
    const std::size_t before = woken.size();
    wheel.poll(now);
    for (std::size_t k = before; k < woken.size(); ++k) EXPECT_EQ(now, ms(woken[k]));
  }

  EXPECT_EQ(woken, days);
  EXPECT_LT(polls, 100U) << "waking up for nothing";
}

TEST(bitmap_wheel, AStallOfExactlyOneTurnOrSeveralFiresWhatCameDueMeanwhile) {
  // A turn of each level; 64 ms are where a wheel that compares slots modulo 64 sees no time pass at all.
  for (const std::uint64_t turn :
       {std::uint64_t{64}, std::uint64_t{64} * 64, std::uint64_t{64} * 64 * 64, range_ms}) {
    for (const std::uint64_t turns : {1ULL, 2ULL, 3ULL, 64ULL, 65ULL}) {
      for (const std::uint64_t before : {0ULL, 1ULL, 63ULL, 64ULL, 1'000ULL}) {
        bitmap_wheel wheel{ms(before)};
        wheel.poll(ms(before));
        std::array<entry, 5> entries;
        wheel.schedule(entries[0], ms(before + 1));
        wheel.schedule(entries[1], ms(before + turn - 1));
        wheel.schedule(entries[2], ms(before + turn * turns));
        wheel.schedule(entries[3], ms(before + turn * turns + 1));
        wheel.schedule(entries[4], ms(before + turn * (turns + 1)));

        const poll_result stalled = wheel.poll(ms(before + turn * turns));

        ASSERT_EQ(stalled.fired, 3U) << turns << " turns of " << turn << " ms after " << before;
        ASSERT_EQ(wheel.next_wakeup() <= ms(before + turn * turns + 1), true);
        ASSERT_EQ(wheel.poll(ms(before + turn * turns + 1)).fired, 1U);
        ASSERT_EQ(wheel.poll(ms(before + turn * (turns + 1))).fired, 1U);
      }
    }
  }
}

TEST(bitmap_wheel, SchedulingAnArmedEntryMovesIt) {
  bitmap_wheel wheel{instant{0}};
  entry e;
  wheel.schedule(e, ms(5'000));

  wheel.schedule(e, ms(5));

  EXPECT_EQ(wheel.size(), 1U);
  EXPECT_EQ(e.deadline(), ms(5));
  EXPECT_EQ(wheel.poll(ms(5)).fired, 1U);
  EXPECT_FALSE(wheel.reschedule(e, ms(9)));
  EXPECT_FALSE(wheel.cancel(e));
}

TEST(bitmap_wheel, NamingAnEntryThatIsArmedInAnotherWheelIsAViolation) {
  if (!is_checked) GTEST_SKIP() << "expects a contract violation: only in a checked build";
  bitmap_wheel wheel{instant{0}};
  bitmap_wheel other{instant{0}};
  entry e;
  other.schedule(e, ms(5));

  EXPECT_DEATH(wheel.schedule(e, ms(2)), "a hook is armed in another wheel");
  EXPECT_DEATH(wheel.reschedule(e, ms(2)), "a hook is armed in another wheel");
  EXPECT_DEATH(wheel.cancel(e), "a hook is armed in another wheel");
}

TEST(bitmap_wheel, AnEntryIsACacheLine) { EXPECT_EQ(sizeof(bitmap_wheel::entry), 64U); }

}  // namespace
}  // namespace pinion::timer
