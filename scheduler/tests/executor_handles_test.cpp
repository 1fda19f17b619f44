// SPDX-License-Identifier: Apache-2.0
//
// What a join_handle keeps, lets go of and hands out, once.
#include <gtest/gtest.h>

#include <coroutine>
#include <memory>
#include <pinion/scheduler.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "reported.hpp"

namespace pinion::scheduler {
namespace {

using testing::reported;
using the_executor = scheduler::executor;

struct ExecutorHandlesTest : ::testing::Test {
  the_executor loop;
};

TEST_F(ExecutorHandlesTest, ASlotThatIsRequestedBehindTheEndOfWhatIsJoinedTakesNothing) {
  cancel_slot slot;
  const auto joins = [](join_handle<int>& other, cancel_slot& under) -> task<int> {
    co_return (co_await other.join(under)).value_or(-1);
  };
  const auto requests = [](cancel_slot& its) -> task<> {
    its.request();
    co_return;
  };
  const auto gives = []() -> task<int> {
    co_await yield();
    co_return 5;
  };
  auto other = loop.spawn(gives());
  auto joined = loop.spawn(joins(other, slot));
  const auto waits = [](auto& request, cancel_slot& its) -> task<> {
    co_await yield();  // behind the other one, which has ended by then, and before who joined it
    co_await request(its);
  };
  loop.spawn(waits(requests, slot)).detach();
  loop.run();

  EXPECT_EQ(joined.take(), 5);
}

TEST_F(ExecutorHandlesTest, AHandleThatIsAssignedToLetsGoButNotOfItself) {
  const auto held = std::make_shared<int>(1);
  const auto keeps = [](std::shared_ptr<int>, int value) -> task<int> { co_return value; };
  auto handle = loop.spawn(keeps(held, 1));
  auto& itself = handle;
  handle = std::move(itself);
  EXPECT_TRUE(handle);
  handle = loop.spawn(keeps(held, 2));

  loop.run();

  EXPECT_EQ(held.use_count(), 2) << "the frame of the first one has gone";
  EXPECT_EQ(handle.take(), 2);
  EXPECT_EQ(held.use_count(), 1);
}

// ---- What is never taken

TEST_F(ExecutorHandlesTest, AResultThatNobodyTakesGoesWithTheTask) {
  const auto held = std::make_shared<int>(1);
  const auto gives = [](std::shared_ptr<int> value) -> task<std::shared_ptr<int>> { co_return value; };
  loop.spawn(gives(held)).detach();
  {
    const auto kept = loop.spawn(gives(held));
    loop.run();
    EXPECT_EQ(held.use_count(), 2) << "as a result, until its handle goes";
  }

  EXPECT_EQ(held.use_count(), 1);
}

struct holds : std::runtime_error {
  explicit holds(std::shared_ptr<int> what) : std::runtime_error{"holds"}, held(std::move(what)) {}
  std::shared_ptr<int> held;
};

TEST_F(ExecutorHandlesTest, AnExceptionThatNobodyTakesGoesWithTheTask) {
  const reported seen;
  const auto held = std::make_shared<int>(1);
  const auto throws = [](std::shared_ptr<int> value) -> task<> {
    throw holds{std::move(value)};
    co_return;
  };
  {
    const auto kept = loop.spawn(throws(held));
    loop.run();
    EXPECT_EQ(held.use_count(), 2);
  }

  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(reported::count, 1);
}

}  // namespace
}  // namespace pinion::scheduler
