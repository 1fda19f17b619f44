// SPDX-License-Identifier: Apache-2.0
//
// semaphore: units, and the order in which they are given. What it shares with the others of sync/ is in
// sync_laws_test.cpp.
#include <pinion/scheduler/sync/semaphore.hpp>

#include <gtest/gtest-death-test.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <limits>
#include <optional>
#include <pinion/base/cancel_slot.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "small_executor.hpp"
#include "sync_waits.hpp"

namespace pinion::scheduler {
namespace {

using pinion::testing::small_executor;
using pinion::testing::task;

static_assert(!std::is_copy_constructible_v<semaphore::units> &&
              std::is_nothrow_move_constructible_v<semaphore::units> &&
              std::is_nothrow_move_assignable_v<semaphore::units>);

struct Semaphore : ::testing::Test {
  // Writes its name when it has the units, and `!` where it was cancelled. It keeps them.
  task acquires(std::size_t count, char name) {
    log += static_cast<bool>(co_await of.acquire(count, slot)) ? name : '!';
  }
  task acquires_under(cancel_slot& under, std::size_t count, char name) {
    log += static_cast<bool>(co_await of.acquire(count, under)) ? name : '!';
  }
  void TearDown() override {
    slot.request();
    loop.run();
  }
  void begin(task&& one) {
    loop.spawn(tasks.emplace_back(std::move(one)));
    loop.run();
  }

  small_executor loop;
  semaphore of{3};
  cancel_slot slot;
  std::string log;
  std::deque<task> tasks;
};

TEST_F(Semaphore, ALargeRequestAtTheFrontIsNotOvertaken) {
  begin(acquires(5, 'L'));
  begin(acquires(1, 's'));
  EXPECT_FALSE(of.try_acquire(1));
  EXPECT_EQ(log, "");

  of.release(1);
  loop.run();
  EXPECT_EQ(log, "") << "there are four";
  EXPECT_EQ(of.available(), 4U);
  of.release(1);
  loop.run();
  EXPECT_EQ(log, "L");
  of.release(1);
  loop.run();

  EXPECT_EQ(log, "Ls");
  EXPECT_EQ(of.available(), 0U);
}

TEST_F(Semaphore, ALargeRequestThatIsCancelledLetsThoseBehindItGoOn) {
  cancel_slot large;
  begin(acquires_under(large, 5, 'L'));
  begin(acquires(1, '1'));
  begin(acquires(2, '2'));
  begin(acquires(1, '3'));

  large.request();
  EXPECT_EQ(log, "");
  loop.run();
  EXPECT_EQ(log, "!12");
  of.release();
  loop.run();

  EXPECT_EQ(log, "!123");
}

TEST_F(Semaphore, OneReleaseLetsAllGoOnForWhomThereIsEnough) {
  EXPECT_TRUE(of.try_acquire(3));
  for (const char name : {'a', 'b', 'c'}) begin(acquires(2, name));

  of.release(5);
  loop.run();

  EXPECT_EQ(log, "ab");
  EXPECT_EQ(of.available(), 1U);
  slot.request();
  loop.run();
  EXPECT_EQ(log, "ab!");
}

TEST_F(Semaphore, ARequestForNothingWaitsItsTurnToo) {
  EXPECT_TRUE(of.try_acquire(0));
  begin(acquires(4, 'L'));
  begin(acquires(0, '0'));
  EXPECT_EQ(log, "");

  of.release();
  loop.run();

  EXPECT_EQ(log, "L0");
}

TEST_F(Semaphore, UnitsAreGivenBackOnceAlsoWhenSomethingIsThrown) {
  const auto body = [this]() -> task {
    try {
      const auto held = co_await of.hold(2);
      EXPECT_EQ(of.available(), 1U);
      throw std::runtime_error{"with units"};
    } catch (const std::runtime_error&) {
      log += 'c';
    }
  };
  begin(body());
  EXPECT_EQ(log, "c");
  EXPECT_EQ(of.available(), 3U);
  const auto moves = [this]() -> task {
    auto held = co_await of.hold(2);
    auto other = co_await of.hold(1);
    semaphore::units moved = std::move(*held);
    EXPECT_EQ(held->count(), 0U);
    EXPECT_EQ(moved.count(), 2U);
    moved = std::move(*other);
    EXPECT_EQ(of.available(), 2U) << "what it had before is given back";
    moved.release();
    moved.release();
    EXPECT_EQ(moved.count(), 0U);
    log += 'm';
  };

  begin(moves());

  EXPECT_EQ(log, "cm");
  EXPECT_EQ(of.available(), 3U);
}

TEST_F(Semaphore, ATaskThatIsDestroyedBeforeItsTurnHoldsNothing) {
  testing::slotted_executor by;
  const auto body = [this](testing::slotted_executor& /*by*/, bool holds) -> testing::slotted_task {
    if (holds)
      static_cast<void>(co_await of.hold(5));
    else
      static_cast<void>(co_await of.acquire(5));
    log += 'x';
  };
  for (const bool holds : {true, false}) {
    std::optional<testing::slotted_task> gone{body(by, holds)};
    by.run();
    of.release(2);
    by.forget();
    EXPECT_EQ(of.available(), 0U);

    gone.reset();

    EXPECT_EQ(of.available(), 5U);
    EXPECT_TRUE(of.try_acquire(2));
  }
  EXPECT_EQ(log, "");
}

TEST_F(Semaphore, MoreUnitsThanCanBeCountedAreAViolation) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";

  EXPECT_DEATH(of.release(std::numeric_limits<std::size_t>::max()), "released too often");
}

}  // namespace
}  // namespace pinion::scheduler
