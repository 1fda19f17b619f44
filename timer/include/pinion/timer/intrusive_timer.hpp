// SPDX-License-Identifier: Apache-2.0
//
// intrusive_timer: a timer that is a member of what it times. It cancels itself when it is destroyed, and
// never allocates.
//
// What it calls is named when it is made, so arming can't fail and says nothing but when: one cache line in
// all, on the machines of today.
//
//   struct connection {
//     explicit connection(timer_set& timers) : idle(timers, calls<&connection::timed_out>, *this) {}
//     void on_request() { idle.arm(30s); }          // arms, or pushes on: one store
//     void timed_out() { is_open = false; }         // may arm it again, or delete this
//     bool is_open = true;
//     intrusive_timer<timer_set> idle;              // timer_set: a timer_queue<call_wheel>, say
//   };
//
// Pinned: neither copied nor moved, and so is what it is part of. The wheel's list points at it, and it
// points at its context, which most often is the object it is a member of; a moved timer would call the place
// where that object was. For a timer that moves, keep a handle in a store of values.
//
// Over a bare store of hooks, which has no clock, it is armed for instants only; over a timer_queue for
// delays as well.
#pragma once

#include <concepts>
#include <pinion/base/time.hpp>
#include <pinion/timer/concept.hpp>
#include <pinion/timer/timer_call.hpp>
#include <pinion/timer/timer_queue.hpp>
#include <pinion/timer/when.hpp>

namespace pinion::timer::inline PINION_MODE {

/// What intrusive_timer can be armed in: a store of hooks that say what to call, or a timer_queue over one.
template <class Timers>
concept takes_calling_hooks = requires { requires calling_hook<typename Timers::hook_type>; };

/// What a timer of `Timers` can be armed for: an instant; with a clock, any point and any delay.
template <class When, class Timers>
concept time_for =
    std::same_as<When, instant> ||
    (delay_or_point<When> && requires(const Timers& timers, When when) { timers.deadline(when); });

template <takes_calling_hooks Timers>
class intrusive_timer {
 public:
  /// The hook inside.
  using hook_type = typename Timers::hook_type;

  /// A timer of `timers` that calls Function with `context`. Both must outlive it, or `timers` be cleared or
  /// destroyed first.
  template <auto Function, class Context>
    requires std::invocable<decltype(Function), Context&>
  intrusive_timer(Timers& timers, calls_function<Function>, Context& context) noexcept : timers_(&timers) {
    call_detail::set_call<Function>(hook_, context);
  }

  /// As above, for a function that is known only at run time. It gets the hook, whose `context` is `context`.
  intrusive_timer(Timers& timers, void (*function)(hook_type&), void* context) noexcept : timers_(&timers) {
    hook_.waker = function;
    hook_.context = context;
  }

  intrusive_timer(const intrusive_timer&) = delete;
  intrusive_timer& operator=(const intrusive_timer&) = delete;
  /// Cancels: what it calls is not called any more, not even if it was due in the poll that goes on.
  ~intrusive_timer() = default;

  /// Arms it, or moves it if it is armed. When it is due it is disarmed, and its function called; that may
  /// arm it again, or destroy it. Already due: at the next poll. `slack` is how much later it may be
  /// (coalesce()).
  template <time_for<Timers> When, delay Slack = duration>
  void arm(When when, Slack slack = Slack{}) noexcept {
    hooks().schedule(hook_, deadline_of(when, slack));
  }

  /// Moves it only if it is armed, and says whether it was; one store when that is later and not yet due. For
  /// what must not come back to life: a timeout that has struck.
  template <time_for<Timers> When, delay Slack = duration>
  bool push_on(When when, Slack slack = Slack{}) noexcept {
    return hooks().reschedule(hook_, deadline_of(when, slack));
  }

  /// Disarms it. False if it was not armed.
  bool cancel() noexcept { return hooks().cancel(hook_); }

  /// Whether it is going to be called.
  [[nodiscard]] bool is_armed() const noexcept { return hook_.is_armed(); }

  /// What it was last armed for, slack included.
  [[nodiscard]] instant deadline() const noexcept { return hook_.deadline(); }

 private:
  [[nodiscard]] auto& hooks() const noexcept {
    if constexpr (requires { timers_->backend(); }) {
      return timers_->backend();
    } else {
      return *timers_;
    }
  }
  template <class When, class Slack>
  [[nodiscard]] instant deadline_of(When when, Slack slack) const noexcept {
    if constexpr (requires { timers_->deadline(when, slack); }) {
      return timers_->deadline(when, slack);
    } else {
      return coalesce(when, as_duration(slack));
    }
  }

  Timers* timers_;
  hook_type hook_;
};

}  // namespace pinion::timer::inline PINION_MODE
