// SPDX-License-Identifier: Apache-2.0
//
// yield: a task lets others run, whether or not its slice is over. preempt's yield_if_needed() looks at the
// word first.
#pragma once

#include <pinion/config.hpp>

#include <coroutine>
#include <pinion/base/executor.hpp>
#include <pinion/scheduler/executor_base.hpp>

namespace pinion::scheduler::inline PINION_MODE {

/// Awaited: lets those run that are ready.
struct [[nodiscard]] yielding {
  /// What an awaiter has.
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  template <class Promise>
  static void await_suspend(std::coroutine_handle<Promise> where) noexcept {
    executor_base& by = executor_of(where.promise());
    runnable& task = by.running();
    task.where = where;
    by.ready(task);
    if constexpr (is_counted) by.slices().yielded();
  }
  static void await_resume() noexcept {}
};
[[nodiscard]] inline yielding yield() noexcept { return {}; }

}  // namespace pinion::scheduler::inline PINION_MODE
