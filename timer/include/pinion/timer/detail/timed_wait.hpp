// SPDX-License-Identifier: Apache-2.0
//
// timed_wait: what a coroutine that waits for a time keeps in its frame. Sleeps and tickers are made of it.
//
// The awaiter is the timer: over a queue of hooks nothing is allocated, and a frame that is destroyed while
// it waits takes its timer along. A wait always suspends, however long its deadline has passed, and always
// ends in a poll of its queue, in the poll after the one it began in at the earliest (law T7): a loop that
// sleeps for no time gives way each round, and nobody's stack grows by another's resumption.
#pragma once

#include <coroutine>
#include <pinion/base/time.hpp>
#include <pinion/timer/cancel_slot.hpp>
#include <pinion/timer/detail/embedded_timer.hpp>

namespace pinion::timer::inline PINION_MODE {

/// A wait that only ends by itself. What derives from it adds await_resume().
template <calling_queue Queue>
class timed_wait : embedded_detail::embedded_timer<Queue, timed_wait<Queue>> {
 public:
  /// Never.
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  /// Arms the timer. What that throws (never over a queue of hooks), the co_await throws.
  void await_suspend(std::coroutine_handle<> waiting) {
    waiting_ = waiting;
    this->arm(deadline_);
  }

 protected:
  timed_wait(Queue& timers, instant deadline) noexcept
      : embedded_detail::embedded_timer<Queue, timed_wait>(timers), deadline_(deadline) {}
  ~timed_wait() = default;

  using embedded_detail::embedded_timer<Queue, timed_wait<Queue>>::queue;

 private:
  friend embedded_detail::embedded_timer<Queue, timed_wait>;
  void woken() { waiting_.resume(); }

  instant deadline_;
  std::coroutine_handle<> waiting_;
};

/// A wait that a cancel_slot can end. If that was requested before, it does not suspend; if it is while the
/// wait goes on, the wait ends in the next poll and was cancelled, even if it had become due.
template <calling_queue Queue>
class cancellable_timed_wait : embedded_detail::embedded_timer<Queue, cancellable_timed_wait<Queue>>,
                               cancel_slot::operation {
 public:
  /// Whether cancellation was requested before.
  [[nodiscard]] bool await_ready() noexcept {
    was_cancelled_ = slot_->is_requested();
    return was_cancelled_;
  }
  /// Arms the timer. What that throws (never over a queue of hooks), the co_await throws.
  void await_suspend(std::coroutine_handle<> waiting) {
    waiting_ = waiting;
    this->arm(deadline_);
    wait_under(*slot_);
  }

 protected:
  cancellable_timed_wait(Queue& timers, instant deadline, cancel_slot& slot) noexcept
      : embedded_detail::embedded_timer<Queue, cancellable_timed_wait>(timers),
        operation([](operation& self) noexcept { static_cast<cancellable_timed_wait&>(self).cancel(); }),
        slot_(&slot), deadline_(deadline) {}
  ~cancellable_timed_wait() = default;

  /// How it ended.
  [[nodiscard]] bool was_cancelled() const noexcept { return was_cancelled_; }

  using embedded_detail::embedded_timer<Queue, cancellable_timed_wait<Queue>>::queue;

 private:
  friend embedded_detail::embedded_timer<Queue, cancellable_timed_wait>;
  void woken() { waiting_.resume(); }
  void cancel() noexcept {
    was_cancelled_ = true;
    this->hurry();
  }

  cancel_slot* slot_;
  instant deadline_;
  std::coroutine_handle<> waiting_;
  bool was_cancelled_ = false;
};

}  // namespace pinion::timer::inline PINION_MODE
