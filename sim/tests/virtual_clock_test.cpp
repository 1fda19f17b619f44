// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <pinion/sim/virtual_clock.hpp>
#include <type_traits>
#include <vector>

namespace pinion::sim {
namespace {

// What base asks of a clock.
template <class Clock>
concept clock_of_instants = requires(const Clock& clock) {
  { clock.now() } noexcept -> std::same_as<instant>;
};

std::vector<instant> readings_of(const virtual_clock& clock, std::size_t count) {
  std::vector<instant> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(clock.now());
  return result;
}

TEST(virtual_clock, StandsInForTheMonotonicClock) {
  static_assert(clock_of_instants<monotonic_clock>);
  static_assert(clock_of_instants<virtual_clock>);
  static_assert(clock_of_instants<virtual_clock::view>);
  static_assert(!std::is_copy_constructible_v<virtual_clock>, "a copy would go its own way");
  static_assert(std::is_trivially_copyable_v<virtual_clock::view>);
  virtual_clock clock{instant{5}};

  const virtual_clock::view kept = clock;
  clock.advance_by(duration{2});

  EXPECT_EQ(kept.now(), instant{7});
}

TEST(virtual_clock, GoesOnlyWhenItIsTold) {
  virtual_clock clock{instant{100}};

  EXPECT_EQ(readings_of(clock, 3), std::vector<instant>(3, instant{100}));
  clock.advance_by(duration{20});
  EXPECT_EQ(clock.now(), instant{120});
  clock.advance_to(instant{150});
  EXPECT_EQ(clock.now(), instant{150});
}

TEST(virtual_clock, AdvancingToWhatHasBeenDoesNothing) {
  virtual_clock clock{instant{100}};

  clock.advance_to(instant{99});

  EXPECT_EQ(clock.now(), instant{100});
}

TEST(virtual_clock, JumpsBothWays) {
  virtual_clock clock{instant{100}};

  clock.jump_to(instant{std::uint64_t{1} << 48});
  EXPECT_EQ(clock.now(), instant{std::uint64_t{1} << 48});
  clock.jump_to(instant{3});
  EXPECT_EQ(clock.now(), instant{3});
  clock.go_back_by(duration{1});
  EXPECT_EQ(clock.now(), instant{2});
}

TEST(virtual_clock, StopsAtTheEndsOfTime) {
  const instant last{never.ns - 1};
  virtual_clock clock{instant{10}};

  clock.go_back_by(duration{11});
  EXPECT_EQ(clock.now(), instant{0});
  clock.advance_by(forever);
  EXPECT_EQ(clock.now(), last);
  clock.tick(forever, 1);
  EXPECT_EQ(clock.now(), last);
  EXPECT_EQ(virtual_clock{never}.now(), last);
}

TEST(virtual_clock, StandingStillItHidesWhatPassesAndThenShowsAllOfIt) {
  virtual_clock clock{instant{100}};

  clock.stand_still();
  clock.advance_by(duration{50});

  EXPECT_EQ(clock.now(), instant{100});
  EXPECT_EQ(clock.time(), instant{150});
  clock.go_on();
  EXPECT_EQ(clock.now(), instant{150});
}

TEST(virtual_clock, StandsStillForAsManyReadingsAsItIsTold) {
  virtual_clock clock{instant{100}};

  clock.stand_still(2);
  clock.advance_by(duration{50});

  EXPECT_EQ(readings_of(clock, 4),
            (std::vector<instant>{instant{100}, instant{100}, instant{150}, instant{150}}));
}

TEST(virtual_clock, ANewStandBeginsAtTheTrueTime) {
  virtual_clock clock{instant{100}};
  clock.stand_still();
  clock.advance_by(duration{50});

  clock.stand_still(1);
  clock.advance_by(duration{50});

  EXPECT_EQ(readings_of(clock, 2), (std::vector<instant>{instant{150}, instant{200}}));
}

TEST(virtual_clock, TickingItMovesAtReadingsByAtMostWhatItIsTold) {
  const std::uint64_t seed = 7;
  SCOPED_TRACE(seed);
  virtual_clock clock{instant{1'000}};
  clock.tick(duration{3}, seed);
  std::vector<std::size_t> steps(5);
  instant before = clock.time();

  for (int i = 0; i < 1'000; ++i) {
    const instant now = clock.now();
    ++steps[now < before ? 4 : std::min<std::uint64_t>((now - before).ns, 4)];
    before = now;
  }

  EXPECT_EQ(steps[4], 0U) << "a step back, or of more than 3 ns";
  for (std::size_t step = 0; step < 4; ++step) EXPECT_GT(steps[step], 150U) << "of " << step << " ns";
}

TEST(virtual_clock, TheSameSeedGivesTheSameReadings) {
  const auto readings = [](std::uint64_t seed) {
    virtual_clock clock{instant{0}};
    clock.tick(duration{1'000'000}, seed);
    return readings_of(clock, 16);
  };

  EXPECT_EQ(readings(1), readings(1));
  EXPECT_NE(readings(1), readings(2));
  EXPECT_EQ(readings(1).front(), instant{133'876}) << "the sequence is part of the contract";
}

TEST(virtual_clock, LookingAtTheTimeIsNoReading) {
  virtual_clock clock{instant{0}};
  clock.tick(duration{100}, 1);
  clock.stand_still(1);

  const instant looked = clock.time();

  EXPECT_EQ(looked, clock.time());
  EXPECT_EQ(clock.readings(), 0U);
}

TEST(virtual_clock, CountsReadingsThroughViewsAndWhileItStandsStill) {
  virtual_clock clock{instant{0}};
  const virtual_clock::view view{clock};

  (void)clock.now();
  (void)view.now();
  clock.stand_still();
  (void)view.now();

  EXPECT_EQ(clock.readings(), 3U);
}

TEST(virtual_clock, DoesNotTickWhileItStandsStillOrAfterItWasTurnedOff) {
  virtual_clock clock{instant{0}};
  clock.tick(duration{100}, 1);

  clock.stand_still(10);
  (void)readings_of(clock, 10);
  EXPECT_EQ(clock.time(), instant{0});
  clock.tick(duration{0}, 1);
  (void)readings_of(clock, 10);
  EXPECT_EQ(clock.time(), instant{0});
}

}  // namespace
}  // namespace pinion::sim
