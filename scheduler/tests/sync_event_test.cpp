// SPDX-License-Identifier: Apache-2.0
//
// event: set, reset, and who goes on. What it shares with the others of sync/ is in sync_laws_test.cpp.
#include <pinion/scheduler/sync/event.hpp>

#include <gtest/gtest.h>

#include <string>

#include "small_executor.hpp"

namespace pinion::scheduler {
namespace {

using pinion::testing::small_executor;
using pinion::testing::task;

struct Event : ::testing::Test {
  task waits(char name) { log += static_cast<bool>(co_await of.wait()) ? name : '!'; }

  small_executor loop;
  event of;
  std::string log;
};

TEST_F(Event, StaysSetUntilItIsReset) {
  EXPECT_FALSE(of.is_set());

  of.set();
  of.set();
  EXPECT_TRUE(of.is_set());
  of.reset();

  EXPECT_FALSE(of.is_set());
}

TEST_F(Event, WhereItIsSetAWaitIsOverAtOnce) {
  of.set();
  task one = waits('1');
  loop.spawn(one);
  const std::size_t before = loop.ready_count;

  loop.turn();

  EXPECT_TRUE(one.is_done());
  EXPECT_EQ(loop.ready_count, before) << "it did not suspend";
}

TEST_F(Event, StaysSetAlsoWhereATaskWaited) {
  task one = waits('1'), late = waits('l');
  loop.spawn(one);
  loop.run();

  of.set();
  EXPECT_TRUE(of.is_set());
  loop.spawn(late);
  loop.run();

  EXPECT_EQ(log, "1l");
}

TEST_F(Event, AllThatWaitGoOnAlsoWhereItIsResetBeforeTheirTurn) {
  task one = waits('1'), two = waits('2'), late = waits('l');
  loop.spawn(one);
  loop.spawn(two);
  loop.run();

  of.set();
  of.reset();
  loop.spawn(late);
  loop.run();
  EXPECT_EQ(log, "12");
  of.set();
  loop.run();

  EXPECT_EQ(log, "12l");
}

TEST_F(Event, ATaskThatGoesOnMaySetResetAndWaitAgain) {
  const auto body = [this]() -> task {
    for (int rounds = 0; rounds != 3; ++rounds) {
      of.reset();
      if (!co_await of.wait()) co_return;
      log += 'r';
      of.set();
    }
  };
  task one = body(), two = body();
  loop.spawn(one);
  loop.spawn(two);
  loop.run();

  for (int rounds = 0; rounds != 6 && !(one.is_done() && two.is_done()); ++rounds) {
    of.set();
    loop.run();
  }

  EXPECT_EQ(log, "rrrrrr");
}

}  // namespace
}  // namespace pinion::scheduler
