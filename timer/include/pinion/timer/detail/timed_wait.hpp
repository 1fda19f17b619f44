// SPDX-License-Identifier: Apache-2.0
//
// timed_wait: what a coroutine that waits for a time keeps in its frame. Sleeps and tickers are made of it.
//
// The awaiter is the timer: over a queue of hooks nothing is allocated. A wait always suspends, however long
// its deadline has passed and whatever its slot says, and it always ends in a poll of its queue, in the poll
// after the one that it began in at the earliest (law T7). So a loop that sleeps for no time, or tries again
// whenever it is cancelled, gives way each round, and nobody's stack grows by another's resumption.
#pragma once

#include <pinion/config.hpp>

#include <coroutine>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/resumption.hpp>
#include <pinion/base/time.hpp>
#include <pinion/timer/detail/embedded_timer.hpp>

namespace pinion::timer::inline PINION_MODE {

/// A wait that only ends by itself. What derives from it adds await_resume().
template <calling_queue Queue>
class timed_wait : protected embedded_detail::embedded_timer<Queue, timed_wait<Queue>> {
 public:
  /// Never.
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  /// Arms the timer. What that throws (never over a queue of hooks), the co_await throws.
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> waiting) {
    this->arm(deadline_);
    resumption_ = resumption{waiting};
  }

 protected:
  timed_wait(Queue& timers, instant deadline) noexcept
      : embedded_detail::embedded_timer<Queue, timed_wait>(timers), deadline_(deadline) {}
  ~timed_wait() { expect_wait_is_over(!this->is_armed()); }

 private:
  friend embedded_detail::embedded_timer<Queue, timed_wait>;
  void woken() { resumption_.go_on(); }

  instant deadline_;
  resumption resumption_;
};

/// A wait that a cancel_slot can end. Cancelled, it ends in the next poll, even if it had become due.
template <calling_queue Queue>
class cancellable_timed_wait : public timed_wait<Queue>, cancel_slot::wait {
 public:
  /// As timed_wait's.
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> waiting) {
    timed_wait<Queue>::await_suspend(waiting);
    wait_under(*slot_);
  }

 protected:
  cancellable_timed_wait(Queue& timers, instant deadline, cancel_slot& slot) noexcept
      : timed_wait<Queue>(timers, deadline), wait([](wait& self) noexcept {
          auto& mine = static_cast<cancellable_timed_wait&>(self);
          mine.was_cancelled_ = mine.is_armed();  // else it has ended already, and is only to go on
          mine.hurry();
        }),
        slot_(&slot) {}
  ~cancellable_timed_wait() = default;

  /// How it ended.
  [[nodiscard]] bool was_cancelled() const noexcept { return was_cancelled_; }

 private:
  cancel_slot* slot_;
  bool was_cancelled_ = false;
};

}  // namespace pinion::timer::inline PINION_MODE
