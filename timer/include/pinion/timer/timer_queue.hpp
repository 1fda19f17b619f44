// SPDX-License-Identifier: Apache-2.0
//
// timer_queue: a store with a clock, spoken to in chrono. Write an event loop with it.
//
// A timer costs what it costs in the store, and the store's laws hold. There are two forms, and the store
// decides which. Over a store of values a timer is named by a handle:
//
//   timer_queue<deferred_wheel<inline_function<void()>>> timers;
//   handle idle = timers.after(30s, [&] { client.close(); });
//   timers.push_on(idle, 30s);                                  // for each request: one store into the timer
//   while (!is_over) {
//     const int n = epoll_wait(fd, events, 8, timers.timeout_ms());  // until the next is due, rounded up
//     for (int i = 0; i < n; ++i) serve(events[i]);
//     timers.run(64);                                            // at most so many a turn
//   }
//
// Over a store of hooks (hook_wheel, bitmap_wheel) the caller's objects are the timers; nothing allocates,
// and arming can't fail:
//
//   timer_queue<call_wheel> timers;
//   task job;
//   timer_call wake{[](timer_call& c) { static_cast<task*>(c.context)->run(); }, &job};
//   timers.after(30s, wake);
//   timers.run();
//
// For a timer that is a member, intrusive_timer says the same in fewer words.
//
// A delay counts from the clock's now at the call, not from the last poll: after a turn of 50 ms a delay of
// 10 ms would be over before it began. To save the reading, give a Clock that returns the turn's time.
//
// Slack: how much later than asked a timer may be, so that it shares its wake-up with others; 0 unless told
// (coalesce()).
//
// One owner at a time.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <pinion/base/time.hpp>
#include <pinion/timer/concept.hpp>
#include <pinion/timer/detail/clocked_store.hpp>
#include <pinion/timer/handle.hpp>
#include <pinion/timer/timer_call.hpp>
#include <pinion/timer/when.hpp>
#include <utility>

namespace pinion::timer::inline PINION_MODE {

/// A store and the clock it is polled by: over a store of values or over a store of hooks, as follows. now(),
/// latest(), deadline(), next_wakeup(), timeout(), timeout_ms(), size(), clear() and backend() are
/// clocked_store's.
template <class Store, timer_clock Clock = monotonic_clock>
class timer_queue;

/// Over a store of values: each timer holds one and is named by a handle.
template <timer_store Store, timer_clock Clock>
class timer_queue<Store, Clock> : public clocked_store<Store, Clock> {
 public:
  using clocked_store<Store, Clock>::clocked_store;

  /// What a timer holds: a callback, or anything that moves without throwing.
  using value_type = typename Store::value_type;

  /// Arms a timer for `wait` from now. Strong guarantee: where the store throws (std::bad_alloc,
  /// std::length_error), nothing was armed and `value` was not moved from.
  template <delay Delay, delay Slack = duration>
  handle after(Delay wait, value_type&& value, Slack slack = Slack{}) {
    return this->backend().schedule(this->deadline(wait, slack), std::move(value));
  }

  /// As after(), for a point in time; one that has passed fires at the next poll.
  template <point_in_time Point, delay Slack = duration>
  handle at(Point point, value_type&& value, Slack slack = Slack{}) {
    return this->backend().schedule(this->deadline(point, slack), std::move(value));
  }

  /// Moves a timer to a point, or to a delay from now, keeping handle and value. In deferred_wheel one store
  /// when that is later. False if `h` is refused (T5).
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

/// Over a store of hooks: each timer is an object of the caller's. The queue must outlive what is armed, or
/// be cleared.
template <intrusive_timer_store Store, timer_clock Clock>
class timer_queue<Store, Clock> : public clocked_store<Store, Clock> {
 public:
  using clocked_store<Store, Clock>::clocked_store;

  /// The objects that are armed.
  using hook_type = typename Store::hook_type;

  /// Arms `hook` for `wait` from now, or moves it if it is armed here. A hook that is armed in another store
  /// is a violation, in each of these members: see hook_wheel::schedule().
  template <delay Delay, delay Slack = duration>
  void after(Delay wait, hook_type& hook, Slack slack = Slack{}) noexcept {
    this->backend().schedule(hook, this->deadline(wait, slack));
  }

  /// As after(), for a point in time; one that has passed fires at the next poll.
  template <point_in_time Point, delay Slack = duration>
  void at(Point point, hook_type& hook, Slack slack = Slack{}) noexcept {
    this->backend().schedule(hook, this->deadline(point, slack));
  }

  /// Moves an armed hook; one store when that is later and not yet due. False if it is not armed here.
  template <delay_or_point When, delay Slack = duration>
  bool push_on(hook_type& hook, When when, Slack slack = Slack{}) noexcept {
    return this->backend().reschedule(hook, this->deadline(when, slack));
  }

  /// Disarms `hook`. False if it was not armed here.
  bool cancel(hook_type& hook) noexcept { return this->backend().cancel(hook); }

  /// Hands what is due by the clock to `sink`, as the store's poll(). Not from inside a sink.
  template <class Sink>
    requires std::invocable<Sink&, hook_type&>
  poll_result poll(std::size_t budget, Sink&& sink) {
    return this->backend().poll(this->turn_clock(), budget, std::forward<Sink>(sink));
  }

  /// Calls what is due. What a callback throws passes through; the others stay for the next run (T2).
  poll_result run(std::size_t budget = unlimited)
    requires calling_hook<hook_type>
  {
    return poll(budget, [](hook_type& hook) {
      if (hook.waker != nullptr) hook.waker(hook);
    });
  }
};

}  // namespace pinion::timer::inline PINION_MODE
