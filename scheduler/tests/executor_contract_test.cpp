// SPDX-License-Identifier: Apache-2.0
//
// What a checked build stops at: an executor or a task that is used as it can't be.
#include <gtest/gtest.h>

#include <chrono>
#include <coroutine>
#include <optional>
#include <pinion/scheduler.hpp>
#include <thread>
#include <utility>
#include <vector>

namespace pinion::scheduler {
namespace {

using namespace std::chrono_literals;
using the_executor = scheduler::executor;

task<int> gives(int value) { co_return value; }

TEST(executor_contract, OneRunsAtATimeOnAThread) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";
  EXPECT_DEATH(
      {
        the_executor outer;
        the_executor inner;
        const auto runs = [](the_executor& other) -> task<> {
          other.run(gives(1));
          co_return;
        };
        outer.run(runs(inner));
      },
      "inside a task");
}

task<int> awaits_twice() {
  task<int> once = gives(1);
  const int first = co_await std::move(once);
  co_return first + co_await std::move(once);
}
task<int> waits_for(join_handle<int>& other) { co_return co_await other; }
task<int> sleeps_long() {
  co_await sleep_for(1h);
  co_return 1;
}

// The last of a group is over, and who joins it has not gone on.
task<> spawns_behind_a_join() {
  const auto nothing = []() -> task<> { co_return; };
  const auto waits = [](event& until) -> task<> { static_cast<void>(co_await until.wait()); };
  event over;
  task_group group;
  group.spawn(waits(over));
  const auto ends = [&]() -> task<> {
    over.set();
    while (group.size() != 0) co_await yield();
    group.spawn(nothing());
  };
  auto other = spawn(ends());
  co_await group.join();
  co_await other;
}

task<> joins(task_group& group) { co_await group.join(); }
task<> joins_one_group_twice() {
  task_group group;
  group.spawn([]() -> task<> { co_await sleep_for(1h); }());
  auto one = spawn(joins(group));
  auto other = spawn(joins(group));
  co_await one;
}

TEST(executor_contract, WhatCanNotBeDoneTwiceIsAViolation) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";
  EXPECT_DEATH(
      {
        the_executor loop;
        task<int> once = gives(1);
        auto handle = loop.spawn(std::move(once));
        loop.spawn(std::move(once)).detach();
      },
      "spawned or moved from before");
  EXPECT_DEATH(
      {
        the_executor loop;
        loop.run(awaits_twice());
      },
      "awaited twice");
  EXPECT_DEATH(
      {
        the_executor loop;
        auto other = loop.spawn(sleeps_long());
        loop.spawn(waits_for(other)).detach();
        loop.spawn(waits_for(other)).detach();
        loop.run();
      },
      "two wait for the end of one task");
  EXPECT_DEATH(
      {
        the_executor loop;
        std::vector<join_handle<int>> handles;
        handles.push_back(loop.spawn(sleeps_long()));
        loop.spawn(waits_for(handles.front())).detach();
        loop.run(gives(0));  // and so the others have begun
        handles.push_back(loop.spawn(gives(1)));
        handles.push_back(loop.spawn(gives(2)));
      },
      "moved while it is awaited");
  EXPECT_DEATH(the_executor{}.run(spawns_behind_a_join()), "a task that is not its own spawned one more");
  EXPECT_DEATH(the_executor{}.run(joins_one_group_twice()), "two tasks join one group");
}

task<int> awaits_what_was_spawned() {
  task<int> once = gives(1);
  const int spawned = co_await spawn(std::move(once));
  co_return spawned + co_await std::move(once);
}

TEST(executor_contract, WhatIsNotThereIsAViolation) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";
  EXPECT_DEATH(the_executor{}.run(awaits_what_was_spawned()), "awaited that was spawned or moved from");
  EXPECT_DEATH(
      {
        the_executor loop;
        loop.spawn(sleeps_long()).take();
      },
      "taken before it was over");
  EXPECT_DEATH(
      {
        the_executor loop;
        std::optional<join_handle<int>> other{loop.spawn(sleeps_long())};
        loop.spawn(waits_for(*other)).detach();
        loop.run(gives(0));  // and so the other one has begun
        other.reset();
      },
      "dropped while it is awaited");
}

TEST(executor_contract, ASpawnAndAGroupOutsideOfTasksAreViolations) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";
  the_executor loop;

  EXPECT_DEATH(spawn(gives(1)).detach(), "spawn\\(\\) was called where no executor runs");
  EXPECT_DEATH(spawn_into(loop.main_queue(), gives(1)).detach(),
               "spawn_into\\(\\) was called where no executor runs");
  EXPECT_DEATH(task_group{}, "a task_group was made where no executor runs");
}

TEST(executor_contract, AForeignThreadAndAForeignQueueAreViolations) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";
  EXPECT_DEATH(
      {
        the_executor loop;
        std::thread{[&loop] { loop.spawn(gives(1)).detach(); }}.join();
      },
      "from a foreign thread");
  EXPECT_DEATH(
      {
        the_executor loop;
        the_executor other;
        loop.spawn_into(other.main_queue(), gives(1)).detach();
      },
      "a queue of another executor");
}

TEST(executor_contract, ATaskDoesNotWaitForItself) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";
  EXPECT_DEATH(
      {
        the_executor loop;
        std::optional<join_handle<>> handle;
        const auto joins = [](std::optional<join_handle<>>& self) -> task<> { co_await *self; };
        handle.emplace(loop.spawn(joins(handle)));
        loop.run();
      },
      "its own end");
}

TEST(executor_contract, WhatATaskGaveIsTakenAndAwaitedBehindTheEndOfItsExecutor) {
  std::optional<join_handle<int>> taken, awaited;
  {
    the_executor gone;
    taken.emplace(gone.spawn(gives(1)));
    awaited.emplace(gone.spawn(gives(2)));
  }

  EXPECT_EQ(taken->take(), 1);
  EXPECT_EQ(the_executor{}.run(waits_for(*awaited)), 2);
}

}  // namespace
}  // namespace pinion::scheduler
