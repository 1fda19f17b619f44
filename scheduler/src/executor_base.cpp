// SPDX-License-Identifier: Apache-2.0
//
// executor_base: its queues, slices, and the ends of tasks that have no handle.
#include <pinion/scheduler/executor_base.hpp>

#include <utility>

namespace pinion::scheduler::inline PINION_MODE {
namespace {
thread_local executor_base* current_here = nullptr;
}  // namespace

executor_base* executor_base::current() noexcept { return current_here; }

executor_base::on_this_thread::on_this_thread(executor_base& by) noexcept
    : before_(std::exchange(current_here, &by)) {}
executor_base::on_this_thread::~on_this_thread() { current_here = before_; }

executor_base::~executor_base() = default;

task_queue& executor_base::add(queue_options options, preempt::slice_rule::queue number) {
  shared_.order.reserve(shared_.all.size() + 1);
  std::unique_ptr<task_queue, queue_end> made{new task_queue(std::move(options), number)};
  shared_.all.push_back(std::move(made));
  return *shared_.all.back();
}

std::size_t executor_base::size() const noexcept {
  std::size_t tasks = 0;
  for (const auto& each : shared_.all) tasks += each->statistics_.tasks;
  return tasks;
}

std::coroutine_handle<> executor_base::end(task_header& task, std::coroutine_handle<> frame,
                                           const std::exception_ptr* thrown) noexcept {
  task.is_over_ = true;
  task.where = frame;
  *task.link_ = task.next_task_;
  if (task.next_task_ != nullptr) task.next_task_->link_ = task.link_;
  --task.queue_->statistics_.tasks;
  running_.store(nullptr, std::memory_order_relaxed);  // what its frame still holds may spawn as it goes
  const bool is_kept = task.has_handle_;               // the joiner may take the result, and the task with it
  if (task.joiner_ != nullptr) task.joiner_->ended_(*task.joiner_, task, thrown);
  if (is_kept) return std::noop_coroutine();
  if (thrown != nullptr && task.joiner_ == nullptr) {
    thrown_ = *thrown;
    skipped_ = std::exchange(left_, 1) - 1;  // no more in this slice: what was thrown passes through
  }
  destroy(task);
  return std::noop_coroutine();
}

void executor_base::cancel_all() noexcept {
  is_ending_ = true;
  for (task_header* each = first_; each != nullptr; each = each->next_task_) each->own_slot_.request();
}

}  // namespace pinion::scheduler::inline PINION_MODE
