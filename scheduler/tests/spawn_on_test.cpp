// SPDX-License-Identifier: Apache-2.0
//
// spawn_on between two executors that one thread runs in turns, so each stage of a wait stands still: what
// it gives, cancelling, and either executor's end. Threads come in spawn_on_threads_test.cpp.
#include <gtest/gtest.h>

#include <allocations.hpp>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <memory>
#include <optional>
#include <pinion/base/diagnostic.hpp>
#include <pinion/scheduler.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "asked_executors.hpp"

namespace pinion::scheduler {
namespace {

using namespace std::chrono_literals;
using the_executor = scheduler::executor;
using pinion::testing::allocations_so_far;
using testing::asks;
using testing::gives;
using testing::sleeps;

task<> nothing_to_do() { co_return; }
// What has been pushed is drained, and what is ready has run.
void turns(the_executor& loop) {
  const use_frames here{loop.frames()};
  for (int k = 0; k != 3; ++k) loop.run(nothing_to_do());
}

struct SpawnOnTest : ::testing::Test {
  // From the push there to the end of the wait here.
  void there_and_back() {
    turns(home);
    turns(*there);
    turns(home);
  }

  testing::ends_in_time watched;
  the_executor home;
  std::optional<the_executor> there{std::in_place};
  remote_executor worker = there->remote();
};

constexpr auto makes_sleeper = [] { return sleeps(); };

// ---- What it gives

TEST_F(SpawnOnTest, GivesWhatATaskOfTheOtherExecutorGives) {
  executor_base* ran_by = nullptr;
  auto handle = home.spawn(asks(worker, [&ran_by]() -> task<std::unique_ptr<int>> {
    ran_by = executor_base::current();
    co_await yield();
    co_return std::make_unique<int>(42);
  }));

  turns(home);
  EXPECT_EQ(there->size(), 0U) << "it begins in a turn of that executor";
  EXPECT_EQ(ran_by, nullptr);
  turns(*there);
  EXPECT_FALSE(handle.is_over()) << "the awaiting task goes on in a turn of its own executor";
  turns(home);

  EXPECT_EQ(ran_by, &*there);
  EXPECT_EQ(**handle.take(), 42);
}

TEST_F(SpawnOnTest, ATaskWithoutAResultGivesNone) {
  auto handle = home.spawn(asks(worker, [] { return nothing_to_do(); }));

  there_and_back();

  EXPECT_TRUE(handle.take().has_value());
}

TEST_F(SpawnOnTest, WhatTheTaskThrowsIsThrownHere) {
  auto handle = home.spawn(asks(worker, []() -> task<int> {
    throw std::runtime_error{"thrown there"};
    co_return 1;
  }));

  there_and_back();

  EXPECT_THROW(static_cast<void>(handle.take()), std::runtime_error);
  EXPECT_EQ(there->size(), 0U);
}

TEST_F(SpawnOnTest, WhatTheFunctionThrowsIsThrownHere) {
  auto handle = home.spawn(asks(worker, [fails = true] {
    if (fails) throw std::runtime_error{"thrown before there was a task"};
    return gives(1);
  }));

  there_and_back();

  EXPECT_THROW(static_cast<void>(handle.take()), std::runtime_error);
}

struct throws_when_moved {
  throws_when_moved() = default;
  throws_when_moved(throws_when_moved&&) { throw std::runtime_error{"moved"}; }  // NOLINT
};

TEST_F(SpawnOnTest, AResultThatThrowsWhenItIsMovedIsThrownHere) {
  auto handle = home.spawn([](remote_executor on) -> task<bool> {
    try {
      static_cast<void>(
          co_await spawn_on(on, []() -> task<throws_when_moved> { co_return throws_when_moved{}; }));
    } catch (const std::runtime_error&) {
      co_return true;
    }
    co_return false;
  }(worker));

  there_and_back();

  EXPECT_TRUE(handle.take());
}

TEST_F(SpawnOnTest, TheFrameIsTheOtherExecutorsAndIsGoneBeforeTheWaitIsOver) {
  const std::size_t before = there->frames().statistics().blocks;
  auto handle = home.spawn(asks(worker, makes_sleeper));

  turns(home);
  turns(*there);
  EXPECT_EQ(there->frames().statistics().blocks, before + 1);
  handle.cancel();
  turns(*there);
  EXPECT_EQ(there->frames().statistics().blocks, before);
  turns(home);

  EXPECT_EQ(handle.take().value(), std::errc::operation_canceled);
}

// Its parameters go with the frame; they may refer to what the awaiting task keeps.
struct tells_its_end {
  explicit tells_its_end(bool& told) : told_(&told) {}
  tells_its_end(tells_its_end&& other) noexcept : told_(std::exchange(other.told_, nullptr)) {}
  tells_its_end& operator=(tells_its_end&&) = delete;
  tells_its_end(const tells_its_end&) = delete;
  tells_its_end& operator=(const tells_its_end&) = delete;
  ~tells_its_end() {
    if (told_ != nullptr) *told_ = true;
  }

 private:
  bool* told_;
};

TEST_F(SpawnOnTest, ParametersOfTheTaskAreDestroyedByTheOtherExecutor) {
  bool is_gone = false;
  auto handle = home.spawn(asks(
      worker, [&is_gone] { return [](tells_its_end) -> task<> { co_return; }(tells_its_end{is_gone}); }));

  turns(home);
  turns(*there);
  EXPECT_TRUE(is_gone);
  turns(home);

  EXPECT_TRUE(handle.take().has_value());
}

TEST_F(SpawnOnTest, WorksOnTheExecutorOfTheTaskItself) {
  const auto result = home.run(asks(home.remote(), [] { return gives(7); }));
  EXPECT_EQ(result.value(), 7);
}

TEST_F(SpawnOnTest, AllocatesNothingButFrames) {
  if (default_frames::traits.allocates_each) GTEST_SKIP() << "each frame is an allocation";
  const auto asks_often = [](remote_executor on, int times) -> task<int> {
    int sum = 0;
    for (int k = 0; k != times; ++k) sum += (co_await spawn_on(on, [] { return gives(1); })).value_or(1'000);
    co_return sum;
  };
  const auto plays = [&](int times) {
    const use_frames here{home.frames()};
    auto handle = home.spawn(asks_often(worker, times));
    while (!handle.is_over()) there_and_back();
    return handle.take();
  };
  plays(10);
  const std::size_t before = allocations_so_far();

  EXPECT_EQ(plays(1'000), 1'000);

  EXPECT_EQ(allocations_so_far(), before);
}

// ---- Cancelling

TEST_F(SpawnOnTest, CancelledBeforeTheJobIsTakenTheTaskBeginsCancelled) {
  auto handle = home.spawn(asks(worker, makes_sleeper));
  turns(home);

  handle.cancel();
  turns(home);
  EXPECT_FALSE(handle.is_over()) << "both messages are away";
  turns(*there);
  turns(home);

  EXPECT_EQ(handle.take().value(), std::errc::operation_canceled);
}

TEST_F(SpawnOnTest, CancelledWhileTheTaskWaitsItEndsWhatThatWaitsFor) {
  auto handle = home.spawn(asks(worker, makes_sleeper));
  turns(home);
  turns(*there);
  ASSERT_EQ(there->size(), 1U);

  handle.cancel();
  handle.cancel();
  turns(home);
  EXPECT_FALSE(handle.is_over());
  turns(*there);
  EXPECT_EQ(there->size(), 0U);
  turns(home);

  EXPECT_EQ(handle.take().value(), std::errc::operation_canceled);
}

TEST_F(SpawnOnTest, CancelledBehindTheEndItKeepsTheResultAndWaitsForItsMessage) {
  auto handle = home.spawn(asks(worker, [] { return gives(42); }));
  turns(home);
  turns(*there);

  handle.cancel();
  turns(home);
  EXPECT_FALSE(handle.is_over()) << "the cancellation is still away, and stands in the frame";
  turns(*there);
  turns(home);

  EXPECT_EQ(handle.take().value(), 42);
}

TEST_F(SpawnOnTest, CancelledWhenItIsOverAndOnlyToGoOnItSendsNothing) {
  auto handle = home.spawn(asks(worker, [] { return gives(42); }));
  turns(home);
  turns(*there);
  auto cancels = home.spawn([](join_handle<expected<int, std::error_code>>& other) -> task<> {
    other.cancel();
    co_return;
  }(handle));

  turns(home);  // the drain makes one ready, behind the other

  EXPECT_TRUE(cancels.is_over());
  EXPECT_FALSE(there->channel().has_wakes());
  turns(*there);
  turns(home);
  EXPECT_EQ(handle.take().value(), 42);
}

TEST_F(SpawnOnTest, ACancelledTaskSendsNoJob) {
  int called = 0;
  auto handle = home.spawn(asks(worker, [&called] {
    ++called;
    return gives(1);
  }));
  handle.cancel();

  turns(home);
  turns(*there);

  EXPECT_EQ(handle.take().error(), std::errc::operation_canceled);
  EXPECT_EQ(called, 0);
}

TEST_F(SpawnOnTest, ATimeoutCancelsTheTask) {
  auto handle = home.spawn([](remote_executor on) -> task<std::error_code> {
    const auto given = co_await with_timeout(0ms, spawn_on(on, makes_sleeper));
    co_return given ? *given : given.error();
  }(worker));

  for (int k = 0; k != 1'000 && !handle.is_over(); ++k) there_and_back();

  EXPECT_EQ(handle.take(), std::errc::operation_canceled) << "what the task gives";
}

// ---- The other executor's end

TEST_F(SpawnOnTest, AnExecutorThatIsGoneIsToldAndTheTaskGivesWayBeforeItIs) {
  there.reset();
  auto handle = home.spawn([](remote_executor on) -> task<std::error_code> {
    std::error_code told;
    for (int k = 0; k != 3; ++k) told = (co_await spawn_on(on, [] { return gives(1); })).error();
    co_return told;
  }(worker));

  home.run([](const join_handle<std::error_code>& other) -> task<> {
    EXPECT_FALSE(other.is_over());
    co_return;
  }(handle));
  turns(home);

  EXPECT_EQ(handle.take(), errc::closed);
}

TEST_F(SpawnOnTest, AJobThatAnExecutorHasNotBegunComesBackFromItsEnd) {
  int called = 0;
  auto handle = home.spawn(asks(worker, [&called] {
    ++called;
    return gives(1);
  }));
  turns(home);

  there.reset();
  turns(home);

  EXPECT_EQ(handle.take().error(), errc::closed);
  EXPECT_EQ(called, 0);
}

TEST_F(SpawnOnTest, AnExecutorThatEndsBeginsNoJob) {
  // The task goes round once more before it ends, so the end of its executor drains the job.
  there
      ->spawn([](executor_base& by) -> task<> {
        while (!by.is_ending()) co_await sleep_for(1h);
        co_await yield();
        co_await yield();
      }(*there))
      .detach();
  turns(*there);
  auto handle = home.spawn(asks(worker, [] { return gives(1); }));
  turns(home);

  there.reset();
  turns(home);

  EXPECT_EQ(handle.take().error(), errc::closed);
}

TEST_F(SpawnOnTest, ATaskThatRunsIsCancelledByTheEndOfItsExecutorAndComesHome) {
  auto handle = home.spawn(asks(worker, makes_sleeper));
  turns(home);
  turns(*there);

  there.reset();
  turns(home);

  EXPECT_EQ(handle.take().value(), std::errc::operation_canceled);
}

TEST_F(SpawnOnTest, CancellingBehindTheEndOfTheOtherExecutorSendsNothing) {
  auto handle = home.spawn(asks(worker, makes_sleeper));
  turns(home);
  turns(*there);
  there.reset();

  handle.cancel();
  turns(home);

  EXPECT_EQ(handle.take().value(), std::errc::operation_canceled);
}

// ---- This executor's end

std::string last_report;

TEST_F(SpawnOnTest, AJobMayComeBackToAnExecutorThatHasLeftItsTask) {
  const auto before = set_diagnostic_sink([](const diagnostic& what) noexcept { last_report = what.text; });
  bool has_run = false;
  {
    the_executor short_lived{{.patience = duration{1'000'000}}};
    // Never destroyed, as the task that is left.
    static const auto* const left = new auto{short_lived.spawn(asks(worker,
                                                                    [&has_run]() -> task<> {
                                                                      has_run = true;
                                                                      co_return;
                                                                    }),
                                                               "left")};
    EXPECT_FALSE(left->is_over());
    turns(short_lived);
  }
  set_diagnostic_sink(before);
  EXPECT_NE(last_report.find("the task left"), std::string::npos) << last_report;

  turns(*there);

  EXPECT_TRUE(has_run);
  EXPECT_EQ(there->size(), 0U);
}

}  // namespace
}  // namespace pinion::scheduler
