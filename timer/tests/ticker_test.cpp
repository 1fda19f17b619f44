// SPDX-License-Identifier: Apache-2.0
//
// An interval that is awaited, in every kind of queue: the same ticks as phase promises, cancellation,
// destruction.
#include <gtest/gtest.h>

#include <concepts>
#include <coroutine>
#include <cstdint>
#include <pinion/timer.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "queues.hpp"

namespace pinion::timer {
namespace {

using testing::at;
using testing::task;
using testing::unit;

template <class Queue>
struct ticker_test : testing::queue_test<Queue> {
  std::vector<tick> ticks;

  task count(ticker<Queue>& beat, std::size_t until) {
    while (ticks.size() < until) ticks.push_back(co_await beat.next());
  }
};
TYPED_TEST_SUITE(ticker_test, testing::calling_queues);

static_assert(!std::move_constructible<ticker<timer_queue<call_wheel>>>);

tick on(std::uint64_t n, std::uint64_t missed = 0) { return {at(n), missed}; }

TYPED_TEST(ticker_test, TicksInPhase) {
  ticker beat{this->timers, unit * 2, missed_ticks::skip};
  const task t = this->count(beat, 3);

  for (std::uint64_t n = 1; n <= 7; ++n) this->run_at(at(n) + duration{1});

  EXPECT_EQ(this->ticks, (std::vector{on(2), on(4), on(6)}));
  EXPECT_EQ(beat.due(), at(8));
  EXPECT_EQ(beat.period(), unit * 2);
}

TYPED_TEST(ticker_test, MissedTicksComeOneAPollUnderBurst) {
  ticker beat{this->timers, at(1), unit, missed_ticks::burst};
  const task t = this->count(beat, 4);

  for (int polls = 0; polls < 10; ++polls) this->run_at(at(4));

  EXPECT_EQ(this->ticks, (std::vector{on(1), on(2), on(3), on(4)}));
}

TYPED_TEST(ticker_test, MissedTicksAreDroppedUnderSkipAndDelay) {
  ticker skipping{this->timers, unit * 2, unit * 2, missed_ticks::skip};
  ticker delaying{this->timers, unit * 2, missed_ticks::delay};
  {
    const task t = this->count(skipping, 2);
    this->run_at(at(7));
    this->run_at(at(8));
    EXPECT_EQ(this->ticks, (std::vector{on(2, 2), on(8)}));
  }
  this->ticks.clear();
  const task t = this->count(delaying, 2);

  for (std::uint64_t n = 9; n <= 11; ++n) this->run_at(at(n));

  EXPECT_EQ(this->ticks, (std::vector{on(2, 3), on(11)}));
}

TYPED_TEST(ticker_test, ATickThatBecameDueWhileTheCoroutineWasBusyIsHandedOutInTheNextPoll) {
  ticker beat{this->timers, unit, missed_ticks::skip};
  const auto busy = [](auto& test, auto& b) -> task {
    test.ticks.push_back(co_await b.next());
    co_await sleep_until(test.timers, at(3));
    test.ticks.push_back(co_await b.next());
  };
  const task t = busy(*this, beat);

  this->run_at(at(1));
  this->run_at(at(3));
  EXPECT_EQ(this->ticks, (std::vector{on(1)})) << "awaited in the poll at 3, so not in it";
  this->run_at(at(3));

  EXPECT_EQ(this->ticks, (std::vector{on(1), on(2, 1)}));
}

TYPED_TEST(ticker_test, ACancelledWaitSaysSoAndKeepsTheTick) {
  ticker beat{this->timers, unit * 2, missed_ticks::skip};
  cancel_slot slot;
  std::string log;
  const auto count = [](auto& test, auto& b, cancel_slot& s, std::string& out) -> task {
    while (const expected<tick, std::error_code> t = co_await b.next(s)) test.ticks.push_back(*t);
    out += 'c';
  };
  {
    const task t = count(*this, beat, slot, log);
    this->run_at(at(2));
    slot.request();
    this->run_at(at(2));
    EXPECT_TRUE(t.is_done());
  }
  EXPECT_EQ(log, "c");
  EXPECT_EQ(this->ticks, (std::vector{on(2)}));
  slot.reset();

  const task again = count(*this, beat, slot, log);
  this->run_at(at(4));
  slot.request();
  this->run_at(at(4));

  EXPECT_EQ(this->ticks, (std::vector{on(2), on(4)}));
  EXPECT_EQ(log, "cc");
}

TYPED_TEST(ticker_test, LeavesNothingBehindWhenNobodyWaits) {
  ticker beat{this->timers, unit, missed_ticks::burst};
  const task t = this->count(beat, 1);
  this->run_at(at(1));

  EXPECT_TRUE(t.is_done());
  EXPECT_EQ(this->timers.size(), 0U);
  EXPECT_EQ(this->run_at(at(9)), 0U);
}

}  // namespace
}  // namespace pinion::timer
