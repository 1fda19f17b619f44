// SPDX-License-Identifier: Apache-2.0
//
// tsc_budget in virtual time: when it reads, when it is due, how late.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <pinion/preempt.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace pinion::preempt {
namespace {

constexpr duration us{1000};
constexpr duration ms{1'000'000};

// A counter of three cycles a nanosecond, on a clock that the test moves.
struct machine {
  std::uint64_t cycles = 5'000'000;
  std::uint64_t per_ns = 3;
  int readings = 0;

  void pass(duration length) { cycles += length.ns * per_ns; }
};
struct scripted_counter {
  machine* of = nullptr;
  [[nodiscard]] tsc_scale scale() noexcept { return {of->per_ns << 20U}; }
  [[nodiscard]] std::uint64_t read(tsc_scale scale) noexcept {
    EXPECT_EQ(scale.per_ns, of->per_ns << 20U);
    ++of->readings;
    return of->cycles;
  }
};
using virtual_budget = basic_tsc_budget<scripted_counter>;
static_assert(slice_counter<scripted_counter> && preempt_source<virtual_budget>);
static_assert(virtual_budget::traits.asks && !virtual_budget::traits.may_be_early);

class TscBudgetTest : public ::testing::Test {
 protected:
  // Checks that are so long apart, until it is due. What has passed since the first began.
  duration run(const virtual_budget& source, duration check, int most = 1'000'000) {
    const std::uint64_t began = on_.cycles;
    checks_ = 0;
    do {
      on_.pass(check);
      ++checks_;
      if (checks_ == most) return forever;
    } while (!source.word().is_due());
    return duration{(on_.cycles - began) / on_.per_ns};
  }

  machine on_;
  int checks_ = 0;
  instant now_{1'000'000'000};
};

TEST_F(TscBudgetTest, IsDueAtTheFirstCheckAfterTheEndWhereChecksGoOnAsTheyDid) {
  virtual_budget source{{}, {&on_}};

  for (const std::uint64_t ns : {3U, 50U, 777U, 10'000U, 333'333U, 999'999U}) {
    const duration check{ns};
    source.begin(now_, now_ + ms);
    const duration took = run(source, check);

    EXPECT_GE(took, ms) << "checks of " << ns << " ns";
    EXPECT_LT(took, ms + check) << "checks of " << ns << " ns";
  }
}

TEST_F(TscBudgetTest, IsDueAtTheFirstCheckOfASliceThatWasOverByThen) {
  virtual_budget source{{}, {&on_}};
  source.begin(now_, now_ + ms);
  run(source, duration{10});

  source.begin(now_, now_ + ms);

  EXPECT_EQ(run(source, ms + us), ms + us);
  EXPECT_EQ(checks_, 1);
}

TEST_F(TscBudgetTest, ReadsTheCounterLessOftenWhereChecksAreCheap) {
  virtual_budget source{{}, {&on_}};

  source.begin(now_, now_ + ms);
  run(source, duration{10});

  EXPECT_EQ(checks_, 100'000);
  // To 1024 checks, on through the slice, and down to one.
  EXPECT_LT(on_.readings, 12 + 100 + 24);
  EXPECT_GT(on_.readings, 90);
}

TEST_F(TscBudgetTest, ReadsAFewTimesForEachHalvingOfWhatIsLeftWhereItMayLeaveOutMore) {
  virtual_budget source{{.checks_max = 65'536}, {&on_}};

  source.begin(now_, now_ + ms);
  run(source, duration{10});

  // 2^17 checks: up by doubling, down by a quarter to a half.
  EXPECT_LE(on_.readings, 17 + 17 * 5 / 2);
}

TEST_F(TscBudgetTest, NeverLeavesOutMoreThanTwiceAsManyAsBeforeNorMoreThanItMay) {
  virtual_budget source{{.checks_max = 100}, {&on_}};
  source.begin(now_, now_ + ms);

  std::vector<int> at;
  for (int check = 1, seen = on_.readings; check <= 700; ++check) {
    on_.pass(duration{1});
    EXPECT_FALSE(source.word().is_due());
    if (std::exchange(seen, on_.readings) != on_.readings) at.push_back(check);
  }

  EXPECT_EQ(at, (std::vector<int>{1, 3, 7, 15, 31, 63, 127, 227, 327, 427, 527, 627}));
}

TEST_F(TscBudgetTest, IsLateByHalfOfWhatWasLeftTimesSoOftenWhereChecksBecomeDearAtOnce) {
  virtual_budget source{{.checks_max = 65'536}, {&on_}};
  constexpr std::uint64_t dearer = 100;
  const duration cheap{100};
  duration worst{0};

  for (int cheap_checks = 1; cheap_checks < 10'000; cheap_checks += 37) {
    source.begin(now_, now_ + ms);
    for (int check = 0; check != cheap_checks; ++check) {
      on_.pass(cheap);
      if (source.word().is_due()) break;
    }
    const duration left = ms - cheap * static_cast<std::uint64_t>(cheap_checks);
    const duration took = run(source, cheap * dearer);
    worst = std::max(worst, took - left);
  }

  EXPECT_LT(worst, ms * (dearer / 2));
  EXPECT_GT(worst, ms * 10) << "it is what the header warns of, or the header should not";
}

TEST_F(TscBudgetTest, IsLateByNoMoreChecksThanTheOptionSays) {
  constexpr std::uint32_t most = 16;
  virtual_budget source{{.checks_max = most}, {&on_}};
  for (const std::uint64_t check_ns : {1U, 10U, 100U}) {
    source.begin(now_, now_ + ms);
    for (int check = 0; check != 1000; ++check) {
      on_.pass(duration{check_ns});
      ASSERT_FALSE(source.word().is_due());
    }

    // From here each one takes the whole slice.
    run(source, ms);

    EXPECT_LE(checks_, static_cast<int>(most));
  }
}

TEST_F(TscBudgetTest, ReadsAtEachCheckIfItMayLeaveOutNone) {
  virtual_budget source{{.checks_max = 1}, {&on_}};
  source.begin(now_, now_ + ms);
  const int before = on_.readings;

  for (int check = 0; check != 100; ++check) EXPECT_FALSE(source.word().is_due());

  EXPECT_EQ(on_.readings - before, 100);
}

TEST_F(TscBudgetTest, StaysDueUntilTheNextSliceWithoutAnotherReading) {
  virtual_budget source{{}, {&on_}};
  source.begin(now_, now_ + ms);
  run(source, us);
  const int before = on_.readings;

  for (int check = 0; check != 5000; ++check) ASSERT_TRUE(source.word().is_due());
  EXPECT_EQ(on_.readings, before);

  source.begin(now_, now_ + ms);
  EXPECT_FALSE(source.word().is_due());
}

TEST_F(TscBudgetTest, IsNeverDueAndReadsNothingAtRest) {
  virtual_budget source{{}, {&on_}};
  const auto is_quiet = [&] {
    const int before = on_.readings;
    for (int check = 0; check != 5000; ++check) {
      on_.pass(ms);
      if (source.word().is_due()) return false;
    }
    return on_.readings == before;
  };

  EXPECT_TRUE(is_quiet()) << "before the first slice";
  source.begin(now_, now_ + ms);
  source.rest();
  EXPECT_TRUE(is_quiet()) << "after rest()";
  source.begin(now_, now_ + ms);
  run(source, us);
  source.begin(now_, never);
  EXPECT_TRUE(is_quiet()) << "in a slice without an end";
}

TEST_F(TscBudgetTest, ReadsAgainAtTheNextCheckWhereTheCounterWentBack) {
  virtual_budget source{{}, {&on_}};
  source.begin(now_, now_ + ms);
  for (int check = 0; check != 100; ++check) {
    on_.pass(duration{10});
    ASSERT_FALSE(source.word().is_due());
  }

  on_.cycles -= (us * on_.per_ns).ns;
  const int before = on_.readings;
  while (on_.readings == before) EXPECT_FALSE(source.word().is_due());

  EXPECT_FALSE(source.word().is_due());
  EXPECT_EQ(on_.readings, before + 2);
  EXPECT_EQ(run(source, duration{10}), ms);
}

TEST_F(TscBudgetTest, IsDueAtOnceIfTheSliceIsOverAsItBegins) {
  virtual_budget source{{}, {&on_}};

  source.begin(now_ + ms, now_);

  EXPECT_TRUE(source.word().is_due());
}

TEST_F(TscBudgetTest, RefusesOptionsOutOfRange) {
  for (const std::uint32_t checks : {0U, 65'537U, ~0U}) {
    try {
      tsc_budget source{{.checks_max = checks}};
      ADD_FAILURE() << checks << " was taken";
    } catch (const std::system_error& refused) {
      EXPECT_EQ(refused.code(), std::errc::invalid_argument);
      EXPECT_NE(std::string{refused.what()}.find("1, where each check is a reading, to 65536"),
                std::string::npos);
    }
  }
}

}  // namespace
}  // namespace pinion::preempt
