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
