// SPDX-License-Identifier: Apache-2.0
//
// executor, runnable, run_queue: what a wait needs of the loop that runs its task. Two calls, for any kind of
// coroutine.
//
// An executor runs tasks, one after the other. A task is a runnable: where it goes on, and a link for the
// list of those that are ready. The end of a wait makes the task ready and does nothing else: the task goes
// on later, in its turn, from the executor's own loop (law C1). It may go on in a coroutine that it awaits,
// however deep: the task is ready, not the coroutine.
//
// run_queue is the smallest executor, first in, first out, for a loop of one's own:
//
//   run_queue tasks;
//
//   while (!done) {
//     poll_what_ends_waits();
//     tasks.run();
//   }
//
// Each promise says executor(), a reference or a pointer to it.
//
// A task waits for one thing at a time. Work that should go on meanwhile is a task of its own.
//
// An executor does not look at the coroutine any more when its resume() has come back, not even for done():
// it may be gone by then.
#pragma once

#include <pinion/config.hpp>

#include <concepts>
#include <coroutine>
#include <pinion/base/assert.hpp>
#include <utility>

namespace pinion {

/// A task as executors see it, and the base of theirs. It stays where it is while it is ready or waits.
struct runnable {
  runnable() noexcept = default;
  runnable(const runnable&) = delete;
  runnable& operator=(const runnable&) = delete;

  std::coroutine_handle<> where;  ///< it goes on there; set whenever it suspends
  runnable* next = this;          ///< the executor's, while it is ready; itself, while it is in no ready_list
};

inline namespace PINION_MODE {

/// Tasks that are ready, first in, first out, through the tasks themselves.
class ready_list {
 public:
  ready_list() noexcept = default;
  ready_list(const ready_list&) = delete;
  ready_list& operator=(const ready_list&) = delete;

  /// To the end. It is in no list.
  void push(runnable& task) noexcept {
    PINION_ASSERT(task.next == &task,
                  "a task was made ready that is ready already: something that it waited for went on twice");
    task.next = nullptr;
    *(last_ == nullptr ? &first_ : &last_->next) = &task;
    last_ = &task;
  }
  /// The first, which is in no list then; nullptr if there is none.
  runnable* pop() noexcept {
    runnable* const first = first_;
    if (first != nullptr) {
      first_ = std::exchange(first->next, first);
      if (first_ == nullptr) last_ = nullptr;
    }
    return first;
  }
  /// The one that was pushed last, or nullptr.
  [[nodiscard]] const runnable* last() const noexcept { return last_; }
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }

 private:
  runnable* first_ = nullptr;
  runnable* last_ = nullptr;
};

/// The smallest executor. Promises keep a pointer to it, so it stays where it is. An executor that does more
/// may derive from it.
class run_queue {
 public:
  run_queue() noexcept = default;
  run_queue(const run_queue&) = delete;
  run_queue& operator=(const run_queue&) = delete;

  /// As executor says.
  [[nodiscard]] runnable& running() noexcept { return *running_; }
  void ready(runnable& task) noexcept { ready_.push(task); }

  /// Whether any is ready.
  [[nodiscard]] bool has_ready() const noexcept { return !ready_.empty(); }
  /// Resumes each that was ready when this began, once. What a task throws passes through; the others stay
  /// ready.
  void run() {
    run([] { return false; });
  }
  /// The same, and ends behind the first task after which that answers true: that a slice is over, say.
  template <class IsOver>
  void run(IsOver&& is_over) {
    const runnable* const last = ready_.last();
    while (runnable* const next = ready_.pop()) {
      const bool was_last = next == last;
      running_ = next;
      next->where.resume();
      if (was_last || is_over()) return;
    }
  }

 private:
  ready_list ready_;
  runnable* running_ = nullptr;
};

}  // namespace PINION_MODE

/// Runs tasks on one thread. Both calls are made there.
template <class Executor>
concept executor = requires(Executor& by, runnable& task) {
  // The task that runs; asked only while one does.
  { by.running() } noexcept -> std::convertible_to<runnable&>;
  // It goes on at task.where later, after those that are ready already; never from inside this call. Called
  // once for each time that it suspends, also by the task itself, before it does.
  { by.ready(task) } noexcept -> std::same_as<void>;
};

static_assert(executor<run_queue>);

namespace executor_detail {
template <class T>
T& deref(T& executor) noexcept {
  return executor;
}
template <class T>
T& deref(T* executor) noexcept {
  return *executor;
}
}  // namespace executor_detail

/// A promise that says by whom its coroutine is run: by executor(), a reference or a pointer that is not
/// null.
template <class Promise>
concept knows_executor = requires(Promise& promise) {
  { executor_detail::deref(promise.executor()) } noexcept -> executor;
};

/// That executor.
template <knows_executor Promise>
[[nodiscard]] auto executor_of(Promise& promise) noexcept
    -> decltype(executor_detail::deref(promise.executor())) {
  return executor_detail::deref(promise.executor());
}

}  // namespace pinion
