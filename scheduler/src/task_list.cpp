// SPDX-License-Identifier: Apache-2.0
//
// task_list: what tasks do, and how that is said.
#include <pinion/scheduler/task_list.hpp>

#include <new>
#include <pinion/scheduler/function_name.hpp>

namespace pinion::scheduler::inline PINION_MODE {

seen_task look_at(const executor_base& of, const task_header& task) noexcept {
  const bool is_running = of.running_task() == &task;
  const bool is_ready = task.next != &task;
  return {.name = task.name != nullptr ? std::string_view{task.name} : std::string_view{},
          .queue = task.queue().options().name,
          .state = is_running ? task_state::running
                   : is_ready ? task_state::ready
                              : task_state::waiting,
          // Not while it runs: the coroutine that it was resumed in may be gone.
          .where = is_running ? nullptr : *static_cast<const void* const*>(task.where.address())};
}

std::string to_string(const seen_task& task) {
  std::string text{task.queue};
  text += ": ";
  text += task.name.empty() ? std::string_view{"a task"} : task.name;
  switch (task.state) {
  case task_state::running: return text + " runs";
  case task_state::ready: text += " is ready in "; break;
  case task_state::waiting: text += " waits in "; break;
  }
  return text + function_name(task.where);
}

std::string list_of_tasks(const executor_base& of) {
  std::string text;
  of.for_each_task([&](const task_header& each) {
    text += to_string(look_at(of, each));
    text += '\n';
  });
  return text;
}

void task_dump::tell() const noexcept {
  try {
    told_(list_of_tasks(of_));
  } catch (const std::bad_alloc&) {
    told_("there was no memory for the list of tasks\n");
  }
}

}  // namespace pinion::scheduler::inline PINION_MODE
