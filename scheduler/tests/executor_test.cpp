// SPDX-License-Identifier: Apache-2.0
//
// The executor on the real kernel: tasks, their ends, and its own.
#include <gtest/gtest.h>

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <memory>
#include <optional>
#include <pinion/scheduler/executor.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "reported.hpp"

namespace pinion::scheduler {
namespace {

using namespace std::chrono_literals;
using testing::reported;
using testing::waits_for_nothing;
using the_executor = scheduler::executor;

struct ExecutorTest : ::testing::Test {
  the_executor loop;
};

// ---- Results

task<int> gives(int value) { co_return value; }
task<std::unique_ptr<int>> gives_what_only_moves(int value) { co_return std::make_unique<int>(value); }
task<> throws() {
  throw std::runtime_error("thrown");
  co_return;
}
task<int> adds(int one, int other) { co_return co_await gives(one) + co_await gives(other); }

TEST_F(ExecutorTest, RunsATaskToItsResult) {
  EXPECT_EQ(loop.run(gives(42)), 42);
  EXPECT_EQ(loop.run(adds(40, 2)), 42);
  EXPECT_EQ(*loop.run(gives_what_only_moves(7)), 7);
  EXPECT_EQ(loop.size(), 0U);
}

TEST_F(ExecutorTest, WhatATaskThrowsGoesToWhoAwaitsIt) {
  const auto catches = []() -> task<std::string> {
    try {
      co_await throws();
    } catch (const std::runtime_error& error) {
      co_return std::string{"awaited: "} + error.what();
    }
    co_return "nothing";
  };
  const auto joins = []() -> task<std::string> {
    auto handle = spawn(throws());
    try {
      co_await handle;
    } catch (const std::runtime_error& error) {
      co_return std::string{"joined: "} + error.what();
    }
    co_return "nothing";
  };

  EXPECT_EQ(loop.run(catches()), "awaited: thrown");
  EXPECT_EQ(loop.run(joins()), "joined: thrown");
  EXPECT_THROW(loop.run(throws()), std::runtime_error);
  EXPECT_EQ(loop.size(), 0U);
}

TEST_F(ExecutorTest, WhatALocalThrowsBehindTheCoReturnTakesTheValuesPlace) {
  struct throws_at_its_end {
    ~throws_at_its_end() noexcept(false) { throw std::runtime_error("late"); }
  };
  const auto counted = std::make_shared<int>(1);
  const auto gives_and_throws = [](std::shared_ptr<int> value) -> task<std::shared_ptr<int>> {
    const throws_at_its_end last;
    co_return value;
  };

  EXPECT_THROW(loop.run(gives_and_throws(counted)), std::runtime_error);
  EXPECT_EQ(counted.use_count(), 1);
}

TEST_F(ExecutorTest, WhatADetachedTaskThrowsComesOutOfRunAndTheOthersStay) {
  bool has_run = false;
  const auto late = [](bool& run) -> task<> {
    run = true;
    co_return;
  };
  loop.spawn(throws()).detach();
  loop.spawn(late(has_run)).detach();

  EXPECT_THROW(loop.run(), std::runtime_error);
  EXPECT_FALSE(has_run);
  EXPECT_EQ(loop.main_queue().statistics().resumed, 1U);
  EXPECT_EQ(loop.size(), 1U);
  loop.run();

  EXPECT_TRUE(has_run);
  EXPECT_EQ(loop.main_queue().statistics().resumed, 2U);
  EXPECT_EQ(loop.size(), 0U);
}

TEST_F(ExecutorTest, AnExceptionThatIsNeverTakenIsReported) {
  const reported seen;
  const auto drops = []() -> task<> {
    auto handle = spawn(throws(), "thrower");
    co_await yield();
    co_await yield();
  };

  loop.run(drops());

  EXPECT_EQ(reported::count, 1);
  EXPECT_NE(reported::last.find("thrower threw what nobody took: thrown"), std::string::npos)
      << reported::last;
}

// ---- Order

task<> notes(std::vector<int>& into, int value, int times) {
  for (int k = 0; k != times; ++k) {
    into.push_back(value);
    co_await yield();
  }
}

TEST_F(ExecutorTest, RunsTasksInTheOrderInWhichTheyBecameReady) {
  std::vector<int> seen;
  for (int k = 1; k != 4; ++k) loop.spawn(notes(seen, k, 2)).detach();
  loop.run();

  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3, 1, 2, 3}));
}

TEST_F(ExecutorTest, ASpawnedTaskDoesNotRunInsideTheSpawn) {
  std::vector<int> seen;
  const auto spawns = [](std::vector<int>& into) -> task<> {
    auto other = spawn(notes(into, 2, 1));
    into.push_back(1);
    co_await other;
    into.push_back(3);
  };

  loop.run(spawns(seen));

  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3}));
}

// ---- Depth and number

task<int> nests(int depth) {
  if (depth == 0) co_return 0;
  co_return 1 + co_await nests(depth - 1);
}
task<> spawns_one_inside_another(int depth, int& count) {
  ++count;
  if (depth != 0) co_await spawn(spawns_one_inside_another(depth - 1, count));
}

TEST_F(ExecutorTest, AMillionDeepNeedsNoStack) { EXPECT_EQ(loop.run(nests(1'000'000)), 1'000'000); }

TEST_F(ExecutorTest, AMillionTasksEachSpawnedByAnother) {
  int count = 0;
  loop.run(spawns_one_inside_another(1'000'000, count));

  EXPECT_EQ(count, 1'000'001);
  EXPECT_EQ(loop.main_queue().statistics().tasks, 0U);
}

// ---- Sleeping and cancelling

task<std::error_code> sleeps(std::chrono::nanoseconds length) {
  const auto slept = co_await sleep_for(length);
  co_return slept ? std::error_code{} : slept.error();
}

TEST_F(ExecutorTest, Sleeps) {
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_FALSE(loop.run(sleeps(5ms)));
  EXPECT_GE(std::chrono::steady_clock::now() - begun, 5ms);

  const auto until = [](instant when) -> task<bool> { co_return (co_await sleep_until(when)).has_value(); };
  EXPECT_TRUE(loop.run(until(instant{}))) << "a time that has been";
}

TEST_F(ExecutorTest, CancellingEndsWhatTheTaskWaitsForAndWhatItWillWaitFor) {
  const auto both = []() -> task<int> {
    int cancelled = 0;
    if (co_await sleeps(1h) == std::errc::operation_canceled) ++cancelled;
    if (co_await sleeps(1h) == std::errc::operation_canceled) ++cancelled;
    co_return cancelled;
  };
  const auto cancels = [&both]() -> task<int> {
    auto other = spawn(both());
    co_await yield();
    other.cancel();
    other.cancel();
    co_return co_await other;
  };

  EXPECT_EQ(loop.run(cancels()), 2);
}

TEST_F(ExecutorTest, AJoinUnderASlotLeavesTheTaskAsItIs) {
  cancel_slot slot;
  const auto joins = [](cancel_slot& by) -> task<int> {
    auto other = spawn([]() -> task<int> {
      co_await sleep_for(2ms);
      co_return 5;
    }());
    auto requests = spawn([](cancel_slot& its) -> task<> {
      its.request();
      co_return;
    }(by));
    const auto joined = co_await other.join(by);
    if (joined || joined.error() != std::errc::operation_canceled) co_return -1;
    by.reset();
    co_return (co_await other.join(by)).value_or(-2);
  };

  EXPECT_EQ(loop.run(joins(slot)), 5);
}

// ---- Queues

TEST_F(ExecutorTest, ATaskRunsInItsQueueAndSpawnsThere) {
  task_queue& other = loop.add_queue({.name = "other", .shares = 50});
  const auto where = [](the_executor& by) -> task<std::string> {
    const auto inner = [](the_executor& its) -> task<std::string> {
      co_return its.current_queue().options().name;
    };
    const std::string by_spawn = co_await spawn(inner(by));
    co_return by_spawn + " " + co_await by.spawn(inner(by));
  };

  auto handle = loop.spawn_into(other, where(loop));
  loop.run();

  EXPECT_EQ(handle.take(), "other other");
  EXPECT_EQ(other.statistics().tasks, 0U);
  EXPECT_EQ(other.statistics().resumed, 5U);
}

struct uring_parts : default_parts {
  using ring = iosubmit::uring_ring;
};
using over_uring = basic_executor<uring_parts>;

TEST(executor_options, ThatCanNotBeAreRefused) {
  EXPECT_THROW(the_executor({.main_queue = {.shares = 0}}), std::system_error);
  EXPECT_THROW(the_executor({.main_queue = {.shares = 10'001}}), std::system_error);
  EXPECT_THROW(the_executor({.main_queue = {.quantum = duration{1}}}), std::system_error);
  EXPECT_THROW(the_executor({.turn = {.timers_a_turn = 0}}), std::system_error);
  EXPECT_THROW(over_uring({.ring = {.uring = {.entries = 0}}}), std::system_error);
  EXPECT_THROW(the_executor({.tasks_a_slice = 0}), std::system_error);
  EXPECT_THROW(the_executor({.patience = duration{0}}), std::system_error);
}

// ---- Its end

TEST(executor_end, EndsEachTaskThatWaitsUnderItsSlot) {
  int ended = 0;
  const auto waits = [](int& count) -> task<> {
    co_await sleep_for(1h);
    ++count;
  };
  {
    the_executor loop;
    for (int k = 0; k != 100; ++k) loop.spawn(waits(ended)).detach();
    loop.run(gives(0));
  }
  EXPECT_EQ(ended, 100);
}

TEST(executor_end, EndsWhatNeverBeganAndWhatSpawnsMeanwhile) {
  int ended = 0;
  const auto spawns = [](int& count, auto& self, int depth) -> task<> {
    if (depth != 0) spawn(self(count, self, depth - 1)).detach();
    co_await sleep_for(1h);
    ++count;
  };
  {
    the_executor loop;
    loop.spawn(spawns(ended, spawns, 10)).detach();
  }
  EXPECT_EQ(ended, 11);
}

TEST(executor_end, WhatNothingEndsIsReportedAndLeft) {
  const reported seen;
  std::coroutine_handle<> left;
  const auto stays = [](std::shared_ptr<int>, std::coroutine_handle<>& at) -> task<> {
    co_await waits_for_nothing{at};
  };
  const auto held = std::make_shared<int>(1);
  {
    the_executor loop{{.patience = duration{1'000'000}}};
    loop.spawn(stays(held, left), "stubborn").detach();
    loop.run(gives(0));
  }
  EXPECT_EQ(held.use_count(), 2);
  EXPECT_EQ(reported::count, 1);
  EXPECT_NE(reported::last.find("stubborn"), std::string::npos) << reported::last;
  left.destroy();
  EXPECT_EQ(held.use_count(), 1);
}

TEST(executor_end, WhatSleepsOnThoughItIsCancelledRunsToItsEnd) {
  bool is_over = false;
  const auto tries_again = [](bool& over) -> task<> {
    for (int k = 0; k != 5; ++k) co_await sleep_for(1h);
    over = true;
  };
  {
    the_executor loop;
    loop.spawn(tries_again(is_over)).detach();
  }
  EXPECT_TRUE(is_over);
}

// ---- Its name, for other threads

TEST_F(ExecutorTest, ARemoteExecutorIsCopiedAssignedAndOutlivesTheExecutor) {
  std::optional<the_executor> there{std::in_place};
  remote_executor other = loop.remote();
  other = there->remote();
  const remote_executor moved = std::move(other);
  bool was_called = false;
  struct call : waker::wake_call {
    explicit call(bool& it)
        : wake_call([](wake_call& self) { static_cast<call&>(self).was = true; }), was(it) {}
    bool& was;
  } pushed{was_called};

  EXPECT_NE(moved.push(pushed), waker::push_result::closed);
  there->run(gives(0));
  EXPECT_TRUE(was_called);
  there.reset();

  EXPECT_EQ(moved.push(pushed), waker::push_result::closed);
}

TEST(block_on, RunsATaskByAnExecutorOfItsOwn) {
  bool ended = false;
  const auto spawns = [](bool& over) -> task<int> {
    spawn([](bool& its) -> task<> {
      co_await sleep_for(1h);
      its = true;
    }(over))
        .detach();
    co_await yield();
    co_return 42;
  };

  EXPECT_EQ(block_on(spawns(ended)), 42);
  EXPECT_TRUE(ended);
  EXPECT_THROW(block_on([]() -> task<> {
                 throw std::runtime_error{"thrown"};
                 co_return;
               }()),
               std::runtime_error);
  EXPECT_THROW(block_on(gives(1), {.tasks_a_slice = 0}), std::system_error);
}

}  // namespace
}  // namespace pinion::scheduler
