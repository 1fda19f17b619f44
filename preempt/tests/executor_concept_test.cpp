// SPDX-License-Identifier: Apache-2.0
//
// What models yielding_executor and knows_executor, and what does not.
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
  [[nodiscard]] const word& preempt_word() const noexcept { return word_; }
  void yield(std::coroutine_handle<>) noexcept {}
  slice_log& slices() noexcept { return log; }
};
struct has_no_log {
  slice_word word_;
  [[nodiscard]] const word& preempt_word() const noexcept { return word_; }
  void yield(std::coroutine_handle<>) noexcept {}
};
struct gives_a_word_of_another_type : least_executor {
  [[nodiscard]] const slice_word& preempt_word() const noexcept { return word_; }
};
struct looking_changes_it : least_executor {
  [[nodiscard]] const word& preempt_word() noexcept { return word_; }
};
struct yield_may_throw : least_executor {
  void yield(std::coroutine_handle<>) {}  // NOLINT: not noexcept is the point
};
struct yields_only_tasks_of_its_own : least_executor {
  void yield(std::coroutine_handle<testing::task::promise_type>) noexcept {}
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
static_assert(!yielding_executor<yield_may_throw>);
static_assert(!yielding_executor<yields_only_tasks_of_its_own>, "for_each has a coroutine of its own");
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

static_assert(knows_executor<gives_a_reference>);
static_assert(knows_executor<gives_a_pointer>);
static_assert(knows_executor<testing::task::promise_type>);
static_assert(!knows_executor<gives_a_copy>);
static_assert(!knows_executor<gives_what_can_not_yield>);
static_assert(!knows_executor<asking_may_throw>);
static_assert(!knows_executor<knows_nobody>);

TEST(ExecutorConceptTest, AnExecutorIsFoundByReferenceAndByPointer) {
  least_executor one;
  gives_a_reference by_reference{one};
  gives_a_pointer by_pointer{&one};

  EXPECT_EQ(std::addressof(executor_of(by_reference)), &one);
  EXPECT_EQ(std::addressof(executor_of(by_pointer)), &one);
}

}  // namespace
}  // namespace pinion::preempt
