// SPDX-License-Identifier: Apache-2.0
//
// seen_task, list_of_tasks, task_dump: which tasks an executor has, what each does, and where.
//
//   std::fputs(list_of_tasks(loop).c_str(), stderr);  // on its thread, also inside a task
//
//   task_dump dump{loop, {.function = print}};        // beside the loop; print(void*, std::string_view)
//
//   sender.push(dump);                                // any thread, of loop.channel().sender()
//
// It is a line for each task:
//
//   main: connection waits in serve(loop&, int)
//   main: a task is ready in hello()
//   batch: index runs
//
// Where a task waits is told by the function of the innermost coroutine that is suspended: in clang and g++
// the first word of a frame points into it. So nothing is noted while tasks run. What the task waits for
// there is not told: an awaiter leaves no name. Where a task that runs is, only its stack tells: see
// stall_detector. A task that is over is in no list: its handle keeps the result alone.
#pragma once

#include <cstdint>
#include <pinion/base/callback.hpp>
#include <pinion/base/export.hpp>
#include <pinion/config.hpp>
#include <pinion/scheduler/executor_base.hpp>
#include <pinion/waker/wake_event.hpp>
#include <string>
#include <string_view>

namespace pinion::scheduler::inline PINION_MODE {

/// What a task does. One that has not begun is ready.
enum class task_state : std::uint8_t { running, ready, waiting };

/// One task, as long as it is not resumed.
struct seen_task {
  std::string_view name;   ///< that it was spawned with; empty: none
  std::string_view queue;  ///< its queue's
  task_state state;
  const void* where;  ///< in the function that goes on, for function_name(); nullptr while it runs
};

/// What that task does now; on the thread of its executor.
PINION_EXPORT [[nodiscard]] seen_task look_at(const executor_base& of, const task_header& task) noexcept;
/// It in one line, without the end of a line.
PINION_EXPORT [[nodiscard]] std::string to_string(const seen_task& task);
/// All of an executor, a line each, the one spawned last first. On its thread. May throw std::bad_alloc.
PINION_EXPORT [[nodiscard]] std::string list_of_tasks(const executor_base& of);

/// A node that has the list told when it is drained: pushed by any thread, into that executor's channel and
/// no other, which outlives it. Pushed again before that, it is told once.
class PINION_EXPORT task_dump : public waker::wake_call {
 public:
  /// The function is called on the executor's thread. Where there is no memory for the list it is told so.
  task_dump(const executor_base& of, callback<std::string_view> told) noexcept
      : wake_call([](wake_call& self) { static_cast<task_dump&>(self).tell(); }), of_(of), told_(told) {}

 private:
  void tell() const noexcept;
  const executor_base& of_;
  callback<std::string_view> told_;
};

}  // namespace pinion::scheduler::inline PINION_MODE
