// SPDX-License-Identifier: Apache-2.0
//
// wake_event: awaited with and without an executor, woken by this thread and by another, and cancelled at
// every moment.
#include <gtest/gtest-death-test.h>
#include <gtest/gtest.h>

#include <coroutine>
#include <optional>
#include <pinion/waker.hpp>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "small_executor.hpp"

namespace pinion::waker {
namespace {

using pinion::testing::small_executor;

// Begins at once, knows no executor, and is destroyed with this object.
class free_task {
 public:
  struct promise_type {
    free_task get_return_object() {
      return free_task{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    static std::suspend_never initial_suspend() noexcept { return {}; }
    static std::suspend_always final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    [[noreturn]] static void unhandled_exception() { throw; }
  };
  free_task(free_task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  ~free_task() {
    if (frame_) frame_.destroy();
  }
  [[nodiscard]] bool is_done() const noexcept { return frame_.done(); }
  void destroy() noexcept { std::exchange(frame_, nullptr).destroy(); }

 private:
  explicit free_task(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}
  std::coroutine_handle<promise_type> frame_;
};

template <class Inbox>
struct WakeEventTest : ::testing::Test {
  using channel_type = wake_channel<Inbox, futex_notifier>;
  channel_type channel;
  typename channel_type::sender_type sender = channel.sender();
  wake_event<channel_type> event{channel};
  std::string log;

  free_task waits(char name) {
    co_await event.wait();
    log += name;
  }
  free_task waits_under(cancel_slot& slot, char name) {
    const auto woken = co_await event.wait(slot);
    log += woken ? name : woken.error() == std::errc::operation_canceled ? 'c' : '?';
  }
  std::size_t drain() { return channel.drain(call_wakes); }
};
using inboxes = ::testing::Types<tagged_inbox, bounded_inbox<>, mutex_inbox>;
TYPED_TEST_SUITE(WakeEventTest, inboxes);

TYPED_TEST(WakeEventTest, GoesOnFromTheDrainAndNotFromThePush) {
  const free_task one = this->waits('w');
  this->drain();
  EXPECT_EQ(this->log, "");

  this->sender.push(this->event);
  EXPECT_EQ(this->log, "");
  this->drain();

  EXPECT_EQ(this->log, "w");
  EXPECT_FALSE(this->event.is_woken());
}

TYPED_TEST(WakeEventTest, WithAnExecutorTheDrainMakesTheTaskReady) {
  small_executor executor;
  const auto body = [](auto& test) -> pinion::testing::task {
    co_await test.event.wait();
    test.log += 'w';
  };
  pinion::testing::task all = body(*this);
  executor.spawn(all);
  executor.run();
  this->sender.push(this->event);

  this->drain();
  EXPECT_EQ(this->log, "");
  executor.run();

  EXPECT_EQ(this->log, "w");
}

TYPED_TEST(WakeEventTest, RemembersOneWakeThatCameWhileNobodyWaited) {
  for (int times = 0; times < 3; ++times) {
    this->sender.push(this->event);
    this->drain();
  }
  EXPECT_TRUE(this->event.is_woken());

  const free_task first = this->waits('1');
  EXPECT_EQ(this->log, "1");
  const free_task second = this->waits('2');
  EXPECT_EQ(this->log, "1");
  this->sender.push(this->event);
  this->drain();

  EXPECT_EQ(this->log, "12");
}

TYPED_TEST(WakeEventTest, ASlotEndsTheWaitInTheNextDrain) {
  cancel_slot slot;
  const free_task one = this->waits_under(slot, 'w');

  slot.request();
  EXPECT_EQ(this->log, "") << "not from inside request()";
  this->drain();

  EXPECT_EQ(this->log, "c");
  EXPECT_FALSE(this->event.is_woken());
}

TYPED_TEST(WakeEventTest, AWakeThatMeetsACancelIsKept) {
  cancel_slot slot;
  for (const bool wake_comes_first : {true, false}) {
    this->log.clear();
    slot.reset();
    const free_task one = this->waits_under(slot, 'w');
    if (wake_comes_first) this->sender.push(this->event);
    slot.request();
    if (!wake_comes_first) this->sender.push(this->event);
    this->drain();

    // One of the two ends the wait, and nothing is lost: a wake that did not is there for the next.
    EXPECT_EQ(this->log, "c");
    EXPECT_TRUE(this->event.is_woken());
    this->event.reset();
  }
}

TYPED_TEST(WakeEventTest, UnderASlotThatWasRequestedItGivesWayAndKeepsTheWake) {
  cancel_slot slot;
  slot.request();
  this->sender.push(this->event);
  this->drain();

  const free_task one = this->waits_under(slot, 'w');
  EXPECT_EQ(this->log, "");
  this->drain();

  EXPECT_EQ(this->log, "c");
  EXPECT_TRUE(this->event.is_woken());
}

// An owner closes its channel and cancels then: the wait ends all the same, from its drain.
TYPED_TEST(WakeEventTest, ASlotEndsTheWaitAlsoWhereTheChannelIsClosed) {
  cancel_slot slot;
  const free_task one = this->waits_under(slot, 'w');
  this->channel.close(call_wakes);

  slot.request();
  EXPECT_EQ(this->log, "") << "not from inside request()";
  EXPECT_TRUE(this->channel.has_wakes());
  EXPECT_EQ(this->drain(), 1U);

  EXPECT_EQ(this->log, "c");
  EXPECT_FALSE(this->channel.has_wakes());
}

// Each gives way, as in an open channel: a loop that tries again on each error can't hold up the drain.
TYPED_TEST(WakeEventTest, InAClosedChannelOneDrainEndsEachWaitOnce) {
  cancel_slot slot;
  slot.request();
  this->channel.close(call_wakes);
  int errors = 0;
  const auto body = [](auto& test, cancel_slot& s, int& count) -> free_task {
    while (count != 3) {
      const auto woken = co_await test.event.wait(s);
      count += woken ? 0 : 1;
    }
  };
  const free_task all = body(*this, slot, errors);

  for (int drains = 1; drains != 4; ++drains) {
    EXPECT_EQ(this->drain(), 1U);
    EXPECT_EQ(errors, drains);
  }
  EXPECT_TRUE(all.is_done());
  EXPECT_EQ(this->drain(), 0U);
}

TYPED_TEST(WakeEventTest, WhatEndedBeforeItWasCancelledHasEnded) {
  small_executor executor;
  cancel_slot slot;
  const auto body = [](auto& test, cancel_slot& s) -> pinion::testing::task {
    test.log += co_await test.event.wait(s) ? 'w' : 'c';
  };
  pinion::testing::task all = body(*this, slot);
  executor.spawn(all);
  executor.run();
  this->sender.push(this->event);
  this->drain();

  slot.request();
  EXPECT_EQ(this->drain(), 0U);
  executor.run();

  EXPECT_EQ(this->log, "w");
}

TYPED_TEST(WakeEventTest, AnotherThreadWakesIt) {
  constexpr int rounds = 1000;
  int woken = 0;
  const auto body = [](auto& test, int& count) -> free_task {
    while (count != rounds) {
      co_await test.event.wait();
      ++count;
    }
  };
  const free_task all = body(*this, woken);
  std::thread other{[&, to = this->channel.sender()] {
    // The last one is seen, whatever the owner has merged before.
    for (int k = 0; k != 100 * rounds; ++k) to.push(this->event);
  }};
  const instant limit = monotonic_clock::now() + duration{10'000'000'000};
  while (woken == 0 && monotonic_clock::now() < limit) this->drain();
  other.join();
  while (woken != rounds) {  // NOLINT(bugprone-infinite-loop): the coroutine counts, in the drain
    this->sender.push(this->event);
    this->drain();
  }

  EXPECT_TRUE(all.is_done());
}

TYPED_TEST(WakeEventTest, BrokenContractsAreViolations) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";
  cancel_slot slot;
  free_task one = this->waits('1');

  EXPECT_DEATH(this->waits('2'), "two coroutines await one wake_event");
  EXPECT_DEATH(one.destroy(), "a coroutine was destroyed while it waits");
  this->sender.push(this->event);
  this->drain();
}

}  // namespace
}  // namespace pinion::waker
