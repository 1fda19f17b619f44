// SPDX-License-Identifier: Apache-2.0
//
// task_group: how its tasks end.
#include <pinion/scheduler/task_group.hpp>

#include <exception>
#include <pinion/base/assert.hpp>
#include <pinion/base/diagnostic.hpp>

namespace pinion::scheduler::inline PINION_MODE {

task_group::task_group() noexcept : joiner(&ended), by_(executor_base::current()) {
  PINION_ASSERT(by_ != nullptr, "a task_group was made where no executor runs: make it inside a task");
}

task_group::~task_group() {
  PINION_ASSERT(size_ == 0,
                "a task_group went before its tasks: co_await its join(), also where something is thrown");
  if (size_ == 0) return;
  report(severity::error, "scheduler", "group-not-joined",
         "a task_group went before its tasks, which would use what is gone: co_await its join(), also where "
         "something is thrown");
  std::terminate();
}

void task_group::add(task_header& task) noexcept {
  PINION_ASSERT(!is_joined_, "a task_group was joined, and a task that is not its own spawned one more: let "
                             "its tasks and who joins it spawn, or join it again");
  task.wait_under(slot_);
  executor_base::join(task, this);
  ++size_;
}

void task_group::ended(joiner& self, task_header& /*task*/, const std::exception_ptr* thrown) noexcept {
  auto& mine = static_cast<task_group&>(self);
  --mine.size_;
  if (thrown != nullptr && mine.thrown_ == nullptr) {
    mine.thrown_ = *thrown;
    mine.slot_.request();
  }
  if (mine.size_ != 0 || !mine.who_) return;
  mine.is_joined_ = true;
  mine.who_.go_on();
}

}  // namespace pinion::scheduler::inline PINION_MODE
