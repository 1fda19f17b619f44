// SPDX-License-Identifier: Apache-2.0
//
// Portable jobs: what an executor that ends has not begun, its heir begins. Executors that one thread runs in
// turns, so each stage of a wait stands still.
#include <gtest/gtest.h>

#include <coroutine>
#include <optional>
#include <pinion/scheduler.hpp>
#include <string>
#include <system_error>
#include <utility>

#include "asked_executors.hpp"

namespace pinion::scheduler {
namespace {

using the_executor = scheduler::executor;
using testing::sleeps;

task<> nothing_to_do() { co_return; }
// What has been pushed is drained, and what is ready has run.
void turns(the_executor& loop) {
  const use_frames here{loop.frames()};
  for (int k = 0; k != 3; ++k) loop.run(nothing_to_do());
}

template <class Function>
auto asks_portably(remote_executor worker, Function makes)
    -> task<expected<typename std::invoke_result_t<Function&>::value_type, std::error_code>> {
  co_return co_await spawn_portable(worker, std::move(makes));
}

struct SpawnPortableTest : ::testing::Test {
  SpawnPortableTest() { there->heir(heir->remote()); }

  // Gives the executor that has called it.
  auto tells_who() {
    return [this] {
      ++called;
      return []() -> task<const executor_base*> { co_return executor_base::current(); }();
    };
  }

  testing::ends_in_time watched;
  the_executor home;
  std::optional<the_executor> there{std::in_place};
  std::optional<the_executor> heir{std::in_place};
  remote_executor worker = there->remote();
  int called = 0;
};

TEST_F(SpawnPortableTest, WhereNothingEndsItIsThatExecutorsJob) {
  auto handle = home.spawn(asks_portably(worker, tells_who()));

  turns(home);
  turns(*there);
  turns(home);

  EXPECT_EQ(*handle.take(), &*there);
}

TEST_F(SpawnPortableTest, WhatAnExecutorThatEndsHasNotBegunItsHeirBegins) {
  auto handle = home.spawn(asks_portably(worker, tells_who()));
  turns(home);

  there.reset();
  turns(home);
  EXPECT_EQ(called, 0);
  EXPECT_FALSE(handle.is_over());
  turns(*heir);
  turns(home);

  EXPECT_EQ(*handle.take(), &*heir);
  EXPECT_EQ(called, 1);
}

TEST_F(SpawnPortableTest, AnotherJobIsNotTheHeirs) {
  auto handle = home.spawn(testing::asks(worker, tells_who()));
  turns(home);

  there.reset();
  turns(home);
  turns(*heir);
  turns(home);

  EXPECT_EQ(handle.take().error(), errc::closed);
  EXPECT_EQ(called, 0);
}

TEST_F(SpawnPortableTest, WhereNobodyIsNamedTheJobIsNotBegun) {
  auto handle = home.spawn(asks_portably(heir->remote(), tells_who()));
  turns(home);

  heir.reset();
  turns(home);

  EXPECT_EQ(handle.take().error(), errc::closed);
  EXPECT_EQ(called, 0);
}

TEST_F(SpawnPortableTest, WhereTheHeirIsGoneTooTheJobIsNotBegun) {
  auto handle = home.spawn(asks_portably(worker, tells_who()));
  turns(home);

  heir.reset();
  there.reset();
  turns(home);

  EXPECT_EQ(handle.take().error(), errc::closed);
  EXPECT_EQ(called, 0);
}

TEST_F(SpawnPortableTest, AnHeirOfItselfBeginsNothing) {
  there->heir(worker);
  auto handle = home.spawn(asks_portably(worker, tells_who()));
  turns(home);

  there.reset();
  turns(home);

  EXPECT_EQ(handle.take().error(), errc::closed);
  EXPECT_EQ(called, 0);
}

TEST_F(SpawnPortableTest, CancelledOnItsWayToTheHeirItIsNotBegun) {
  auto handle = home.spawn(asks_portably(worker, tells_who()));
  turns(home);

  there.reset();
  handle.cancel();
  turns(home);
  turns(*heir);
  turns(home);

  EXPECT_EQ(handle.take().error(), std::errc::operation_canceled);
  EXPECT_EQ(called, 0);
}

TEST_F(SpawnPortableTest, CancelledBeforeTheEndItIsNotBegunEither) {
  auto handle = home.spawn(asks_portably(worker, tells_who()));
  turns(home);

  handle.cancel();
  there.reset();
  turns(home);
  turns(*heir);
  turns(home);

  EXPECT_EQ(handle.take().error(), std::errc::operation_canceled);
  EXPECT_EQ(called, 0);
}

TEST_F(SpawnPortableTest, AJobHasTheNameThatItWasGiven) {
  const auto asks_twice = [](remote_executor on) -> task<std::string> {
    const auto tells_its_name = [] {
      return []() -> task<std::string> { co_return executor_base::current()->running_task()->name; }();
    };
    const auto one = co_await spawn_on(on, tells_its_name, "one");
    const auto other = co_await spawn_portable(on, tells_its_name, "other");
    co_return one.value_or("none") + " " + other.value_or("none");
  };
  auto handle = home.spawn(asks_twice(worker));
  for (int k = 0; k != 2; ++k) {
    turns(home);
    turns(*there);
  }
  turns(home);

  EXPECT_EQ(handle.take(), "one other");
}

TEST_F(SpawnPortableTest, AFrameThatIsDestroyedWhileItsJobIsAwayIsAViolation) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";
  auto handle = home.spawn(asks_portably(worker, tells_who()));
  turns(home);

  EXPECT_DEATH(handle.header().where.destroy(), "destroyed while it waits");
  turns(*there);
  turns(home);
  EXPECT_TRUE(handle.is_over());
}

TEST_F(SpawnPortableTest, CancelledOnTheHeirItEndsWhatItWaitsFor) {
  auto handle = home.spawn(asks_portably(worker, [] { return sleeps(); }));
  turns(home);
  there.reset();
  turns(home);
  turns(*heir);

  handle.cancel();
  turns(home);
  turns(*heir);
  turns(home);

  EXPECT_EQ(handle.take().value(), std::errc::operation_canceled);
}

}  // namespace
}  // namespace pinion::scheduler
