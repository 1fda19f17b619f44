// SPDX-License-Identifier: Apache-2.0
//
// Sleeps under a cancel_slot: which of them it ends, when, and what may go first.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <pinion/timer.hpp>

#include "sleepers.hpp"
#include "small_executor.hpp"

namespace pinion::timer {
namespace {

using namespace std::chrono_literals;
using testing::at;
using testing::task;

template <class Queue>
using sleep_cancel_test = testing::sleep_test<Queue>;
TYPED_TEST_SUITE(sleep_cancel_test, testing::calling_queues);

using any_queue = timer_queue<call_wheel, testing::virtual_clock>;

TYPED_TEST(sleep_cancel_test, WhatEndedBeforeItWasCancelledHasEnded) {
  pinion::testing::small_executor executor;
  cancel_slot slot;
  const auto body = [](auto& test, cancel_slot& s) -> pinion::testing::task {
    test.log += co_await sleep_until(test.timers, at(1), s) ? 'e' : 'c';
  };
  pinion::testing::task all = body(*this, slot);
  executor.spawn(all);
  executor.run();

  this->run_at(at(1));
  slot.request();
  this->run_at(at(1));
  executor.run();

  EXPECT_EQ(this->log, "e");
}

TYPED_TEST(sleep_cancel_test, ACancelledSleepEndsInTheNextPollAndSaysSo) {
  cancel_slot slot;
  const task t = this->cancellable_sleeper(at(100), slot);
  this->run_at(at(1));

  slot.request();
  EXPECT_EQ(this->log, "") << "not from inside request()";
  EXPECT_LE(this->timers.next_wakeup(), at(1)) << "the host does not sleep until the deadline";
  this->run_at(at(1));

  EXPECT_EQ(this->log, "c");
  EXPECT_TRUE(t.is_done());
  EXPECT_EQ(this->timers.size(), 0U);
}

TEST(sleep_cancel, TheSampleOfSlots) {
  instant time{};
  any_queue all{testing::virtual_clock{&time}};
  cancel_slot closing;
  int stage = 0;
  const auto sleeper = [](any_queue& timers, cancel_slot& shutdown, int& reached) -> task {
    const auto slept = co_await sleep_for(timers, 5s, shutdown);  // in any number of coroutines
    if (!slept) co_return;
    reached = 1;
  };
  const task one = sleeper(all, closing, stage), other = sleeper(all, closing, stage);

  const auto close = [](cancel_slot& shutdown) {
    shutdown.request();  // anywhere on the owner's thread
  };
  close(closing);
  all.run();

  EXPECT_TRUE(one.is_done() && other.is_done());
  EXPECT_EQ(stage, 0);
}

TYPED_TEST(sleep_cancel_test, ASleepUnderASlotEndsByItselfIfNobodyCancels) {
  cancel_slot slot;
  const task t = this->cancellable_sleeper(at(2), slot);

  this->run_at(at(2));
  slot.request();
  this->run_at(at(3));

  EXPECT_EQ(this->log, "e");
}

TYPED_TEST(sleep_cancel_test, OneSlotCancelsAllThatWaitAndWhatBeginsToWaitLater) {
  cancel_slot slot;
  const task a = this->cancellable_sleeper(at(2), slot);
  const task b = this->cancellable_sleeper(never, slot);
  const task c = this->cancellable_sleeper(at(4), slot);

  slot.request();
  slot.request();
  const task late = this->cancellable_sleeper(at(2), slot);
  EXPECT_EQ(this->log, "") << "not inline";
  this->run_at(at(1));
  EXPECT_EQ(this->log, "cccc");
  slot.reset();
  const task again = this->cancellable_sleeper(at(2), slot);
  this->run_at(at(2));

  EXPECT_EQ(this->log, "cccce");
}

TYPED_TEST(sleep_cancel_test, CancellingASleepThatIsDueInTheSamePollStillCancelsIt) {
  cancel_slot slot;
  const auto canceller = [](auto& test, cancel_slot& s) -> task {
    co_await sleep_until(test.timers, at(1));
    test.log += 'r';
    s.request();
  };
  const task first = canceller(*this, slot);
  const task second = this->cancellable_sleeper(at(2), slot);

  const std::size_t fired = this->run_at(at(3));

  EXPECT_EQ(fired, 1U) << "a due timer that was moved does not run in this poll";
  EXPECT_EQ(this->log, "r");
  this->run_at(at(3));
  EXPECT_EQ(this->log, "rc");
}

TYPED_TEST(sleep_cancel_test, SlotAndSleepersMayEndInAnyOrder) {
  auto slot = std::make_unique<cancel_slot>();
  auto a = std::make_unique<task>(this->cancellable_sleeper(at(1), *slot));
  auto b = std::make_unique<task>(this->cancellable_sleeper(at(3), *slot));
  this->run_at(at(1));
  a.reset();

  slot->request();
  slot->reset();
  const task after = this->cancellable_sleeper(at(1), *slot);
  slot = nullptr;
  this->run_at(at(1));

  EXPECT_TRUE(this->log == "ece" || this->log == "eec") << this->log;
  EXPECT_EQ(this->timers.size(), 0U);
}

TYPED_TEST(sleep_cancel_test, ASlotThatIsGoneCancelsNobody) {
  std::optional<cancel_slot> slot{std::in_place};
  const task a = this->cancellable_sleeper(at(1), *slot);
  const task b = this->cancellable_sleeper(at(2), *slot);

  slot.reset();
  this->run_at(at(2));

  EXPECT_EQ(this->log, "ee");
}

}  // namespace
}  // namespace pinion::timer
