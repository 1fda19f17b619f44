// SPDX-License-Identifier: Apache-2.0
//
// How a task goes on after a wait: resumed where the wait ends (bare_resume), or made ready in a run_queue
// (by_run_queue), or in the list that is most often written by hand, a std::deque (by_deque).
#pragma once

#include <cstddef>
#include <deque>
#include <pinion/base/executor.hpp>
#include <pinion/preempt.hpp>

namespace pinion::scheduler::bench::inline PINION_MODE {

/// No executor: what ends a wait resumes the coroutine, in the same call.
struct bare_resume {
  static void begin(runnable& task) { task.where.resume(); }
  static void run() noexcept {}
};

// What preempt's forms ask of an executor beside base's two calls.
template <class Queue>
struct looking : Queue {
  [[nodiscard]] const preempt::word& preempt_word() const noexcept { return source_.word(); }
  [[nodiscard]] preempt::slice_log& slices() noexcept { return log_; }
  void begin(runnable& task) noexcept { this->ready(task); }

 private:
  preempt::never_due source_;
  preempt::slice_log log_;
};

/// The smallest executor of base.
using by_run_queue = looking<run_queue>;

/// As by hand.
class deque_of_tasks {
 public:
  [[nodiscard]] runnable& running() noexcept { return *running_; }
  void ready(runnable& task) noexcept { ready_.push_back(&task); }
  void run() {
    for (std::size_t left = ready_.size(); left != 0; --left) {
      running_ = ready_.front();
      ready_.pop_front();
      running_->where.resume();
    }
  }

 private:
  std::deque<runnable*> ready_;
  runnable* running_ = nullptr;
};
using by_deque = looking<deque_of_tasks>;

}  // namespace pinion::scheduler::bench::inline PINION_MODE
