// SPDX-License-Identifier: Apache-2.0
//
// no_yield and its traits: which guards hold off yields, what may be called with one in hand, and what a
// checked build sees.
#include <gtest/gtest.h>

#include <coroutine>
#include <cstdio>
#include <mutex>
#include <pinion/preempt.hpp>
#include <ranges>
#include <shared_mutex>
#include <type_traits>
#include <utility>

#include "turn_loop.hpp"

namespace pinion::preempt {
namespace {

using testing::task;
using testing::turn_loop;

/// A lock of tasks' own, always to be had.
struct lock {
  struct guard {
    explicit guard(lock& of) : of_(&of) { ++of.held; }
    guard(guard&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
    ~guard() {
      if (of_ != nullptr) --of_->held;
    }
    lock* of_;
  };
  struct taking {
    lock& of;
    static bool await_ready() noexcept { return true; }
    static void await_suspend(std::coroutine_handle<>) noexcept {}
    [[nodiscard]] guard await_resume() const { return guard{of}; }
  };
  [[nodiscard]] taking take() { return {*this}; }
  int held = 0;
};

}  // namespace

template <>
inline constexpr bool holds_off_yield<lock::guard> = true;

namespace {

static_assert(holds_off_yield<std::lock_guard<std::mutex>> && holds_off_yield<std::unique_lock<std::mutex>> &&
              holds_off_yield<std::shared_lock<std::shared_mutex>> &&
              holds_off_yield<std::scoped_lock<std::mutex, std::mutex>> && holds_off_yield<no_yield>);
static_assert(!holds_off_yield<int> && !holds_off_yield<std::mutex>);

// What may be called with a guard in hand.
struct by_function {};
inline std::suspend_never operator co_await(by_function) { return {}; }
struct fire_and_forget {
  struct promise_type {
    fire_and_forget get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
static_assert(plain_function<void (*)()> && plain_function<int (*)()> && plain_function<lock::guard (*)()>);
static_assert(!plain_function<task (*)()>, "it has a member operator co_await");
static_assert(!plain_function<by_function (*)()>);
static_assert(!plain_function<std::suspend_always (*)()>);
static_assert(!plain_function<fire_and_forget (*)()>,
              "it can't be awaited, and runs on when the guard is gone");

template <class Guard>
concept can_be_held =
    requires(Guard&& guard, void (*function)()) { while_holding(std::forward<Guard>(guard), function); };
static_assert(can_be_held<lock::guard> && can_be_held<lock::guard&> &&
              can_be_held<std::unique_lock<std::mutex>&>);
static_assert(!can_be_held<std::mutex&>, "a lock is no guard: it isn't held");

// What an executor may do after an await.
static_assert(!may_yield_after<lock::taking> && !may_yield_after<lock::taking&>);
static_assert(may_yield_after<std::suspend_never> && may_yield_after<task> && may_yield_after<const task&> &&
              may_yield_after<by_function>);
struct gives_a_reference : std::suspend_never {
  const lock::guard& await_resume() const noexcept;
};
static_assert(!may_yield_after<gives_a_reference>);

TEST(NoYieldTest, WhileHoldingCallsWithTheGuardHeld) {
  never_due source;
  turn_loop loop{source};
  lock table;
  constexpr auto body = [](lock& of) -> task {
    const int inside = while_holding(co_await of.take(), [&] { return of.held; });
    EXPECT_EQ(inside, 1);
    EXPECT_EQ(of.held, 0);
    auto guard = co_await of.take();
    int seen = 0;
    static_assert(std::is_same_v<decltype(while_holding(guard, [&]() -> int& { return seen; })), int&>);
    while_holding(guard, [&]() -> int& { return seen; }) = of.held;
    EXPECT_EQ(seen, 1);
    EXPECT_EQ(of.held, 1);
  };
  task one = body(table);
  loop.spawn(one);

  loop.run();

  EXPECT_TRUE(one.is_done());
  EXPECT_EQ(table.held, 0);
}

/// An executor's tasks that yield after each await, if it is due, but for those that leave a lock in their
/// hands.
struct looks_after_each_await {
  struct promise_type {
    promise_type(turn_loop& loop, lock&) : loop_(loop) {}
    looks_after_each_await get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static std::suspend_always final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    static void unhandled_exception() { throw; }

    template <class Awaiter>
    struct looking {
      turn_loop& loop;
      Awaiter inner;
      bool await_ready() {
        return inner.await_ready() && !(may_yield_after<Awaiter> && loop.preempt_word().is_due());
      }
      void await_suspend(std::coroutine_handle<> where) {
        loop.running().where = where;
        loop.ready(loop.running());
      }
      decltype(auto) await_resume() { return inner.await_resume(); }
    };
    template <class Awaiter>
    looking<Awaiter> await_transform(Awaiter inner) {
      return {loop_, inner};
    }
    turn_loop& loop_;
  };
  std::coroutine_handle<promise_type> handle;
};

looks_after_each_await yields_twice(turn_loop&, lock& of) {
  co_await std::suspend_never{};
  {
    const auto guard = co_await of.take();
  }
  co_await std::suspend_never{};
}

TEST(NoYieldTest, AnExecutorThatLooksAfterEachAwaitLeavesOutTheTakingOfALock) {
  always_due source;
  turn_loop loop{source};
  lock table;
  const looks_after_each_await one = yields_twice(loop, table);
  runnable task;
  task.where = one.handle;
  loop.ready(task);

  while (loop.turn()) EXPECT_EQ(table.held, 0) << "somebody yields with the lock in hand";

  EXPECT_TRUE(one.handle.done());
  EXPECT_EQ(loop.turns, 1U + 2U);
  one.handle.destroy();
}

class NoYieldContractTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!is_checked) GTEST_SKIP() << "contracts are checked in checked builds only";
  }

  // What reaches the handler, from within functions that can't throw.
  static void say(const contract_violation& broken) {
    std::fprintf(stderr, "broken: %.*s\n", static_cast<int>(broken.meaning.size()), broken.meaning.data());
  }
  template <class Body>
  void run(Body body) {
    set_violation_handler(&say);
    task one = body(loop_);
    loop_.spawn(one);
    loop_.run();
  }

  never_due source_;
  turn_loop loop_{source_};
};

constexpr const char* broken = "broken: a task checked whether to yield while it holds a no_yield";

TEST_F(NoYieldContractTest, ACheckInItsLifeIsBrokenThoughNothingIsDue) {
  constexpr auto body = [](turn_loop& on) -> task {
    const no_yield hold{on};
    co_await yield_if_needed(on);
  };

  EXPECT_DEATH(run(body), broken);
}

TEST_F(NoYieldContractTest, SoIsOneByThePromise) {
  constexpr auto body = [](turn_loop& on) -> task {
    const no_yield hold{on.slices()};
    co_await yield_if_needed();
  };

  EXPECT_DEATH(run(body), broken);
}

TEST_F(NoYieldContractTest, SoIsALoop) {
  constexpr auto body = [](turn_loop& on) -> task {
    const no_yield hold{on};
    co_await for_each(on, std::views::iota(0, 3), [](int) {});
  };

  EXPECT_DEATH(run(body), broken);
}

TEST_F(NoYieldContractTest, SoIsABudgetWithSomethingLeft) {
  constexpr auto body = [](turn_loop& on) -> task {
    call_budget budget{100};
    const no_yield hold{on};
    co_await budget.spend(on);
  };

  EXPECT_DEATH(run(body), broken);
}

TEST_F(NoYieldContractTest, ACheckBeforeAndAfterIsNone) {
  constexpr auto body = [](turn_loop& on) -> task {
    co_await yield_if_needed(on);
    {
      const no_yield hold{on};
      const no_yield nested{on};
    }
    co_await yield_if_needed(on);
  };
  task one = body(loop_);
  loop_.spawn(one);

  loop_.run();

  EXPECT_TRUE(one.is_done());
}

}  // namespace
}  // namespace pinion::preempt
