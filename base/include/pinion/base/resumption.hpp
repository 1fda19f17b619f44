// SPDX-License-Identifier: Apache-2.0
//
// resumption: how a coroutine goes on that has waited. Made when it suspends, used once, by whatever ends the
// wait.
//
//   template <class Promise>
//   void await_suspend(std::coroutine_handle<Promise> waiting) noexcept {
//     resumption_ = resumption{waiting};
//   }
//   void is_over() { resumption_.go_on(); }       // from the loop's turn: a poll, a drain, a completion
//
// Law C1. Where the promise knows its executor, go_on() makes the task ready and does nothing else: the task
// runs in its turn, in a slice of its queue. Where it knows none, the coroutine goes on inside go_on(); so
// that is called from inside the loop's turn, and never from a call that asks for something, cancels or
// wakes. Awaitables keep to the stricter rule for both, since they don't know which it is.
//
// It is three words, stands in the coroutine's frame, and allocates nothing.
#pragma once

#include <pinion/config.hpp>

#include <coroutine>
#include <pinion/base/assert.hpp>
#include <pinion/base/executor.hpp>
#include <type_traits>
#include <utility>

namespace pinion::inline PINION_MODE {

class resumption {
 public:
  /// Of nobody.
  resumption() noexcept = default;
  /// Of the coroutine that suspends there, in the task that runs.
  template <class Promise>
  explicit resumption(std::coroutine_handle<Promise> where) noexcept {
    if constexpr (knows_executor<Promise>) {
      auto& by = executor_of(where.promise());
      task_ = &by.running();
      task_->where = where;
      make_ready_ = &make_ready<std::remove_reference_t<decltype(by)>>;
      target_ = &by;
    } else {
      target_ = where.address();
    }
  }

  /// Whether somebody is to go on.
  [[nodiscard]] explicit operator bool() const noexcept { return target_ != nullptr; }

  /// The task is ready; or the coroutine goes on, and may have destroyed *this when this returns or throws.
  /// Once.
  void go_on() {
    PINION_ASSERT(target_ != nullptr, "a coroutine was to go on twice after one wait, or before it waited");
    void* const target = std::exchange(target_, nullptr);
    if (make_ready_ != nullptr)
      make_ready_(target, *task_);
    else
      std::coroutine_handle<>::from_address(target).resume();
  }

 private:
  template <class Executor>
  static void make_ready(void* by, runnable& task) noexcept {
    static_cast<Executor*>(by)->ready(task);
  }

  void (*make_ready_)(void* by, runnable& task) noexcept = nullptr;  // null: resume
  void* target_ = nullptr;                                           // the executor, or the frame
  runnable* task_ = nullptr;
};

/// For the destructor of what a coroutine awaits. The one rule for coroutines that wait: cancel the wait,
/// let the coroutine run on, and destroy it then. It may be destroyed before it began, at its end, and while
/// it is neither waiting nor ready. A checked build stops where it is destroyed earlier.
inline void expect_wait_is_over([[maybe_unused]] bool is_over) {
  PINION_ASSERT(
      is_over,
      "a coroutine was destroyed while it waits: cancel what it waits for (cancel_slot), let it run on, "
      "and destroy it then");
}

}  // namespace pinion::inline PINION_MODE
