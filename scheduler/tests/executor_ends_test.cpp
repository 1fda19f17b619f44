// SPDX-License-Identifier: Apache-2.0
//
// How long the end of an executor takes, in virtual time, and what is still there in the meantime.
#include <gtest/gtest.h>

#include <chrono>
#include <coroutine>
#include <memory>
#include <optional>
#include <pinion/iosubmit/awaiting.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <pinion/scheduler/executor.hpp>
#include <pinion/sim/virtual_clock.hpp>
#include <pinion/waker/wake_event.hpp>
#include <system_error>

#include "reported.hpp"
#include "virtual_executor.hpp"

namespace pinion::scheduler {
namespace {

using namespace std::chrono_literals;
using testing::reported;
using testing::under_no_slot;
using testing::virtual_executor;
using testing::waits_for_nothing;

struct ExecutorEndsTest : ::testing::Test {
  // How long that took since the end began.
  [[nodiscard]] duration since_begun() const { return clock.time() - begun; }
  duration ends() {
    begun = clock.time();
    loop.reset();
    return since_begun();
  }
  // As long as that, and a few ticks of the timers.
  static void expect_about(duration taken, std::chrono::nanoseconds expected) {
    EXPECT_GE(taken, ceil(expected));
    EXPECT_LE(taken, ceil(expected + 20ms));
  }
  // Waits for the kernel, under a slot that nobody requests.
  task<> accepts(cancel_slot& under) {
    const auto none = co_await iosubmit::awaiting(loop->submission(),
                                                  iosubmit::entries::accept(0, nullptr, nullptr, 0), under);
    EXPECT_FALSE(none);
  }
  void run_once() {
    const auto yields = []() -> task<> { co_await yield(); };
    loop->run(yields());
  }

  sim::virtual_clock clock{instant{1'000'000'000}};
  // Of a second of patience.
  std::unique_ptr<virtual_executor> loop =
      std::make_unique<virtual_executor>(executor_options{}, testing::quiet_ring(clock), clock, clock);
  instant begun;
  const reported seen;
};

TEST_F(ExecutorEndsTest, WhereAllIsUnderItsSlotItTakesNoTime) {
  const auto sleeps = []() -> task<> { co_await sleep_for(1h); };
  loop->spawn(sleeps()).detach();
  run_once();

  expect_about(ends(), 0s);
}

TEST_F(ExecutorEndsTest, TheKernelIsStoppedAfterThePatience) {
  cancel_slot never_requested;
  loop->spawn(accepts(never_requested)).detach();
  run_once();

  expect_about(ends(), 1s);
  EXPECT_EQ(reported::count, 0);
}

TEST_F(ExecutorEndsTest, BehindThatItsChannelIsOpenForTheSamePatienceOnceMore) {
  struct heard : waker::wake_call {
    heard() noexcept : wake_call([](wake_call&) {}) {}
  } wake;
  cancel_slot never_requested;
  std::optional<waker::push_result> pushed;
  const auto pushes = [](ExecutorEndsTest& test, cancel_slot& slot, heard& what,
                         std::optional<waker::push_result>& told) -> task<> {
    const remote_executor by = test.loop->remote();
    co_await test.accepts(slot);
    co_await under_no_slot{500ms};
    told = by.push(what);
  };
  loop->spawn(pushes(*this, never_requested, wake, pushed)).detach();
  run_once();

  expect_about(ends(), 1500ms);
  ASSERT_TRUE(pushed);
  EXPECT_NE(*pushed, waker::push_result::closed);
  EXPECT_EQ(reported::count, 0);
}

TEST_F(ExecutorEndsTest, ATaskOfTheLastWakeHasBothPatiences) {
  static bool is_over;
  is_over = false;
  struct spawning : waker::wake_call {
    spawning() noexcept
        : wake_call([](wake_call&) {
            spawn([]() -> task<> {
              co_await under_no_slot{1500ms};
              is_over = true;
            }())
                .detach();
          }) {}
  } last;
  loop->channel().sender().push(last);

  expect_about(ends(), 1500ms);
  EXPECT_TRUE(is_over);
  EXPECT_EQ(reported::count, 0);
}

TEST_F(ExecutorEndsTest, ATaskOfAnotherExecutorMayDestroyItAndIsItsOwnsStill) {
  virtual_executor other{{}, testing::quiet_ring(clock), clock, clock};
  const auto destroys = [](std::unique_ptr<virtual_executor>& which) -> task<const executor_base*> {
    which.reset();
    co_return executor_base::current();
  };

  EXPECT_EQ(other.run(destroys(loop)), &other);
}

TEST_F(ExecutorEndsTest, ATaskThatNothingEndsIsLeftAfterBothPatiences) {
  std::coroutine_handle<> left;
  const auto stays = [](std::coroutine_handle<>& at) -> task<> { co_await waits_for_nothing{at}; };
  loop->spawn(stays(left)).detach();
  run_once();

  expect_about(ends(), 2s);
  EXPECT_EQ(reported::count, 1);
  left.destroy();
}

TEST_F(ExecutorEndsTest, TheTimeThatATaskTakesCountsForThePatience) {
  std::coroutine_handle<> left;
  const auto hogs = [](ExecutorEndsTest& test, std::coroutine_handle<>& at) -> task<> {
    co_await sleep_for(1h);
    test.clock.advance_by(ceil(3500ms));
    co_await waits_for_nothing{at};
  };
  loop->spawn(hogs(*this, left)).detach();
  run_once();

  expect_about(ends(), 3500ms);
  EXPECT_EQ(reported::count, 1);
  left.destroy();
}

}  // namespace
}  // namespace pinion::scheduler
