// SPDX-License-Identifier: Apache-2.0
//
// tsc_counter: how the rate of a processor's counter is found, and what becomes of one that is no clock.
#include <gtest/gtest.h>

#include <pinion/base/diagnostic.hpp>

#include <cstdint>
#include <pinion/preempt.hpp>
#include <string>
#include <vector>

namespace pinion::preempt {
namespace {

constexpr duration us{1000};
constexpr duration ms{1'000'000};

TEST(TscScaleTest, CountsWhatALengthIsWithoutLosingAnyOfIt) {
  constexpr tsc_scale scale{std::uint64_t{3} << 20U};
  for (const std::uint64_t ns :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{999'999'999}, std::uint64_t{1} << 20U,
        (std::uint64_t{1} << 50U) + 12345, tsc_scale::longest.ns})
    EXPECT_EQ(scale.of(duration{ns}), 3 * ns);
  EXPECT_EQ(scale.of(forever), 3 * tsc_scale::longest.ns);
  EXPECT_EQ(tsc_scale{}.of(duration{12345}), 12345U);
  EXPECT_EQ((tsc_scale{5 << 19U}.of(duration{3})), 7U);
}

// What a pair says of a counter of that many cycles a microsecond, read without a delay.
tsc_pair pair_at(duration time, std::uint64_t per_us = 2'500) {
  const std::uint64_t cycles = 1'000'000 + time.ns / 1000 * per_us;
  return {.before = cycles, .time = instant{7'000'000'000} + time, .after = cycles};
}
double cycles_a_ns(const tsc_rate& rate) { return static_cast<double>(rate.scale().per_ns) / (1 << 20); }

TEST(TscRateTest, IsKnownFromTwoPairsThatAreFarEnoughApart) {
  tsc_rate rate;
  rate.saw(pair_at(duration{0}));
  EXPECT_EQ(rate.state(), tsc_state::measuring);
  rate.saw(pair_at(tsc_rate::apart - us));
  EXPECT_EQ(rate.state(), tsc_state::measuring);
  EXPECT_EQ(rate.scale(), tsc_scale{});

  rate.saw(pair_at(tsc_rate::apart));

  EXPECT_EQ(rate.state(), tsc_state::in_use);
  EXPECT_GT(cycles_a_ns(rate), 2.5 * 1.0009);
  EXPECT_LT(cycles_a_ns(rate), 2.5 * 1.0011);
}

TEST(TscRateTest, IsTheSameWhereTheSecondPairComesYearsLater) {
  for (const std::uint64_t seconds : {std::uint64_t{1}, std::uint64_t{86'400}, std::uint64_t{100'000'000}}) {
    tsc_rate rate;
    rate.saw(pair_at(duration{0}));

    rate.saw(pair_at(ms * 1000 * seconds));

    EXPECT_EQ(rate.state(), tsc_state::in_use);
    EXPECT_NEAR(cycles_a_ns(rate), 2.5 * 1.001, 2.5 * 0.0001) << seconds;
  }
}

TEST(TscRateTest, TakesTheMostCyclesThatThereCanHaveBeen) {
  tsc_rate rate;
  tsc_pair first = pair_at(duration{0});
  tsc_pair second = pair_at(tsc_rate::apart);
  first.before -= 10'000;
  second.after += 10'000;

  rate.saw(first);
  rate.saw(second);

  EXPECT_GT(cycles_a_ns(rate), 2.502 * 1.0009);
}

TEST(TscRateTest, PassesByAPairThatWasInterrupted) {
  tsc_rate rate;
  tsc_pair torn = pair_at(duration{0});
  torn.after += tsc_rate::pair_max + 1;
  rate.saw(torn);
  rate.saw(pair_at(tsc_rate::apart));
  EXPECT_EQ(rate.state(), tsc_state::measuring);
  torn = pair_at(tsc_rate::apart * 2);
  torn.after += tsc_rate::pair_max + 1;
  rate.saw(torn);
  EXPECT_EQ(rate.state(), tsc_state::measuring);

  rate.saw(pair_at(tsc_rate::apart * 3));

  EXPECT_NEAR(cycles_a_ns(rate), 2.5 * 1.001, 2.5 * 0.0001);
}

TEST(TscRateTest, IsUnusableWhereTheCounterIsNoClock) {
  const auto state_after = [](tsc_pair second) {
    tsc_rate rate;
    rate.saw(pair_at(duration{0}));
    rate.saw(second);
    EXPECT_EQ(rate.scale(), tsc_scale{});
    const tsc_state state = rate.state();
    rate.saw(pair_at(tsc_rate::apart * 5));
    EXPECT_EQ(rate.state(), state) << "once and for all";
    return state;
  };

  tsc_pair backwards = pair_at(tsc_rate::apart);
  backwards.before = backwards.after = 17;
  EXPECT_EQ(state_after(backwards), tsc_state::unusable);
  tsc_pair torn = pair_at(tsc_rate::apart);
  torn.after = torn.before - 1;
  EXPECT_EQ(state_after(torn), tsc_state::unusable);
  EXPECT_EQ(state_after(pair_at(tsc_rate::apart, 0)), tsc_state::unusable) << "it stands";
  EXPECT_EQ(state_after(pair_at(tsc_rate::apart, 17'000)), tsc_state::unusable) << "17 GHz";
}

// A processor that a test makes up, and what was said of it.
class TscGaugeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    said().clear();
    pairs() = 0;
    questions() = 0;
    previous_ = set_diagnostic_sink([](const diagnostic& d) noexcept { said().emplace_back(d.text); });
  }
  void TearDown() override { set_diagnostic_sink(previous_); }

  static std::vector<std::string>& said() {
    static std::vector<std::string> all;
    return all;
  }
  static std::uint64_t& pairs() {
    static std::uint64_t count;
    return count;
  }
  static int& questions() {
    static int count;
    return count;
  }
  static const char* nothing() noexcept {
    ++questions();
    return nullptr;
  }
  static const char* not_invariant() noexcept { return "not invariant"; }
  // Each a quarter of the time later that they have to be apart.
  static tsc_pair later() noexcept { return pair_at(duration{tsc_rate::apart.ns / 4 * pairs()++}); }
  static tsc_pair standing() noexcept { return pair_at(duration{tsc_rate::apart.ns / 4 * pairs()++}, 0); }

  diagnostic_sink previous_ = nullptr;
};

TEST_F(TscGaugeTest, NamesTheClockUntilItKnowsTheRateAndThenReadsNoMore) {
  tsc_gauge gauge{{.what_is_wrong = &nothing, .read_both = &later}};
  for (int slice = 0; slice != 4; ++slice) {
    EXPECT_EQ(gauge.state(), tsc_state::measuring);
    EXPECT_EQ(gauge.scale(), tsc_scale{});
  }

  const tsc_scale known = gauge.scale();

  EXPECT_NEAR(static_cast<double>(known.per_ns) / (1 << 20), 2.5 * 1.001, 2.5 * 0.0001);
  EXPECT_EQ(gauge.state(), tsc_state::in_use);
  EXPECT_EQ(gauge.scale(), known);
  EXPECT_EQ(pairs(), 5U);
  EXPECT_EQ(questions(), 1) << "which is dear in a virtual machine";
  EXPECT_TRUE(said().empty());
}

TEST_F(TscGaugeTest, NamesTheClockForEverAndSaysSoOnceWhereTheCounterIsNone) {
  for (const tsc_calls& processor : {tsc_calls{.what_is_wrong = &not_invariant, .read_both = &later},
                                     tsc_calls{.what_is_wrong = &nothing, .read_both = &standing}}) {
    said().clear();
    pairs() = 0;
    tsc_gauge gauge{processor};

    for (int slice = 0; slice != 20; ++slice) EXPECT_EQ(gauge.scale(), tsc_scale{});

    EXPECT_EQ(gauge.state(), tsc_state::unusable);
    EXPECT_EQ(said().size(), 1U);
  }
}

TEST(TscCounterTest, EndsSlicesByWhicheverClockAndSettlesOnOne) {
  tsc_budget source;
  // The clock of the machine decides how many checks it takes: these are only there for a slice that never
  // ends.
  const auto is_over = [&] {
    for (int check = 0; check != 100'000'000; ++check) {
      if (source.word().is_due()) return true;
    }
    return false;
  };

  for (int slices = 0; slices != 1'000'000 && tsc_counter::state() == tsc_state::measuring; ++slices) {
    const instant now = monotonic_clock::now();
    source.begin(now, now + us);
    ASSERT_TRUE(is_over());
  }

  EXPECT_NE(tsc_counter::state(), tsc_state::measuring);
  source.begin(instant{0}, instant{0} + us);
  EXPECT_EQ(source.is_by_tsc(), tsc_counter::state() == tsc_state::in_use);
  EXPECT_TRUE(is_over());
}

}  // namespace
}  // namespace pinion::preempt
