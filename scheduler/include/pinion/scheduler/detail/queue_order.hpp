// SPDX-License-Identifier: Apache-2.0
//
// queue_order: which queue is next.
//
// Each queue has the time that it used, divided by its shares. Who has the least is next: over any time in
// which a set of queues is ready throughout, what they used by shares differs by one slice of each, so the
// time that they got is as their shares are (law E2). A queue that comes back is given what the others have
// at the least, or it would make up for having slept.
//
// The slice of another one ends when a queue with a latency has waited for so long, and that one is next
// then. So it may come to be ahead of its shares; by a latency at the most, then it waits like any other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
#include <pinion/preempt/slice_rule.hpp>
#include <pinion/scheduler/task_queue.hpp>
#include <vector>

namespace pinion::scheduler::inline PINION_MODE {

/// Those that are ready. A handful, so it looks at each.
class queue_order {
 public:
  /// What is next, and for how long at most.
  struct choice {
    task_queue* queue;
    duration at_most;
  };

  /// Whether none is ready.
  [[nodiscard]] bool empty() const noexcept { return ready_.empty(); }
  /// How many are ready.
  [[nodiscard]] std::size_t size() const noexcept { return ready_.size(); }
  /// Room for so many, so that add() allocates nothing. May throw std::bad_alloc.
  void reserve(std::size_t queues) { ready_.reserve(queues); }

  /// Whether it is among those that are ready.
  [[nodiscard]] bool has(const task_queue& queue) const noexcept {
    return queue.place_ < ready_.size() && ready_[queue.place_] == &queue;
  }
  /// It has something to run, since about `now`; it is not among them.
  void add(task_queue& queue, instant now) noexcept {
    queue.place_ = ready_.size();
    ready_.push_back(&queue);
    queue.used_ = std::max(queue.used_, least_);
    queue.due_ = now + queue.options_.latency;
  }
  /// It has nothing to run any more.
  void remove(task_queue& queue) noexcept {
    ready_.back()->place_ = queue.place_;
    ready_[queue.place_] = ready_.back();
    ready_.pop_back();
    queue.is_open_ = false;
  }

  /// Of those that are ready, one at least.
  [[nodiscard]] choice next(instant now) noexcept {
    task_queue* const least =
        *std::min_element(ready_.begin(), ready_.end(),
                          [](const task_queue* a, const task_queue* b) { return a->used_ < b->used_; });
    least_ = least->used_;
    task_queue* first_due = least;
    for (task_queue* each : ready_) {
      if (each->due_ < first_due->due_ && !is_ahead(*each)) first_due = each;
    }
    if (first_due == least) return {least, forever};
    const duration left = first_due->due_ - now;
    if (left >= preempt::quantum_min) return {least, left};
    return {first_due, forever};
  }

  /// Its slice was so long, and ended now.
  static void ran(task_queue& queue, duration length, instant now) noexcept {
    queue.used_ += static_cast<double>(length.ns) / queue.options_.shares;
    queue.due_ = now + queue.options_.latency;
    queue.statistics_.ran = queue.statistics_.ran + length;
    ++queue.statistics_.slices;
  }

 private:
  // Whether its tasks took so much more than its slices that it is a whole latency ahead of its shares.
  [[nodiscard]] bool is_ahead(const task_queue& queue) const noexcept {
    return (queue.used_ - least_) * queue.options_.shares > static_cast<double>(queue.options_.latency.ns);
  }

  std::vector<task_queue*> ready_;
  double least_ = 0;  // what the last to be chosen by its shares had used
};

}  // namespace pinion::scheduler::inline PINION_MODE
