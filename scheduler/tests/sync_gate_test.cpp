// SPDX-License-Identifier: Apache-2.0
//
// gate: who enters, and when close() is over. What it shares with the others of sync/ is in
// sync_laws_test.cpp.
#include <pinion/scheduler/sync/gate.hpp>

#include <gtest/gtest-death-test.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/error.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "small_executor.hpp"

namespace pinion::scheduler {
namespace {

using pinion::testing::small_executor;
using pinion::testing::task;

static_assert(!std::is_copy_constructible_v<gate::holder> &&
              std::is_nothrow_move_constructible_v<gate::holder> &&
              std::is_nothrow_move_assignable_v<gate::holder>);

struct Gate : ::testing::Test {
  task closes(cancel_slot& under) { log += static_cast<bool>(co_await of->close(under)) ? 'c' : '!'; }

  small_executor loop;
  std::unique_ptr<gate> of = std::make_unique<gate>();
  cancel_slot slot;
  std::string log;
};

TEST_F(Gate, ClosedItLetsNobodyIn) {
  auto first = of->enter();
  ASSERT_TRUE(first);
  EXPECT_EQ(of->inside(), 1U);
  EXPECT_FALSE(of->is_closed());

  const auto closing = of->close();
  EXPECT_TRUE(of->is_closed()) << "from the call on, before it is awaited";
  const auto late = of->enter();

  ASSERT_FALSE(late);
  EXPECT_EQ(late.error(), errc::closed);
  EXPECT_EQ(of->inside(), 1U);
}

TEST_F(Gate, CloseIsOverWhenTheLastHasLeft) {
  auto first = of->enter(), second = of->enter();
  task one = closes(slot), two = closes(slot);
  loop.spawn(one);
  loop.spawn(two);
  loop.run();

  second->leave();
  second->leave();
  loop.run();
  EXPECT_EQ(log, "");
  first->leave();
  EXPECT_EQ(log, "");
  loop.run();

  EXPECT_EQ(log, "cc");
}

TEST_F(Gate, WithNobodyInsideCloseIsOverAtOnce) {
  task one = closes(slot);
  loop.spawn(one);

  loop.turn();

  EXPECT_TRUE(one.is_done());
  EXPECT_EQ(log, "c");
}

TEST_F(Gate, AfterACancelledCloseItIsClosedAndCanBeAwaitedAgain) {
  auto inside = of->enter();
  task one = closes(slot);
  loop.spawn(one);
  loop.run();
  slot.request();
  loop.run();
  EXPECT_EQ(log, "!");
  EXPECT_FALSE(of->enter());
  cancel_slot another;
  task again = closes(another);
  loop.spawn(again);
  loop.run();

  inside->leave();
  loop.run();

  EXPECT_EQ(log, "!c");
}

TEST_F(Gate, UnderARequestedSlotItIsClosedAllTheSame) {
  slot.request();
  task one = closes(slot);
  loop.spawn(one);

  loop.run();

  EXPECT_EQ(log, "!");
  EXPECT_TRUE(of->is_closed());
}

TEST_F(Gate, AHolderIsMovedAndLeavesOnceAlsoWhenSomethingIsThrown) {
  {
    auto held = of->enter();
    gate::holder moved = std::move(*held);
    EXPECT_FALSE(*held);
    EXPECT_TRUE(moved);
    EXPECT_EQ(of->inside(), 1U);
  }
  EXPECT_EQ(of->inside(), 0U);
  const auto throws = [this] {
    const auto held = of->enter();
    EXPECT_EQ(of->inside(), 1U);
    throw std::runtime_error{"inside"};
  };

  EXPECT_THROW(throws(), std::runtime_error);

  EXPECT_EQ(of->inside(), 0U);
}

TEST_F(Gate, TheTaskThatClosedItMayDestroyIt) {
  auto inside = of->enter();
  const auto body = [this]() -> task {
    const auto over = co_await of->close();
    if (!over) co_return;
    of.reset();
    log += 'd';
  };
  task one = body();
  loop.spawn(one);
  loop.run();

  inside->leave();
  loop.run();

  EXPECT_EQ(log, "d");
}

TEST_F(Gate, OneWaitIsAwaitedByOneTask) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";
  auto inside = of->enter();
  auto closing = of->close(slot);
  const auto body = [&](auto& wait) -> task {
    const auto over = co_await wait;
    log += over ? 'c' : '!';
  };
  task one = body(closing), two = body(closing);
  loop.spawn(one);
  loop.run();

  EXPECT_DEATH(
      {
        loop.spawn(two);
        loop.run();
      },
      "one wait was awaited by two tasks");

  inside->leave();
  loop.run();
  EXPECT_EQ(log, "c");
}

TEST_F(Gate, ToDestroyOneWithSomebodyInsideIsAViolation) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";
  const auto inside = of->enter();

  EXPECT_DEATH(of.reset(), "a gate was destroyed while somebody is inside");
}

}  // namespace
}  // namespace pinion::scheduler
