// SPDX-License-Identifier: Apache-2.0
//
// What models yielding_executor and can_yield, and what does not.
#include <gtest/gtest.h>

#include <coroutine>
#include <memory>
#include <pinion/preempt.hpp>

#include "turn_loop.hpp"

namespace pinion::preempt {
namespace {

/// The least that an executor has to have.
struct least_executor {
  slice_word word_;
  slice_log log;
  runnable task;
  [[nodiscard]] const word& preempt_word() const noexcept { return word_; }
  runnable& running() noexcept { return task; }
  void ready(runnable&) noexcept {}
  slice_log& slices() noexcept { return log; }
};
struct has_no_log {
  slice_word word_;
  runnable task;
  [[nodiscard]] const word& preempt_word() const noexcept { return word_; }
  runnable& running() noexcept { return task; }
  void ready(runnable&) noexcept {}
};
struct gives_a_word_of_another_type : least_executor {
  [[nodiscard]] const slice_word& preempt_word() const noexcept { return word_; }
};
struct looking_changes_it : least_executor {
  [[nodiscard]] const word& preempt_word() noexcept { return word_; }
};
struct ready_may_throw : least_executor {
  void ready(runnable&) {}  // NOLINT: not noexcept is the point
};
struct a_task_of_its_own : runnable {};
struct takes_only_tasks_of_its_own : least_executor {
  void ready(a_task_of_its_own&) noexcept {}
};
struct copies_its_log : least_executor {
  slice_log slices() noexcept { return log; }
};

static_assert(yielding_executor<least_executor>);
static_assert(yielding_executor<testing::turn_loop>);
static_assert(!yielding_executor<int>);
static_assert(!yielding_executor<has_no_log>);
static_assert(!yielding_executor<gives_a_word_of_another_type>);
static_assert(!yielding_executor<looking_changes_it>);
static_assert(!yielding_executor<ready_may_throw>);
static_assert(!yielding_executor<takes_only_tasks_of_its_own>, "an awaitable has no more than a runnable");
static_assert(!yielding_executor<copies_its_log>);
static_assert(!yielding_executor<const least_executor>, "its queue can't change");

struct gives_a_reference {
  least_executor& on;
  [[nodiscard]] least_executor& executor() const noexcept { return on; }
};
struct gives_a_pointer {
  least_executor* on;
  [[nodiscard]] least_executor* executor() const noexcept { return on; }
};
struct gives_a_copy {
  [[nodiscard]] least_executor executor() const noexcept;
};
struct gives_what_can_not_yield {
  [[nodiscard]] has_no_log& executor() const noexcept;
};
struct asking_may_throw {
  [[nodiscard]] least_executor& executor() const;
};
struct knows_nobody {};

static_assert(can_yield<gives_a_reference>);
static_assert(can_yield<gives_a_pointer>);
static_assert(can_yield<testing::task::promise_type>);
static_assert(!can_yield<gives_a_copy>);
static_assert(!can_yield<gives_what_can_not_yield>);
static_assert(!can_yield<asking_may_throw>);
static_assert(!can_yield<knows_nobody>);

TEST(ExecutorConceptTest, AnExecutorIsFoundByReferenceAndByPointer) {
  least_executor one;
  gives_a_reference by_reference{one};
  gives_a_pointer by_pointer{&one};

  EXPECT_EQ(std::addressof(executor_of(by_reference)), &one);
  EXPECT_EQ(std::addressof(executor_of(by_pointer)), &one);
}

}  // namespace
}  // namespace pinion::preempt
