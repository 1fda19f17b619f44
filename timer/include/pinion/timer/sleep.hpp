// SPDX-License-Identifier: Apache-2.0
//
// sleep_until, sleep_for: a coroutine that waits for a time. In any kind of coroutine, on any timer_queue
// that calls.
//
//   co_await sleep_for(timers, 250ms);
//   const auto slept = co_await sleep_until(timers, deadline, shutdown);
//   if (!slept) co_return;                                              // cancelled
//
// The coroutine goes on inside the queue's poll or, if its promise has an executor(), is made ready there
// (law C1). It always suspends, also for a deadline that has passed or under a slot that was requested: then
// until the next poll. A coroutine is not destroyed while it sleeps: cancel it, and let it run on
// (resumption.hpp); a checked build stops there. A file that defines a coroutine includes <coroutine>.
#pragma once

#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/error.hpp>
#include <pinion/base/time.hpp>
#include <pinion/timer/detail/timed_wait.hpp>
#include <pinion/timer/when.hpp>
#include <system_error>

namespace pinion::timer::inline PINION_MODE {

/// What sleep_until() and sleep_for() give without a slot: two words that can be kept, copied, and awaited
/// more than once.
template <calling_queue Queue>
class sleep_awaitable {
 public:
  /// What the coroutine keeps in its frame while it sleeps. co_await gives nothing.
  class awaiter : public timed_wait<Queue> {
   public:
    void await_resume() const noexcept {}  ///< the time has come

   private:
    friend class sleep_awaitable;
    awaiter(Queue& timers, instant deadline) noexcept : timed_wait<Queue>(timers, deadline) {}
  };

  /// Until `deadline`, in `queue`.
  sleep_awaitable(Queue& queue, instant deadline) noexcept : queue_(&queue), deadline_(deadline) {}

  /// For co_await.
  [[nodiscard]] awaiter operator co_await() const noexcept { return awaiter(*queue_, deadline_); }

 private:
  Queue* queue_;
  instant deadline_;
};

/// What sleep_until() and sleep_for() give with a slot.
template <calling_queue Queue>
class cancellable_sleep_awaitable {
 public:
  /// What the coroutine keeps in its frame while it sleeps. co_await gives expected<void, std::error_code>.
  class awaiter : public cancellable_timed_wait<Queue> {
   public:
    /// Nothing if the time has come; operation_canceled if the slot came first.
    [[nodiscard]] expected<void, std::error_code> await_resume() const noexcept {
      if (this->was_cancelled()) return unexpected<std::error_code>{wait_cancelled()};
      return {};
    }

   private:
    friend class cancellable_sleep_awaitable;
    awaiter(Queue& timers, instant deadline, cancel_slot& slot) noexcept
        : cancellable_timed_wait<Queue>(timers, deadline, slot) {}
  };

  /// Until `deadline`, in `queue`, or until `slot` is requested.
  cancellable_sleep_awaitable(Queue& queue, instant deadline, cancel_slot& slot) noexcept
      : queue_(&queue), slot_(&slot), deadline_(deadline) {}

  /// For co_await.
  [[nodiscard]] awaiter operator co_await() const noexcept { return awaiter(*queue_, deadline_, *slot_); }

 private:
  Queue* queue_;
  cancel_slot* slot_;
  instant deadline_;
};

/// Sleeps until `point`, rounded up.
template <calling_queue Queue, point_in_time Point>
[[nodiscard]] sleep_awaitable<Queue> sleep_until(Queue& queue, Point point) noexcept {
  return {queue, queue.deadline(point)};
}

/// Sleeps for `wait`, from the clock's now at this call, not at the co_await.
template <calling_queue Queue, delay Delay>
[[nodiscard]] sleep_awaitable<Queue> sleep_for(Queue& queue, Delay wait) noexcept {
  return {queue, queue.deadline(wait)};
}

/// As above, or until `slot` is requested, if that comes first. The slot must live until the co_await begins;
/// it may die during it.
template <calling_queue Queue, point_in_time Point>
[[nodiscard]] cancellable_sleep_awaitable<Queue> sleep_until(Queue& queue, Point point,
                                                             cancel_slot& slot) noexcept {
  return {queue, queue.deadline(point), slot};
}
template <calling_queue Queue, delay Delay>
[[nodiscard]] cancellable_sleep_awaitable<Queue> sleep_for(Queue& queue, Delay wait,
                                                           cancel_slot& slot) noexcept {
  return {queue, queue.deadline(wait), slot};
}

}  // namespace pinion::timer::inline PINION_MODE
