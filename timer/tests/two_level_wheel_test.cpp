// SPDX-License-Identifier: Apache-2.0
//
// What two_level_wheel adds to the laws: two levels chosen by the distance from now, a cascade exactly at the
// boundary, ids, counts per level, memory.
#include <gtest/gtest.h>

#include <array>
#include <pinion/timer.hpp>
#include <utility>

#include "scenario.hpp"

namespace pinion::timer {
namespace {

constexpr auto ignore = [](auto&&...) {};

constexpr duration fine{std::uint64_t{1} << 20};
constexpr duration coarse{std::uint64_t{1} << 30};
constexpr duration second{1'000'000'000};
constexpr duration minute = second * 60;

constexpr std::array<instant, 5> epochs{instant{0}, instant{(std::uint64_t{1} << 30) - 1},
                                        instant{std::uint64_t{1} << 36}, instant{std::uint64_t{1} << 63},
                                        instant{(std::uint64_t{1} << 63) + 0x1234'5678'9abc}};

TEST(two_level_wheel, TheFineLevelReachesASecondAndTheCoarseOneTheRest) {
  two_level_wheel<int> wheel{instant{0}};

  EXPECT_EQ(wheel.level_of(wheel.schedule(instant{0} + fine * 1'023, 0)), 0U);
  EXPECT_EQ(wheel.level_of(wheel.schedule(instant{0} + fine * 1'023 + duration{1}, 0)), 1U);
  EXPECT_EQ(wheel.level_of(wheel.schedule(instant{0} + coarse * 1'023, 0)), 1U);
  EXPECT_EQ(wheel.level_of(wheel.schedule(instant{0} + coarse * 5'000, 0)), 1U);
}

TEST(two_level_wheel, TheLevelIsChosenByTheDistanceFromNowAndNotFromTheStart) {
  for (const instant start : epochs) {
    two_level_wheel<int> wheel{start};
    wheel.poll(start + minute * 300, ignore);  // many turns of both levels
    const instant now = wheel.now();

    EXPECT_EQ(wheel.level_of(wheel.schedule(now + duration{5'000'000}, 0)), 0U) << start.ns;
    EXPECT_EQ(wheel.level_of(wheel.schedule(now + second, 0)), 0U) << start.ns;
    EXPECT_EQ(wheel.level_of(wheel.schedule(now + second * 2, 0)), 1U) << start.ns;
    EXPECT_EQ(wheel.level_of(wheel.schedule(now + minute * 17, 0)), 1U) << start.ns;
  }
}

TEST(two_level_wheel, ACoarseSlotIsEmptiedIntoTheFineLevelExactlyAsItBegins) {
  for (const instant start : {instant{0}, instant{std::uint64_t{1} << 63}}) {
    two_level_wheel<int> wheel{start};
    const instant boundary = start + coarse * 5;
    const handle first = wheel.schedule(boundary + duration{1}, 1);
    const handle last = wheel.schedule(boundary + coarse - fine, 2);
    const handle next = wheel.schedule(boundary + coarse - fine + duration{1}, 3);
    EXPECT_EQ(wheel.next_wakeup(), boundary);

    EXPECT_EQ(wheel.poll(boundary - duration{1}, ignore).moved, 0U);
    EXPECT_EQ(wheel.timers_on(1), 3U);
    const poll_result did = wheel.poll(boundary, ignore);

    EXPECT_EQ(did.fired, 0U);
    EXPECT_EQ(did.moved, 2U);
    EXPECT_EQ(wheel.level_of(first), 0U);
    EXPECT_EQ(wheel.level_of(last), 0U);
    EXPECT_EQ(wheel.level_of(next), 1U) << "due at the first tick of the next slot: it waits there";
    EXPECT_EQ(wheel.next_wakeup(), boundary + fine);
    EXPECT_EQ(wheel.poll(boundary + fine, ignore).fired, 1U);
    EXPECT_EQ(wheel.poll(boundary + coarse - fine - duration{1}, ignore).fired, 0U);
    EXPECT_EQ(wheel.poll(boundary + coarse - fine, ignore).fired, 1U);
    EXPECT_EQ(wheel.poll(boundary + coarse - duration{1}, ignore).fired, 0U);
    EXPECT_EQ(wheel.poll(boundary + coarse, ignore).fired, 1U);
  }
}

TEST(two_level_wheel, ATimerDueAtTheBoundaryFiresThereWithoutAnotherMove) {
  two_level_wheel<int> wheel{instant{0}};
  wheel.schedule(instant{0} + coarse * 5, 1);

  const poll_result did = wheel.poll(instant{0} + coarse * 5, ignore);

  EXPECT_EQ(did.fired, 1U);
  EXPECT_EQ(did.moved, 0U);
}

TEST(two_level_wheel, EveryTimerFiresAtTheFirstFineTickAtOrAfterItsDeadline) {
  testing::random_numbers random{1};
  for (const instant start : epochs) {
    for (int k = 0; k < 400; ++k) {
      two_level_wheel<int> wheel{start};
      const instant deadline = start + duration{1 + random.any_length(43).ns};  // to 2.4 hours
      wheel.schedule(deadline, 1);
      instant fired_at{0};

      while (wheel.size() != 0) {
        const instant now = std::max(wheel.next_wakeup(), wheel.now());
        wheel.poll(now, [&](auto&&...) { fired_at = now; });
      }

      ASSERT_GE(fired_at, deadline) << "start " << start.ns;
      ASSERT_LT(fired_at, deadline + fine) << "start " << start.ns << ", deadline " << deadline.ns;
    }
  }
}

TEST(two_level_wheel, ATimerBeyondTheCoarseLevelDoesNotComeWhenItsSlotComesRoundFirst) {
  // 20 minutes and 24 hours lie in slots that begin long before, once for each 18 minutes.
  for (const duration ahead : {minute * 20, minute * 60 * 24}) {
    two_level_wheel<int> wheel{instant{0}};
    const handle h = wheel.schedule(instant{0} + ahead, 1);
    std::size_t polls = 0;

    while (wheel.next_wakeup() + fine <= instant{0} + ahead) {
      ASSERT_EQ(wheel.poll(wheel.next_wakeup(), ignore).fired, 0U) << "early, at " << wheel.now().ns;
      ++polls;
    }

    EXPECT_EQ(wheel.level_of(h), 0U);
    EXPECT_LE(polls, ahead.ns / (coarse.ns * 1'023) + 2) << "served once each turn";
    EXPECT_EQ(wheel.poll(instant{0} + ahead - duration{1}, ignore).fired, 0U);
    EXPECT_EQ(wheel.poll(instant{0} + ahead + fine, ignore).fired, 1U);
  }
}

TEST(two_level_wheel, CountsTheTimersOfEachLevel) {
  two_level_wheel<int> wheel{instant{0} + minute};
  for (int k = 0; k < 3; ++k) wheel.schedule(wheel.now() + duration{5'000'000}, int{k});
  handle far;
  for (int k = 0; k < 5; ++k) far = wheel.schedule(wheel.now() + minute, int{k});
  wheel.schedule(instant{0}, 0);
  wheel.schedule(never, 0);

  EXPECT_EQ(wheel.timers_on(0), 3U);
  EXPECT_EQ(wheel.timers_on(1), 5U);
  EXPECT_EQ(wheel.size(), 10U);
  wheel.cancel(far);
  EXPECT_EQ(wheel.timers_on(1), 4U) << "its entry is not counted";
  wheel.poll(wheel.now() + minute - duration{700'000'000}, ignore);
  EXPECT_EQ(wheel.timers_on(0), 4U) << "cascaded";
  EXPECT_EQ(wheel.timers_on(1), 0U);
}

// ---- Ids

TEST(two_level_wheel, AnIdIsTwoBitsOfLevel30OfGenerationAnd32OfSlot) {
  const two_level_id id{.level = 2, .generation = 0x2aaa'aaaa, .slot = 0x5678'9abc};

  EXPECT_EQ(id.encode(), 0xaaaa'aaaa'5678'9abcU);
  EXPECT_EQ(two_level_id::decode(id.encode()), id);
  EXPECT_EQ(two_level_id::decode(~std::uint64_t{0}).encode(), ~std::uint64_t{0});
  EXPECT_EQ((two_level_id{.level = 0, .generation = ~std::uint32_t{0}, .slot = 0}.encode() >> 62), 0U)
      << "a generation that is too large stays out of the level";
}

TEST(two_level_wheel, AnIdNamesItsTimerWhereverItIs) {
  two_level_wheel<int> wheel{instant{0}};
  const handle h = wheel.schedule(instant{0} + coarse * 5 + duration{1}, 7);
  const std::uint64_t id = wheel.id_of(h);
  EXPECT_EQ(two_level_id::decode(id).level, 1);

  wheel.poll(instant{0} + coarse * 5, ignore);

  EXPECT_EQ(two_level_id::decode(wheel.id_of(h)).level, 0) << "the level was only a hint";
  EXPECT_EQ(wheel.handle_of(id), h);
  EXPECT_EQ(wheel.cancel(wheel.handle_of(id)), 7);
  EXPECT_EQ(wheel.id_of(h), 0U);
  EXPECT_FALSE(wheel.cancel(wheel.handle_of(id)));
}

TEST(two_level_wheel, EveryHandleFitsAnIdAndForeignIdsAreRefused) {
  two_level_wheel<int> one{instant{0}};
  two_level_wheel<int> other{instant{0}};

  for (int k = 0; k < 20'000; ++k) {
    const handle h = one.schedule(instant{0} + second, int{k});
    const handle foreign = other.schedule(instant{0} + second, int{k});
    ASSERT_EQ(one.handle_of(one.id_of(h)), h);
    ASSERT_FALSE(one.cancel(one.handle_of(other.id_of(foreign)))) << "but for one in 2^30";
  }
}

}  // namespace
}  // namespace pinion::timer
