// SPDX-License-Identifier: Apache-2.0
//
// The timer_queue over a store of hooks: it arms the caller's objects, never allocates, and arming can't fail.
//
//   timer_queue<call_wheel> timers;
//   timer_call wake{[](timer_call& c) { static_cast<task*>(c.context)->run(); }, &task};
//   timers.after(30s, wake);
//   timers.run();
//
// For timers that are members, intrusive_timer says the same in fewer words. All else is as in timer_queue.hpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <pinion/base/time.hpp>
#include <pinion/timer/concept.hpp>
#include <pinion/timer/detail/clocked_store.hpp>
#include <pinion/timer/timer_call.hpp>
#include <pinion/timer/when.hpp>
#include <utility>

namespace pinion::timer::inline PINION_MODE {

/// Over a store of hooks. The queue must outlive what is armed, or be cleared.
template <intrusive_timer_store Store, timer_clock Clock>
class timer_queue<Store, Clock> : public clocked_store<Store, Clock> {
 public:
  using clocked_store<Store, Clock>::clocked_store;

  /// What is armed.
  using hook_type = typename Store::hook_type;

  /// Arms `hook` for `wait` from now, or moves it if it is armed here.
  template <delay Delay, delay Slack = duration>
  void after(Delay wait, hook_type& hook, Slack slack = Slack{}) noexcept {
    this->backend().schedule(hook, this->deadline(wait, slack));
  }

  /// The same for a point in time; one that has passed fires at the next poll.
  template <point_in_time Point, delay Slack = duration>
  void at(Point point, hook_type& hook, Slack slack = Slack{}) noexcept {
    this->backend().schedule(hook, this->deadline(point, slack));
  }

  /// Moves an armed hook; one store when that is later and not yet due. False if it is not armed.
  template <delay_or_point When, delay Slack = duration>
  bool push_on(hook_type& hook, When when, Slack slack = Slack{}) noexcept {
    return this->backend().reschedule(hook, this->deadline(when, slack));
  }

  /// Disarms it. False if it was not armed.
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
