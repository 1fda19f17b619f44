// SPDX-License-Identifier: Apache-2.0
//
// What stationary_wheel is made of, how it refuses, and the ids of its timers.
#include <gtest/gtest.h>

#include <memory>
#include <pinion/timer.hpp>
#include <utility>
#include <vector>

namespace pinion::timer {
namespace {

constexpr auto ignore = [](auto&&...) {};

constexpr duration second{1'000'000'000};
constexpr duration hour = second * 3'600;

// ---- Construction

TEST(stationary_wheel, StartsAsItWasMade) {
  const auto rings = rings_of({duration{1 << 20}, duration{1 << 26}, duration{1 << 30}}, 256);
  ASSERT_TRUE(rings);
  const stationary_wheel<int> wheel{instant{77}, 5, *rings, {.min_capacity = 30, .ratio = 2}};

  EXPECT_EQ(wheel.start_time(), instant{77});
  EXPECT_EQ(wheel.now(), instant{77});
  EXPECT_EQ(wheel.now_from_any_thread(), instant{77});
  EXPECT_EQ(wheel.worker_id(), 5U);
  EXPECT_EQ(wheel.size(), 0U);
  EXPECT_EQ(wheel.coverage(0), duration{1 << 28});
  EXPECT_EQ(wheel.coverage(1), duration{std::uint64_t{1} << 34});
  EXPECT_EQ(wheel.coverage(2), duration{std::uint64_t{1} << 38});
  EXPECT_EQ(wheel.max_duration(), wheel.coverage(2));
  EXPECT_EQ(wheel.compaction().min_capacity, 30U);
  EXPECT_EQ(wheel.compaction().ratio, 2U);
}

TEST(stationary_wheel, HasTheRingsOfTheDesignByDefault) {
  const stationary_wheel<int> wheel{instant{0}};

  EXPECT_EQ(wheel.coverage(0), duration{1 << 30});
  EXPECT_EQ(wheel.coverage(1), duration{std::uint64_t{1} << 40});
  EXPECT_EQ(wheel.max_duration(), duration{std::uint64_t{1} << 46});
  EXPECT_EQ(wheel.worker_id(), 0U);
  EXPECT_EQ(wheel.compaction().min_capacity, 64U);
  EXPECT_EQ(wheel.compaction().ratio, 4U);
  for (const ring_statistics& ring : wheel.memory_stats()) EXPECT_EQ(ring.spokes, 1'024U);
}

TEST(stationary_wheel, RingsAreMadeOfTicksThatAreMultiplesByPowersOfTwo) {
  const auto made = [](std::uint64_t a, std::uint64_t b, std::uint64_t c, std::size_t spokes) {
    return rings_of({duration{a}, duration{b}, duration{c}}, spokes).has_value();
  };

  EXPECT_TRUE(made(1, 64, 4'096, 64));
  EXPECT_TRUE(made(1, 2, 4, 64)) << "rings may overlap as much as they like";
  EXPECT_TRUE(made(1 << 20, 1ULL << 32, 1ULL << 44, 4'096));
  EXPECT_FALSE(made(1, 128, 4'096, 64)) << "between the first ring's end and the second's first spoke";
  EXPECT_FALSE(made(1, 64, 8'192, 64)) << "the same one ring further";
  EXPECT_FALSE(made(1'000'000, 64'000'000, 4'096'000'000, 64)) << "not powers of two";
  EXPECT_FALSE(made(1, 3, 8, 64));
  EXPECT_FALSE(made(4, 4, 8, 64)) << "two rings alike";
  EXPECT_FALSE(made(8, 4, 2, 64)) << "descending";
  EXPECT_FALSE(made(0, 1, 2, 64));
}

TEST(stationary_wheel, RingsHaveAPowerOfTwoOfSpokesFrom64To4096) {
  const auto made = [](std::size_t spokes) {
    return rings_of({duration{1}, duration{2}, duration{4}}, spokes).has_value();
  };

  EXPECT_TRUE(made(64));
  EXPECT_TRUE(made(4'096));
  for (const std::size_t spokes : {0U, 1U, 32U, 63U, 65U, 1'000U, 8'192U})
    EXPECT_FALSE(made(spokes)) << spokes;
}

TEST(stationary_wheel, RingsThatReachBeyond64BitsAreRefused) {
  const auto made = [](unsigned last_shift) {
    return rings_of({duration{std::uint64_t{1} << (last_shift - 12)},
                     duration{std::uint64_t{1} << (last_shift - 6)},
                     duration{std::uint64_t{1} << last_shift}},
                    64);
  };

  EXPECT_TRUE(made(56));
  ASSERT_FALSE(made(57)) << "64 spokes of 2^57 ns are more than 2^62 ns";
  EXPECT_EQ(made(57).error(), errc::overflow);
}

TEST(stationary_wheel, RingsAreMadeFromATickOfAnyLengthRoundedUp) {
  for (const std::uint64_t tick :
       {1ULL, 3ULL, 1'000'000ULL, 1'048'576ULL, 10'000'000ULL, 60'000'000'000ULL}) {
    const auto rings = rings_from_tick(duration{tick}, 1'024);
    ASSERT_TRUE(rings) << tick;
    stationary_wheel<int> wheel{instant{0}, 0, *rings};

    const duration finest = wheel.levels().tick_of(0);

    EXPECT_GE(finest, duration{tick});
    EXPECT_LT(finest.ns, 2 * tick);
    EXPECT_EQ(wheel.coverage(0), wheel.levels().tick_of(1));
    EXPECT_EQ(wheel.levels().tick_of(2), wheel.levels().tick_of(1) * 64);
    wheel.schedule(instant{10 * tick}, 1);
    EXPECT_GE(wheel.next_wakeup(), instant{10 * tick});
    EXPECT_LE(wheel.next_wakeup(), instant{10 * tick} + finest);
    EXPECT_EQ(wheel.poll(wheel.next_wakeup(), ignore).fired, 1U);
  }
  EXPECT_FALSE(rings_from_tick(duration{0}, 1'024));
  EXPECT_FALSE(rings_from_tick(duration{1'000'000}, 1'000)) << "spokes are not rounded";
  EXPECT_FALSE(rings_from_tick(forever, 1'024));
  EXPECT_EQ(rings_from_tick(duration{std::uint64_t{1} << 40}, 1'024).error(), errc::overflow);
}

// ---- Refusals

TEST(stationary_wheel, TryScheduleTellsWhyNotAndKeepsTheValue) {
  const instant now{1'000};
  stationary_wheel<std::unique_ptr<int>> wheel{now};
  auto value = std::make_unique<int>(7);
  const auto refusal = [&](instant deadline) {
    const expected<handle> armed = wheel.try_schedule(deadline, std::move(value));
    return armed ? errc{} : armed.error();
  };

  EXPECT_EQ(refusal(instant{0}), errc::deadline_passed);
  EXPECT_EQ(refusal(now - duration{1}), errc::deadline_passed) << "before the start";
  EXPECT_EQ(refusal(now), errc::deadline_passed);
  EXPECT_EQ(refusal(now + wheel.max_duration()), errc::deadline_too_far);
  EXPECT_EQ(refusal(never - duration{1}), errc::deadline_too_far);
  EXPECT_EQ(refusal(never), errc::overflow);
  EXPECT_NE(value, nullptr);
  EXPECT_EQ(wheel.size(), 0U);

  EXPECT_EQ(refusal(now + duration{1}), errc{});
  EXPECT_EQ(value, nullptr);
  value = std::make_unique<int>(8);
  EXPECT_EQ(refusal(now + wheel.max_duration() - duration{1}), errc{});
}

TEST(stationary_wheel, TryScheduleSaysWhenNoHandleIsLeft) {
  stationary_wheel<std::unique_ptr<int>> wheel{instant{0}, {.slots_max = 3}};
  std::vector<handle> names;
  for (int k = 0; k < 3; ++k) names.push_back(wheel.schedule(instant{9}, std::make_unique<int>(k)));
  auto value = std::make_unique<int>(7);

  const expected<handle> refused = wheel.try_schedule(instant{9}, std::move(value));
  EXPECT_THROW(wheel.schedule(instant{9}, std::move(value)), std::length_error);
  EXPECT_THROW(wheel.schedule_exact(instant{9}, std::move(value)), std::length_error);
  EXPECT_THROW(wheel.schedule_best_fit(instant{9}, std::move(value)), std::length_error);

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), errc::capacity_exceeded);
  EXPECT_NE(value, nullptr);
  EXPECT_EQ(wheel.size(), 3U);
  wheel.cancel(names[1]);
  EXPECT_TRUE(wheel.try_schedule(instant{9}, std::move(value)));
}

TEST(stationary_wheel, TryCancelTellsAStaleHandleFromOneThatWasNeverGiven) {
  stationary_wheel<int> wheel{instant{0}};
  const handle h = wheel.schedule(instant{5}, 7);
  const auto refusal = [&](handle name) {
    const expected<int> back = wheel.try_cancel(name);
    return back ? errc{} : back.error();
  };

  EXPECT_EQ(wheel.try_cancel(h).value_or(0), 7);
  EXPECT_EQ(refusal(h), errc::not_found) << "cancelled";
  const handle fires = wheel.schedule(instant{5}, 8);
  wheel.poll(instant{0} + second, ignore);
  EXPECT_EQ(refusal(fires), errc::not_found) << "fired";
  const handle cleared = wheel.schedule(instant{0} + hour, 9);
  wheel.clear();
  EXPECT_EQ(refusal(cleared), errc::not_found) << "cleared";
  EXPECT_EQ(refusal(handle{}), errc::invalid_handle);
  EXPECT_EQ(refusal(handle::from_bits(~std::uint64_t{0})), errc::invalid_handle);
}

// ---- Ids

TEST(stationary_wheel, AnIdIsTwoBitsOfLevel22OfGeneration12OfSpokeAnd28OfSlot) {
  const stationary_id id{.level = 2, .generation = 0x2a'aaaa, .spoke = 0x555, .slot = 0xabc'def0};

  EXPECT_EQ(id.encode(), 0xaaaa'aa55'5abc'def0U);
  EXPECT_EQ(stationary_id::decode(id.encode()), id);
  EXPECT_EQ(stationary_id::decode(~std::uint64_t{0}).encode(), ~std::uint64_t{0});
  EXPECT_EQ(stationary_id{}.encode(), 0U);
}

TEST(stationary_wheel, AnIdNamesItsTimerForAsLongAsItIsArmed) {
  stationary_wheel<int> wheel{instant{0}};
  const handle h = wheel.schedule(instant{0} + second * 60, 7);

  const std::uint64_t id = wheel.id_of(h);

  EXPECT_EQ(stationary_id::decode(id).level, 1);
  EXPECT_EQ(stationary_id::decode(id).spoke, 56)
      << "60 s is in the second that ends 56 ticks of 2^30 ns from 0";
  EXPECT_EQ(wheel.handle_of(id), h);
  EXPECT_EQ(wheel.cancel(wheel.handle_of(id)), 7);
  EXPECT_EQ(wheel.id_of(h), 0U);
  EXPECT_FALSE(wheel.cancel(wheel.handle_of(id)));
  EXPECT_EQ(wheel.schedule(instant{0} + second * 60, 8).bits() & 0xffff'ffff, h.bits() & 0xffff'ffff)
      << "the same slot again";
  EXPECT_FALSE(wheel.cancel(wheel.handle_of(id))) << "a stale id does not name the slot's next timer";
}

TEST(stationary_wheel, LevelAndSpokeOfAnIdAreOnlyHints) {
  stationary_wheel<int> wheel{instant{0}};
  const handle h = wheel.schedule(instant{0} + second * 60, 7);
  stationary_id id = stationary_id::decode(wheel.id_of(h));
  wheel.reschedule(h, instant{0} + duration{5'000'000});

  EXPECT_EQ(stationary_id::decode(wheel.id_of(h)).level, 0) << "it is elsewhere now";
  EXPECT_TRUE(wheel.is_armed(wheel.handle_of(id.encode()))) << "and the old id names it still";
  id.level = 0;
  id.spoke = 999;
  EXPECT_EQ(wheel.cancel(wheel.handle_of(id.encode())), 7);
}

TEST(stationary_wheel, ForeignIdsAreRefused) {
  stationary_wheel<int> one{instant{0}};
  stationary_wheel<int> other{instant{0}};
  int accepted = 0;

  for (int k = 0; k < 1'000; ++k) {
    one.schedule(instant{0} + second, int{k});
    const std::uint64_t foreign = other.id_of(other.schedule(instant{0} + second, int{k}));
    if (one.cancel(one.handle_of(foreign))) ++accepted;
  }

  EXPECT_EQ(accepted, 0) << "but for one in 4 million";
  EXPECT_FALSE(one.cancel(one.handle_of(0)));
  EXPECT_FALSE(one.cancel(one.handle_of(~std::uint64_t{0})));
}

TEST(stationary_wheel, EveryHandleFitsAnId) {
  stationary_wheel<int> wheel{instant{0}};

  for (int k = 0; k < 100'000; ++k) {
    const handle h = wheel.schedule(instant{0} + second, int{k});
    ASSERT_EQ(wheel.handle_of(wheel.id_of(h)), h);
    if (k % 2 == 0) wheel.cancel(h);
  }
}

TEST(stationary_wheel, ATimerOnNoRingHasAnIdAllTheSame) {
  stationary_wheel<int> wheel{instant{0} + hour};
  const handle due = wheel.schedule(instant{1}, 1);
  const handle parked = wheel.schedule(never, 2);

  EXPECT_EQ(stationary_id::decode(wheel.id_of(due)).level, 3);
  EXPECT_EQ(wheel.cancel(wheel.handle_of(wheel.id_of(due))), 1);
  EXPECT_EQ(wheel.cancel(wheel.handle_of(wheel.id_of(parked))), 2);
}

}  // namespace
}  // namespace pinion::timer
