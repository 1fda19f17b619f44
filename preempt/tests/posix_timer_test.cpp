// SPDX-License-Identifier: Apache-2.0
//
// posix_timer_source in virtual time: when it is due, what it asks the kernel for, and what signals can't do
// to it.
#include <gtest/gtest.h>

#include <memory>
#include <pinion/preempt.hpp>
#include <vector>

#include "scripted_timer_calls.hpp"

namespace pinion::preempt::testing {
namespace {

using machine = scripted_timer_calls;
using source = basic_posix_timer_source<machine>;

class posix_timer_test : public ::testing::Test {
 protected:
  posix_timer_test() { machine::reset(); }
};

TEST_F(posix_timer_test, IsDueAtTheEndOfItsSliceAndNotBefore) {
  source one;
  one.begin(instant{1'000}, instant{1'100});

  machine::advance_to(instant{1'099});
  EXPECT_FALSE(one.word().is_due());
  machine::advance_to(instant{1'100});
  EXPECT_TRUE(one.word().is_due());

  machine::advance_to(instant{9'000});
  EXPECT_TRUE(one.word().is_due());
  one.begin(instant{9'000}, instant{9'100});
  EXPECT_FALSE(one.word().is_due());
  machine::advance_to(instant{9'100});
  EXPECT_TRUE(one.word().is_due());
}

// An executor reads the clock once a turn, so what it says may be a little old.
TEST_F(posix_timer_test, IsDueForASliceThatBeginsAtATimeFromBeforeTheLastSignal) {
  source one;
  one.begin(instant{1'000}, instant{1'100});
  machine::advance_to(instant{1'100});

  one.begin(instant{1'090}, instant{1'190});
  machine::advance_to(instant{1'190});

  EXPECT_TRUE(one.word().is_due());
}

TEST_F(posix_timer_test, IsDueAtOnceForAnEndThatHasBeen) {
  source one;

  one.begin(instant{1'000}, instant{500});
  machine::advance_to(instant{1'000});

  EXPECT_TRUE(one.word().is_due());
}

TEST_F(posix_timer_test, ArmsItsTimerOnceForAThousandSlicesThatEndEarly) {
  source one;

  for (std::uint64_t slice = 0; slice < 1'000; ++slice) {
    const instant now{1'000 + slice};
    machine::advance_to(now);
    one.begin(now, now + duration{1'000});
  }

  EXPECT_EQ(machine::it.armings, 1);
  EXPECT_EQ(machine::it.signals, 0);
}

TEST_F(posix_timer_test, IsSignalledOnceAQuantumHoweverManySlicesEndEarly) {
  source one;

  for (std::uint64_t slice = 0; slice < 1'000; ++slice) {
    const instant now{1'000 + 100 * slice};
    machine::advance_to(now);
    EXPECT_FALSE(one.word().is_due()) << slice;
    one.begin(now, now + duration{10'000});
  }

  EXPECT_LE(machine::it.signals, 11);
  EXPECT_LE(machine::it.armings, 12);
  EXPECT_GE(machine::it.signals, 9);
}

TEST_F(posix_timer_test, IsExactForTheNewerSliceWhenTheTimerWasArmedForAnOlderOne) {
  source one;
  one.begin(instant{1'000}, instant{1'100});
  one.begin(instant{1'050}, instant{1'150});

  machine::advance_to(instant{1'149});
  EXPECT_EQ(machine::it.signals, 1);
  EXPECT_FALSE(one.word().is_due());
  machine::advance_to(instant{1'150});

  EXPECT_TRUE(one.word().is_due());
  EXPECT_EQ(machine::it.armings, 2);
}

TEST_F(posix_timer_test, ArmsAgainForAnEarlierEnd) {
  source one;
  one.begin(instant{1'000}, instant{5'000});
  one.begin(instant{1'010}, instant{1'100});

  machine::advance_to(instant{1'100});

  EXPECT_TRUE(one.word().is_due());
  EXPECT_EQ(machine::it.armings, 2);
}

TEST_F(posix_timer_test, IsQuietAfterRestButForOneSignal) {
  source one;
  one.begin(instant{1'000}, instant{1'100});
  one.rest();
  EXPECT_FALSE(one.word().is_due());

  machine::advance_to(instant{1'000'000});

  EXPECT_FALSE(one.word().is_due());
  EXPECT_EQ(machine::it.signals, 1);
  EXPECT_EQ(machine::it.armings, 1);
  EXPECT_FALSE(machine::is_anything_armed());
}

TEST_F(posix_timer_test, ArmsNothingForASliceThatHasNoEnd) {
  source one;

  one.begin(instant{1'000}, never);

  EXPECT_EQ(machine::it.armings, 0);
}

TEST_F(posix_timer_test, IsNotDueByASignalForAnOlderSliceThatComesLate) {
  source one;
  machine::it.holds_up = true;
  one.begin(instant{1'000}, instant{1'100});
  machine::advance_to(instant{1'120});
  one.begin(instant{1'120}, instant{1'220});

  machine::let_go();
  EXPECT_FALSE(one.word().is_due());
  machine::advance_to(instant{1'219});
  EXPECT_FALSE(one.word().is_due());
  machine::advance_to(instant{1'220});

  EXPECT_TRUE(one.word().is_due());
}

TEST_F(posix_timer_test, EndsTheNextSliceAllTheSameWhenASignalWasLost) {
  source one;
  machine::it.drops = true;
  one.begin(instant{1'000}, instant{1'100});
  machine::advance_to(instant{1'200});
  machine::it.drops = false;

  one.begin(instant{1'200}, instant{1'300});
  machine::advance_to(instant{1'300});

  EXPECT_TRUE(one.word().is_due());
}

// In the middle of the system call by which begin() arms the timer: any signal, however late the clock is by
// then.
TEST_F(posix_timer_test, EndsItsSliceIfASignalComesInTheMiddleOfArming) {
  for (const std::uint64_t late : {0U, 60U, 100U, 170U}) {
    machine::reset();
    source one;
    one.begin(instant{1'000}, instant{1'050});
    one.rest();
    machine::advance_to(instant{1'060});
    machine::it.before_arming = [late] {
      machine::it.before_arming = nullptr;
      machine::it.now = machine::it.now + duration{late};
      machine::signal(machine::it.timers[0]);
    };

    one.begin(instant{1'060}, instant{1'160});
    EXPECT_EQ(one.word().is_due(), late >= 100) << late;
    machine::advance_to(instant{1'159});
    EXPECT_EQ(one.word().is_due(), late >= 100) << late;
    machine::advance_to(instant{1'300});

    EXPECT_TRUE(one.word().is_due()) << late;
    EXPECT_FALSE(machine::is_anything_armed()) << late;
  }
}

TEST_F(posix_timer_test, TakesAForgedSignalForAHintToLookAtTheClock) {
  source one;
  one.begin(instant{1'000}, instant{1'100});

  for (int times = 0; times < 100; ++times) machine::signal(machine::it.timers[0]);
  EXPECT_FALSE(one.word().is_due());
  EXPECT_EQ(machine::it.armings, 1);
  machine::advance_to(instant{1'100});

  EXPECT_TRUE(one.word().is_due());
}

// What ThreadSanitizer makes of two that come before it lets the handler run.
TEST_F(posix_timer_test, EndsAllSlicesThatAreOverAtOneSignal) {
  source outer;
  source inner;
  machine::it.holds_up = true;
  outer.begin(instant{1'000}, instant{1'200});
  inner.begin(instant{1'000}, instant{1'100});
  machine::advance_to(instant{1'300});
  machine::it.held_up.pop_back();

  machine::let_go();

  EXPECT_TRUE(inner.word().is_due());
  EXPECT_TRUE(outer.word().is_due());
}

// Its handler may interrupt that of the other signal, in the middle of such a source.
TEST_F(posix_timer_test, TellsNoSourceOfASignalThatIsNotItsOwn) {
  source one;
  source other{{.signal = 40}};
  one.begin(instant{1'000}, instant{1'100});
  machine::it.now = instant{2'000};

  machine::signal({.signal = 40, .thread = 1});
  EXPECT_FALSE(one.word().is_due());
  machine::signal({.signal = one.signal(), .thread = 1});

  EXPECT_TRUE(one.word().is_due());
}

TEST_F(posix_timer_test, TellsNoSourceOfASignalOnAnotherThread) {
  source one;
  one.begin(instant{1'000}, instant{1'100});
  machine::it.now = instant{2'000};
  machine::it.thread = 2;

  machine::signal(machine::it.timers[0]);
  EXPECT_FALSE(one.word().is_due());
  machine::it.thread = 1;
  machine::signal(machine::it.timers[0]);

  EXPECT_TRUE(one.word().is_due());
}

TEST_F(posix_timer_test, DropsASignalThatWasQueuedBeforeItsSourceEnded) {
  source stays;  // and keeps the handler
  stays.begin(instant{1'000}, instant{9'000});
  auto ended = std::make_unique<source>();
  ended->begin(instant{1'000}, instant{1'100});
  machine::it.holds_up = true;
  machine::advance_to(instant{1'100});
  ended.reset();
  machine::let_go();

  EXPECT_EQ(machine::it.signals, 1);
  EXPECT_FALSE(stays.word().is_due());
  EXPECT_EQ(machine::open_timers(), 1);
}

TEST_F(posix_timer_test, IsNotDueByASignalOfASourceThatHasEnded) {
  source stays;
  auto ended = std::make_unique<source>();
  ended->begin(instant{1'000}, instant{1'100});
  machine::it.holds_up = true;
  machine::advance_to(instant{1'100});
  ended.reset();
  source next;
  next.begin(instant{1'100}, instant{1'200});

  machine::let_go();
  EXPECT_FALSE(next.word().is_due());
  machine::advance_to(instant{1'200});

  EXPECT_TRUE(next.word().is_due());
}

TEST_F(posix_timer_test, KeepsTwoSourcesOfOneThreadApart) {
  source outer;
  source inner;
  outer.begin(instant{1'000}, instant{1'200});
  inner.begin(instant{1'000}, instant{1'100});

  machine::advance_to(instant{1'100});
  EXPECT_TRUE(inner.word().is_due());
  EXPECT_FALSE(outer.word().is_due());
  inner.rest();
  machine::advance_to(instant{1'200});

  EXPECT_TRUE(outer.word().is_due());
  EXPECT_FALSE(inner.word().is_due());
}

std::vector<stall> told;  // NOLINT
const stall_hook tells{.function = [](void*, const stall& seen) noexcept { told.push_back(seen); }};

TEST_F(posix_timer_test, TellsOfAStallOnceForEachSlice) {
  told.clear();
  source one{{.stalls = {.after = duration{50}, .hook = tells}}};

  one.begin(instant{1'000}, instant{1'100});
  machine::advance_to(instant{1'149});
  EXPECT_TRUE(told.empty());
  machine::advance_to(instant{5'000});
  machine::signal(machine::it.timers[0]);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].length, duration{50});
  EXPECT_TRUE(told[0].lasts);
  EXPECT_EQ(told[0].who, &one);
  EXPECT_FALSE(machine::is_anything_armed());
  one.begin(instant{5'000}, instant{5'100});
  machine::advance_to(instant{9'000});

  EXPECT_EQ(told.size(), 2U);
}

TEST_F(posix_timer_test, TellsOfNoStallOfASliceThatEndedInTime) {
  told.clear();
  source one{{.stalls = {.after = duration{50}, .hook = tells}}};

  one.begin(instant{1'000}, instant{1'100});
  machine::advance_to(instant{1'120});
  EXPECT_TRUE(one.word().is_due());
  one.begin(instant{1'120}, instant{1'220});
  machine::advance_to(instant{1'240});
  EXPECT_TRUE(one.word().is_due());
  one.rest();
  machine::advance_to(instant{9'000});

  EXPECT_TRUE(told.empty());
  EXPECT_FALSE(machine::is_anything_armed());
}

TEST_F(posix_timer_test, StopsASliceThatBeginsOnAnotherThread) {
#if PINION_CHECKED
  source one;
  machine::it.thread = 2;
  EXPECT_DEATH(one.begin(instant{1'000}, instant{1'100}), "make the source where its slices run");
  machine::it.thread = 1;
#else
  GTEST_SKIP() << "contracts are not checked in this build (PINION_ASSERT=OFF)";
#endif
}

}  // namespace
}  // namespace pinion::preempt::testing
