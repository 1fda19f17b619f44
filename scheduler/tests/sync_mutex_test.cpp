// SPDX-License-Identifier: Apache-2.0
//
// mutex: one at a time, handed over. What it shares with the others of sync/ is in sync_laws_test.cpp.
#include <pinion/scheduler/sync/mutex.hpp>

#include <gtest/gtest-death-test.h>
#include <gtest/gtest.h>

#include <deque>
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

static_assert(!std::is_copy_constructible_v<mutex::guard> &&
              std::is_nothrow_move_constructible_v<mutex::guard> &&
              std::is_nothrow_move_assignable_v<mutex::guard>);

// Goes on after those that are ready.
struct yielding {
  small_executor& on;
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> where) const noexcept {
    on.running().where = where;
    on.ready(on.running());
  }
  static void await_resume() noexcept {}
};

struct Mutex : ::testing::Test {
  small_executor loop;
  mutex of;
  std::string log;
};

TEST_F(Mutex, OneTaskAtATimeInTheOrderInWhichTheyCame) {
  int inside = 0, most = 0;
  const auto body = [&](char name) -> task {
    for (int rounds = 0; rounds != 3; ++rounds) {
      const auto guard = co_await of.lock();
      most = std::max(most, ++inside);
      co_await yielding{loop};
      log += name;
      --inside;
    }
  };
  std::deque<task> tasks;
  for (const char name : {'a', 'b', 'c'}) loop.spawn(tasks.emplace_back(body(name)));

  loop.run();

  EXPECT_EQ(most, 1);
  EXPECT_EQ(log, "abcabcabc");
  EXPECT_FALSE(of.is_locked());
}

TEST_F(Mutex, BetweenUnlockAndTheTurnOfTheNextItIsTheNextOnes) {
  std::optional<mutex::guard> held = of.try_lock();
  ASSERT_TRUE(held);
  const auto body = [&]() -> task {
    const auto guard = co_await of.lock();
    log += guard ? 'g' : '!';
  };
  task one = body();
  loop.spawn(one);
  loop.run();

  held->unlock();
  EXPECT_TRUE(of.is_locked());
  EXPECT_FALSE(of.try_lock());
  EXPECT_EQ(log, "");
  loop.run();

  EXPECT_EQ(log, "g");
  EXPECT_FALSE(of.is_locked());
}

TEST_F(Mutex, WhatIsThrownUnderAGuardLetsItGo) {
  const auto body = [&](char name) -> task {
    try {
      const auto guard = co_await of.lock();
      co_await yielding{loop};
      throw std::runtime_error{"under a guard"};
    } catch (const std::runtime_error&) {
      log += name;
    }
  };
  task one = body('1'), two = body('2');
  loop.spawn(one);
  loop.spawn(two);

  loop.run();

  EXPECT_EQ(log, "12");
  EXPECT_FALSE(of.is_locked());
}

TEST_F(Mutex, AGuardIsMovedAndLetsGoOnce) {
  auto first = of.try_lock();
  ASSERT_TRUE(first);
  mutex other;
  auto second = other.try_lock();
  ASSERT_TRUE(second);

  mutex::guard moved = std::move(*first);
  EXPECT_TRUE(of.is_locked());
  first.reset();
  EXPECT_TRUE(of.is_locked());
  moved = std::move(*second);
  EXPECT_FALSE(of.is_locked());
  EXPECT_TRUE(other.is_locked() && moved);
  moved.unlock();
  moved.unlock();

  EXPECT_FALSE(other.is_locked() || moved);
}

TEST_F(Mutex, ATaskThatUnlocksAndLocksAgainComesBehindThoseThatWait) {
  const auto body = [&](char name) -> task {
    auto guard = co_await of.lock();
    co_await yielding{loop};
    log += name;
    guard->unlock();
    guard = co_await of.lock();
    log += name;
  };
  task one = body('1'), two = body('2');
  loop.spawn(one);
  loop.spawn(two);

  loop.run();

  EXPECT_EQ(log, "1212");
}

TEST_F(Mutex, ATaskThatIsDestroyedBeforeItsTurnHoldsNothing) {
  testing::slotted_executor by;
  const auto body = [&](testing::slotted_executor& /*by*/) -> testing::slotted_task {
    const auto guard = co_await of.lock();
    log += 'x';
  };
  std::optional<mutex::guard> held = of.try_lock();
  std::optional<testing::slotted_task> gone{body(by)};
  by.run();
  held.reset();
  by.forget();
  EXPECT_TRUE(of.is_locked());

  gone.reset();

  EXPECT_FALSE(of.is_locked());
  EXPECT_EQ(log, "");
}

TEST_F(Mutex, ToDestroyOneThatIsHeldIsAViolation) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";
  std::optional<mutex> one{std::in_place};
  const auto guard = one->try_lock();

  EXPECT_DEATH(one.reset(), "a mutex was destroyed while a task holds it");
}

}  // namespace
}  // namespace pinion::scheduler
