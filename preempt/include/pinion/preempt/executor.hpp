// SPDX-License-Identifier: Apache-2.0
//
// yielding_executor: what the forms (yield_if_needed, for_each, …) ask of an executor. Three lines, for any
// coroutine type.
//
//   struct my_loop {
//     const preempt::word& preempt_word() const noexcept { return source.word(); }
//     void yield(std::coroutine_handle<> where) noexcept { ready.push_back(where); }
//     preempt::slice_log& slices() noexcept { return log; }
//   };
//
// A form is given the executor, or finds it: by promise.executor(), a reference or a pointer. All three are
// looked at before each check, so they belong in the header, where they cost a load.
//
// What yield() is given is where to go on, not who yields: the coroutine that awaits may be one that the task
// calls, and for_each has one of its own. An executor that keeps something of a task's in its promise knows
// which task runs, and notes the handle there. Nor does an executor look at that handle when its resume() has
// come back, not even for done(): the coroutine may be gone by then.
#pragma once

#include <concepts>
#include <coroutine>
#include <pinion/config.hpp>
#include <pinion/preempt/slice_log.hpp>
#include <pinion/preempt/word.hpp>
#include <type_traits>

namespace pinion::preempt::inline PINION_MODE {

/// An executor whose tasks can let others run. All calls are made on its thread.
template <class Executor>
concept yielding_executor =
    requires(Executor& executor, const Executor& seen, std::coroutine_handle<> where) {
      // Its source's; the same one for ever.
      { seen.preempt_word() } noexcept -> std::same_as<const word&>;
      // The task that runs resumes there later, after those who wait; not from inside.
      { executor.yield(where) } noexcept -> std::same_as<void>;
      // Where checks and yields are noted.
      { executor.slices() } noexcept -> std::same_as<slice_log&>;
    };

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

/// A promise that knows its executor.
template <class Promise>
concept knows_executor = requires(Promise& promise) {
  { executor_detail::deref(promise.executor()) } noexcept;
  requires yielding_executor<std::remove_reference_t<decltype(executor_detail::deref(promise.executor()))>>;
};

/// That executor.
template <knows_executor Promise>
[[nodiscard]] auto& executor_of(Promise& promise) noexcept {
  return executor_detail::deref(promise.executor());
}

}  // namespace pinion::preempt::inline PINION_MODE
