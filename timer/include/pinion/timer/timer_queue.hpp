// SPDX-License-Identifier: Apache-2.0
//
// timer_queue: a store with a clock, spoken to in chrono. The form to write an event loop with.
//
// It adds nothing to what the store keeps: a timer costs what it costs there, and the store's laws hold. Over a store of values
// it arms by handle; over a store of hooks (hook_wheel, bitmap_wheel) it arms the caller's hooks and never allocates.
//
//   timer_queue<deferred_wheel<inline_function<void()>>> timers;
//   handle idle = timers.after(30s, [this] { close(); });
//   timers.push_on(idle, 30s);                                   // for each request: one store into the timer
//   for (;;) {
//     epoll_wait(fd, events, n, timers.timeout_ms());            // sleeps until something is due, never a bit less
//     …
//     timers.run(64);                                            // at most so many a turn
//   }
//
// Delays count from the clock's now, read at the call, not from the last poll: after a turn of 50 ms a delay of 10 ms would be
// over before it began. Who wants that reading saved gives a Clock that returns the turn's.
//
// Slack: how much later than asked a timer may be, so that it shares its wakeup with others; 0 unless told (coalesce()).
//
// One owner at a time.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <pinion/base/time.hpp>
#include <pinion/timer/concept.hpp>
#include <pinion/timer/detail/clocked_store.hpp>
#include <pinion/timer/detail/hook_queue.hpp>  // IWYU pragma: export
#include <pinion/timer/handle.hpp>
#include <pinion/timer/when.hpp>
#include <utility>

namespace pinion::timer::inline PINION_MODE {

/// Over a store of values.
template <timer_store Store, timer_clock Clock>
class timer_queue<Store, Clock> : public clocked_store<Store, Clock> {
 public:
  using clocked_store<Store, Clock>::clocked_store;

  /// What a timer holds: a callback, or anything that moves without throwing.
  using value_type = typename Store::value_type;

  /// Arms a timer for `wait` from now. Strong guarantee: where the store throws (std::bad_alloc, std::length_error), nothing
  /// was armed and `value` was not moved from.
  template <delay Delay, delay Slack = duration>
  handle after(Delay wait, value_type&& value, Slack slack = Slack{}) {
    return this->backend().schedule(this->deadline(wait, slack), std::move(value));
  }

  /// The same for a point in time; one that has passed fires at the next poll.
  template <point_in_time Point, delay Slack = duration>
  handle at(Point point, value_type&& value, Slack slack = Slack{}) {
    return this->backend().schedule(this->deadline(point, slack), std::move(value));
  }

  /// Moves a timer to a point, or to a delay from now, keeping handle and value. In deferred_wheel one store when that is later.
  /// False if `h` is refused (T5).
  template <delay_or_point When, delay Slack = duration>
  bool push_on(handle h, When when, Slack slack = Slack{}) {
    return this->backend().reschedule(h, this->deadline(when, slack));
  }

  /// Takes the timer back: its value, or nothing if `h` is refused.
  std::optional<value_type> cancel(handle h) noexcept { return this->backend().cancel(h); }

  /// Until `n` timers are armed at once, arming neither allocates nor throws (T9). May throw std::bad_alloc.
  void reserve(std::size_t n) { this->backend().reserve(n); }

  /// Hands what is due by the clock to `sink`, as the store's poll(). Not from inside a sink.
  template <sink_for<value_type> Sink>
  poll_result poll(std::size_t budget, Sink&& sink) {
    return this->backend().poll(this->turn_clock(), budget, std::forward<Sink>(sink));
  }

  /// Calls what is due. What a callback throws passes through; the others stay for the next run (T2).
  poll_result run(std::size_t budget = unlimited)
    requires std::invocable<value_type&>
  {
    return poll(budget, [](handle, instant, value_type&& value) { value(); });
  }
};

}  // namespace pinion::timer::inline PINION_MODE
