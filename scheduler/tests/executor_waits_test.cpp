// SPDX-License-Identifier: Apache-2.0
//
// Timeouts, groups, when_all and when_any: what ends what, and that nothing is left behind.
#include <gtest/gtest.h>

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <memory>
#include <pinion/scheduler.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "reported.hpp"

namespace pinion::scheduler {
namespace {

using namespace std::chrono_literals;
using testing::reported;
using the_executor = scheduler::executor;

struct ExecutorWaitsTest : ::testing::Test {
  ~ExecutorWaitsTest() override { EXPECT_EQ(loop.size(), 0U) << "tasks are left behind"; }
  the_executor loop;
};

task<std::error_code> sleeps(std::chrono::nanoseconds length) {
  const auto slept = co_await sleep_for(length);
  co_return slept ? std::error_code{} : slept.error();
}
task<int> gives_after(std::chrono::nanoseconds length, int value) {
  if (const std::error_code error = co_await sleeps(length)) throw std::system_error{error};
  co_return value;
}
task<> throws_after(std::chrono::nanoseconds length) {
  co_await sleep_for(length);
  throw std::runtime_error{"thrown"};
}

task<> sleeps_for_a_moment() { co_await sleep_for(1us); }
task<> waits_an_hour() { co_await sleep_for(1h); }

// ---- with_timeout

TEST_F(ExecutorWaitsTest, ATimeoutEndsWhatTakesTooLong) {
  const auto waits = []() -> task<std::string> {
    const auto slept = co_await with_timeout(1ms, sleep_for(1h));
    if (slept || slept.error() != std::errc::timed_out) co_return "an expected is not timed out";
    const auto value = co_await with_timeout(1ms, gives_after(1h, 1));
    if (value || value.error() != std::errc::timed_out) co_return "a task that throws is not timed out";
    const auto nothing = co_await with_timeout(1ms, waits_an_hour());
    if (nothing || nothing.error() != std::errc::timed_out)
      co_return "a task without a value is not timed out";
    co_await with_timeout(1ms, throws_after(0ms));
    co_return "an exception was swallowed";
  };
  EXPECT_THROW(loop.run(waits()), std::runtime_error)
      << "which passes through, and before it nothing was wrong";
}

TEST_F(ExecutorWaitsTest, WhatEndsInTimeGivesWhatItGives) {
  const auto waits = []() -> task<int> {
    if (!co_await with_timeout(1h, sleep_for(1us))) co_return -1;
    const auto code = co_await with_timeout(1h, sleeps(0ns));
    if (!code || *code) co_return -2;
    co_return (co_await with_timeout(1h, gives_after(1us, 7))).value_or(-3);
  };
  EXPECT_EQ(loop.run(waits()), 7);
}

TEST_F(ExecutorWaitsTest, AValueThatCameLateIsNotLost) {
  const auto shields = []() -> task<std::unique_ptr<int>> {
    co_await sleep_for(1h);  // is cancelled, and it goes on
    co_return std::make_unique<int>(3);
  };
  const auto waits = [](auto& late) -> task<int> {
    auto given = co_await with_timeout(1ms, late());
    co_return given ? **given : -1;
  };
  EXPECT_EQ(loop.run(waits(shields)), 3);
}

TEST_F(ExecutorWaitsTest, AnErrorOfItsOwnThatCameLateIsNoTimeout) {
  const auto gives = []() -> task<expected<int, std::error_code>> {
    co_await waits_an_hour();  // is cancelled
    co_return unexpected<std::error_code>{std::make_error_code(std::errc::io_error)};
  };
  const auto throws = []() -> task<int> {
    co_await waits_an_hour();
    throw std::system_error{std::make_error_code(std::errc::io_error)};
    co_return 1;
  };
  const auto waits = [](auto& given, auto& thrown) -> task<std::string> {
    const auto late = co_await with_timeout(1ms, given());
    if (late || late.error() != std::errc::io_error) co_return "what it gives is lost";
    try {
      static_cast<void>(co_await with_timeout(1ms, thrown()));
    } catch (const std::system_error& error) {
      co_return error.code() == std::errc::io_error ? "right" : "another error is thrown";
    }
    co_return "what it throws is lost";
  };
  EXPECT_EQ(loop.run(waits(gives, throws)), "right");
}

TEST_F(ExecutorWaitsTest, WhatIsReadyIsNotWaitedFor) {
  const auto waits = []() -> task<int> {
    auto other = spawn([]() -> task<int> { co_return 4; }());
    while (!other.is_over()) co_await yield();
    co_return (co_await with_timeout(20ms, other.join())).value_or(-1);
  };
  EXPECT_EQ(loop.run(waits()), 4);
}

TEST_F(ExecutorWaitsTest, TimeoutsNestAndTheTaskWaitsUnderItsOwnSlotAfterwards) {
  const auto waits = []() -> task<std::string> {
    const auto inner = []() -> task<std::string> {
      const auto slept = co_await with_timeout(1h, sleep_for(1h));
      if (slept || slept.error() != std::errc::operation_canceled) co_return "the inner one: not cancelled";
      co_return "";
    };
    const auto outer = co_await with_timeout(1ms, inner());
    if (!outer || !outer->empty()) co_return "the outer one: " + outer.value_or("no value");
    if (!co_await sleep_for(1us)) co_return "the slot of the timeout is still waited under";
    co_return "right";
  };
  EXPECT_EQ(loop.run(waits()), "right");
}

TEST_F(ExecutorWaitsTest, CancellingATaskIsNoTimeout) {
  const auto waits = []() -> task<std::error_code> {
    const auto slept = co_await with_timeout(1h, sleep_for(1h));
    const auto later = co_await sleep_for(1us);
    if (later) co_return std::make_error_code(std::errc::no_message);  // the timeout alone was cancelled
    co_return slept ? std::error_code{} : slept.error();
  };
  auto handle = loop.spawn(waits());
  const auto cancels = [](join_handle<std::error_code>& other) -> task<std::error_code> {
    co_await yield();
    other.cancel();
    co_return co_await other;
  };
  EXPECT_EQ(loop.run(cancels(handle)), std::errc::operation_canceled);
}

struct throws_as_it_suspends {
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  static void await_suspend(std::coroutine_handle<>) { throw std::runtime_error{"no room"}; }
  static void await_resume() noexcept {}
};

TEST_F(ExecutorWaitsTest, WhatThrowsAsItSuspendsLeavesNoTimeoutBehind) {
  const auto waits = [](the_executor& by) -> task<bool> {
    std::string thrown;
    const cancel_slot& before = by.executor_base::slot();
    try {
      co_await with_timeout(1ms, throws_as_it_suspends{});
    } catch (const std::runtime_error& error) {
      thrown = error.what();
    }
    const bool is_its_own = &by.executor_base::slot() == &before;
    const auto slept = co_await sleep_for(5ms);
    co_return slept&& is_its_own&& thrown == "no room";
  };
  EXPECT_TRUE(loop.run(waits(loop)));
}

task<> takes_its_time() {
  co_await sleep_for(1h);  // is cancelled
  const auto until = std::chrono::steady_clock::now() + 10ms;
  while (std::chrono::steady_clock::now() < until) co_await yield();
  throw std::system_error{wait_cancelled()};
}
task<std::error_code> awaits_for_five_milliseconds() {
  const auto given = co_await with_timeout(5ms, takes_its_time());
  co_return given ? std::error_code{} : given.error();
}

TEST_F(ExecutorWaitsTest, ATaskThatWasCancelledBeforeItsTimeIsNotLate) {
  auto handle = loop.spawn(awaits_for_five_milliseconds());
  handle.cancel();
  loop.run();
  std::error_code why;
  try {
    why = handle.take();
  } catch (const std::system_error& error) {
    why = error.code();
  }
  EXPECT_EQ(why, wait_cancelled()) << "and not that it timed out";
}

TEST_F(ExecutorWaitsTest, JoinsHaveTimeouts) {
  const auto waits = []() -> task<int> {
    auto other = spawn(gives_after(20ms, 3));
    const auto late = co_await with_timeout(1ms, other.join());
    if (late || late.error() != std::errc::timed_out) co_return -1;
    task_group group;
    group.spawn(throws_after(1h));
    bool has_thrown = false;
    try {
      co_await with_timeout(1ms, group.join());  // cancels the group
    } catch (const std::runtime_error&) {
      has_thrown = true;
    }
    co_return has_thrown ? co_await other : -2;
  };
  EXPECT_EQ(loop.run(waits()), 3);
}

// ---- Groups

task<> counts(int& into, std::chrono::nanoseconds after) {
  const auto slept = co_await sleep_for(after);  // in the `if` itself g++ 12 would lose it: docs/scheduler.md
  if (slept) ++into;
}

TEST_F(ExecutorWaitsTest, AGroupIsOverWhenAllAre) {
  int count = 0;
  const auto spawns = [](int& into) -> task<std::size_t> {
    task_group all;
    for (int k = 0; k != 10; ++k) all.spawn(counts(into, std::chrono::microseconds{100 * k}));
    const std::size_t before = all.size();
    co_await all.join();
    co_await all.join();  // of an empty one
    co_return before - all.size();
  };
  EXPECT_EQ(loop.run(spawns(count)), 10U);
  EXPECT_EQ(count, 10);
}

TEST_F(ExecutorWaitsTest, WhereOneThrowsTheOthersAreCancelledAndAwaited) {
  int count = 0;
  const auto spawns = [](int& into) -> task<std::string> {
    task_group all;
    for (int k = 0; k != 10; ++k) all.spawn(counts(into, 1h));
    all.spawn(throws_after(1ms));
    all.spawn(throws_after(1h));
    std::string thrown;
    try {
      co_await all.join();
    } catch (const std::runtime_error& error) {
      thrown = error.what();
    }
    if (all.size() != 0) co_return "left behind";
    all.spawn(counts(into, 1us));  // a group can be used again
    co_await all.join();
    co_return thrown;
  };
  EXPECT_EQ(loop.run(spawns(count)), "thrown");
  EXPECT_EQ(count, 1);
}

task<> throws_that(const char* what) {
  throw std::runtime_error{what};
  co_return;
}

TEST_F(ExecutorWaitsTest, AGroupThrowsWhatWasThrownFirstWhenAllAreOver) {
  const auto held = std::make_shared<int>(1);
  const auto ends_late = [](std::shared_ptr<int>) -> task<> {
    co_await sleep_for(1h);  // is cancelled
    for (int k = 0; k != 10; ++k) co_await yield();
    co_await throws_that("later");
  };
  const auto joins = [](auto& late, const std::shared_ptr<int>& with) -> task<std::string> {
    task_group all;
    all.spawn(late(with));
    all.spawn(throws_that("first"));
    while (all.size() == 2) co_await yield();
    std::string thrown;
    try {
      co_await all.join();
    } catch (const std::runtime_error& error) {
      thrown = error.what();
    }
    co_return all.size() == 0 ? thrown : "one is left";
  };
  EXPECT_EQ(loop.run(joins(ends_late, held)), "first");
  EXPECT_EQ(held.use_count(), 1) << "the frames have gone";
}

TEST_F(ExecutorWaitsTest, AGroupIsCancelledWithItsTaskAndByItself) {
  int count = 0;
  const auto spawns = [](int& into, bool by_itself) -> task<> {
    task_group all;
    for (int k = 0; k != 5; ++k) all.spawn(counts(into, 1h));
    co_await yield();
    if (by_itself) all.cancel();
    co_await all.join();
  };
  loop.run(spawns(count, true));
  auto handle = loop.spawn(spawns(count, false));
  EXPECT_EQ(loop.run(sleeps(1ms)), std::error_code{});
  EXPECT_EQ(loop.size(), 6U);
  handle.cancel();
  loop.run();
  EXPECT_EQ(count, 0);
}

TEST(task_group_contract, IsJoinedBeforeItGoes) {
  const auto forgets = []() -> task<> {
    task_group all;
    all.spawn(throws_after(1h));
    co_return;
  };
  EXPECT_DEATH(
      {
        the_executor loop;
        loop.run(forgets());
      },
      "went before its tasks");
}

// ---- when_all, when_any

TEST_F(ExecutorWaitsTest, AllGiveWhatEachGives) {
  const auto waits = []() -> task<int> {
    const auto [one, code, other] = co_await when_all(gives_after(2ms, 1), sleeps(0ns), gives_after(1ms, 2));
    co_return code ? -1 : one + other;
  };
  EXPECT_EQ(loop.run(waits()), 3);
}

TEST_F(ExecutorWaitsTest, WhereOneOfAllThrowsTheOthersAreCancelled) {
  const auto waits = []() -> task<int> {
    co_return std::get<0>(co_await when_all(gives_after(1h, 1), throws_after(1ms)));
  };
  const reported seen;
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_THROW(loop.run(waits()), std::runtime_error);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 1min);
  EXPECT_EQ(reported::count, 0) << "what was thrown was not lost";
}

TEST_F(ExecutorWaitsTest, AnyGivesWhatTheFirstGivesAndTheOthersAreOver) {
  const auto waits = []() -> task<std::pair<std::size_t, int>> {
    auto first = co_await when_any(gives_after(1h, 1), gives_after(1ms, 2), gives_after(1h, 3));
    co_return std::pair{first.index, first.value};
  };
  EXPECT_EQ(loop.run(waits()), (std::pair<std::size_t, int>{1, 2}));
}

TEST_F(ExecutorWaitsTest, WhatTheOthersGiveAllTheSameIsDropped) {
  const auto late = []() -> task<int> {
    co_await waits_an_hour();  // is cancelled
    co_return 2;
  };
  const auto waits = [](auto& other) -> task<std::pair<std::size_t, int>> {
    auto first = co_await when_any(other(), gives_after(1us, 1), other());
    co_return std::pair{first.index, first.value};
  };
  EXPECT_EQ(loop.run(waits(late)), (std::pair<std::size_t, int>{1, 1}));

  const auto without_values = []() -> task<std::size_t> {
    co_return (co_await when_any(waits_an_hour(), sleeps_for_a_moment())).index;
  };
  EXPECT_EQ(loop.run(without_values()), 1U);
}

TEST_F(ExecutorWaitsTest, AnyOfWhichOneThrowsFirstThrows) {
  const auto nothing = []() -> task<> { co_await sleep_for(1h); };
  const auto waits = [](auto& other) -> task<> { co_await when_any(other(), throws_after(1ms)); };
  EXPECT_THROW(loop.run(waits(nothing)), std::runtime_error);
}

}  // namespace
}  // namespace pinion::scheduler
