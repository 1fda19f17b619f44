// SPDX-License-Identifier: Apache-2.0
//
// executor, resumption: by whom a coroutine that has waited goes on.
#include <pinion/base/resumption.hpp>

#include <gtest/gtest-death-test.h>
#include <gtest/gtest.h>

#include <coroutine>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "small_executor.hpp"

namespace pinion {
namespace {

using testing::small_executor;
using testing::task;

struct no_executor {
  runnable& running() noexcept;
};
struct throwing_executor {
  runnable& running() noexcept;
  void ready(runnable&);
};
struct by_reference {
  small_executor& by;
  small_executor& executor() noexcept { return by; }
};
struct of_another_kind {
  no_executor& executor() noexcept;
};
static_assert(!executor<no_executor> && !executor<throwing_executor>);
static_assert(knows_executor<by_reference> && !knows_executor<of_another_kind> && !knows_executor<void>);
static_assert(sizeof(resumption) == 3 * sizeof(void*));

// What a coroutine waits at until somebody lets it go on.
struct gate {
  resumption who;

  [[nodiscard]] static bool await_ready() noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> waiting) noexcept {
    who = resumption{waiting};
  }
  static void await_resume() noexcept {}
};

// Begins at once, knows no executor, and goes at its end.
struct free_coroutine {
  struct promise_type {
    static free_coroutine get_return_object() noexcept { return {}; }
    static std::suspend_never initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    [[noreturn]] static void unhandled_exception() { throw; }
  };
};

// Ready at once, in a run_queue, and gone at its end; what it throws, run() throws.
struct queued_task {
  struct promise_type : runnable {
    explicit promise_type(run_queue& on, auto&&...) noexcept {
      where = std::coroutine_handle<promise_type>::from_promise(*this);
      on.ready(*this);
    }
    queued_task get_return_object() noexcept {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    static void unhandled_exception() { throw; }
  };
  std::coroutine_handle<> handle;
};
struct yielding {
  run_queue& on;
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> where) const noexcept {
    on.running().where = where;
    on.ready(on.running());
  }
  static void await_resume() noexcept {}
};

queued_task yields(run_queue& on, std::string& to, char name) {
  for (int k = 0; k != 2; ++k) {
    to += name;
    co_await yielding{on};
  }
  to += static_cast<char>(name - 'a' + 'A');
}
queued_task throws(run_queue& /*on*/) {
  throw std::runtime_error{"from a task"};
  co_return;
}
queued_task runs(run_queue& /*on*/, bool& ran) {
  ran = true;
  co_return;
}

task waits(gate& at, std::string& log, char name) {
  co_await at;
  log += name;
}

TEST(ReadyList, IsFirstInFirstOut) {
  ready_list list;
  runnable a, b, c;
  EXPECT_EQ(list.pop(), nullptr);

  list.push(a);
  list.push(b);
  EXPECT_EQ(list.pop(), &a);
  list.push(c);
  list.push(a);
  EXPECT_EQ(list.pop(), &b);
  EXPECT_EQ(list.pop(), &c);
  EXPECT_FALSE(list.empty());
  EXPECT_EQ(list.pop(), &a);

  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.pop(), nullptr);
}

TEST(ReadyList, ATaskThatIsReadyAlreadyIsAViolation) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";
  ready_list list;
  runnable first, second;
  list.push(first);

  EXPECT_DEATH(list.push(first), "ready already");
  list.push(second);
  EXPECT_DEATH(list.push(first), "ready already");
}

TEST(RunQueue, RunsEachThatWasReadyOnceAndKeepsWhatBecomesReadyMeanwhile) {
  run_queue tasks;
  std::string log;
  yields(tasks, log, 'a');
  yields(tasks, log, 'b');

  tasks.run();
  EXPECT_EQ(log, "ab");
  tasks.run([] { return true; });
  EXPECT_EQ(log, "aba") << "it is over behind the first";
  tasks.run();
  EXPECT_EQ(log, "ababA");
  tasks.run();

  EXPECT_EQ(log, "ababAB");
  EXPECT_FALSE(tasks.has_ready());
}

TEST(RunQueue, WhatATaskThrowsPassesThroughAndTheOthersStayReady) {
  run_queue tasks;
  bool ran = false;
  const queued_task thrower = throws(tasks);
  runs(tasks, ran);

  EXPECT_THROW(tasks.run(), std::runtime_error);
  thrower.handle.destroy();
  EXPECT_FALSE(ran);
  tasks.run();

  EXPECT_TRUE(ran);
}

TEST(Resumption, AnExecutorIsFoundByReferenceAndByPointer) {
  small_executor loop;
  by_reference promise{loop};
  EXPECT_EQ(&executor_of(promise), &loop);
}

TEST(Resumption, MakesTheTaskReadyAndDoesNothingElse) {
  small_executor loop;
  gate first, second;
  std::string log;
  task one = waits(first, log, '1'), two = waits(second, log, '2');
  loop.spawn(one);
  loop.spawn(two);
  loop.run();

  second.who.go_on();
  first.who.go_on();
  EXPECT_EQ(log, "") << "not from inside go_on()";
  loop.run();

  EXPECT_EQ(log, "21");
  EXPECT_TRUE(one.is_done() && two.is_done());
}

TEST(Resumption, GoesOnAtTheLeafOfAChainOfTasks) {
  small_executor loop;
  gate at;
  std::string log;
  const auto outer = [](gate& g, std::string& out) -> task {
    co_await waits(g, out, 'i');
    out += 'o';
  };
  task all = outer(at, log);
  loop.spawn(all);
  loop.run();
  const std::size_t before = loop.ready_count;

  at.who.go_on();
  EXPECT_EQ(loop.ready_count, before + 1) << "who is ready is the task that was spawned";
  loop.run();

  EXPECT_EQ(log, "io");
  EXPECT_TRUE(all.is_done());
}

TEST(Resumption, WithoutAnExecutorGoesOnInside) {
  gate at;
  std::string log;
  const auto waiter = [](gate& g, std::string& out) -> free_coroutine {
    co_await g;
    out += 'x';
  };
  waiter(at, log);

  at.who.go_on();

  EXPECT_EQ(log, "x");
}

// A coroutine that lets an exception out stays at its end: its frame is this object's.
struct thrower {
  struct promise_type {
    thrower get_return_object() noexcept { return {handle::from_promise(*this)}; }
    static std::suspend_never initial_suspend() noexcept { return {}; }
    static std::suspend_always final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    [[noreturn]] static void unhandled_exception() { throw; }
  };
  using handle = std::coroutine_handle<promise_type>;
  handle frame;
};

TEST(Resumption, LetsAnExceptionThroughWithoutAnExecutor) {
  gate at;
  const auto throws = [](gate& g) -> thrower {
    co_await g;
    throw 7;  // NOLINT(misc-throw-by-value-catch-by-reference): any will do
  };
  const thrower one = throws(at);

  EXPECT_THROW(at.who.go_on(), int);

  EXPECT_TRUE(one.frame.done());
  one.frame.destroy();
}

TEST(Resumption, IsUsedOnce) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";
  resumption nobody;
  EXPECT_FALSE(nobody);

  EXPECT_DEATH(nobody.go_on(), "to go on twice after one wait");
}

TEST(Resumption, TheOneRuleForCoroutinesThatWait) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";
  expect_wait_is_over(true);

  EXPECT_DEATH(expect_wait_is_over(false), "a coroutine was destroyed while it waits");
}

}  // namespace
}  // namespace pinion
