// SPDX-License-Identifier: Apache-2.0
//
// interval: calls something again and again, in phase. Over any timer_queue that calls; pinned, and stops
// when it is destroyed.
//
//   struct server {
//     explicit server(timer_set& timers) : beat(timers, calls<&server::send_beat>, *this) {}
//     void run() { beat.start(100ms, missed_ticks::skip); }
//     void send_beat(tick t) { missed += t.missed; }   // may stop it; the tick may be left out
//     std::uint64_t missed = 0;
//     interval<timer_set> beat;                        // timer_set: a timer_queue<call_wheel>, say
//   };
//
// The time by which ticks are late or missed is the poll's, not the clock's at the end of a callback, so that
// which ticks run follows from the times of the polls alone. The next tick is armed before the function is
// called, which may therefore stop the interval, start it with another period, or destroy it; if it throws,
// the interval goes on.
#pragma once

#include <concepts>
#include <functional>
#include <pinion/base/time.hpp>
#include <pinion/timer/detail/embedded_timer.hpp>
#include <pinion/timer/phase.hpp>
#include <pinion/timer/timer_call.hpp>
#include <pinion/timer/when.hpp>

namespace pinion::timer::inline PINION_MODE {

/// What an interval calls with its context: with the tick, or without.
template <class Function, class Context>
concept tick_function = std::invocable<Function, Context&, tick> || std::invocable<Function, Context&>;

template <calling_queue Queue>
class interval : embedded_detail::embedded_timer<Queue, interval<Queue>> {
 public:
  /// Stopped; calls Function with `context` and, if it takes one, the tick. The context must outlive it; the
  /// queue may be destroyed first, which stops it for good.
  template <auto Function, class Context>
    requires tick_function<decltype(Function), Context>
  interval(Queue& queue, calls_function<Function>, Context& context) noexcept
      : embedded_detail::embedded_timer<Queue, interval>(queue), call_([](void* its_context, tick t) {
          Context& c = *static_cast<Context*>(its_context);
          if constexpr (std::invocable<decltype(Function), Context&, tick>) {
            std::invoke(Function, c, t);
          } else {
            static_cast<void>(t);
            std::invoke(Function, c);
          }
        }),
        context_(&context) {}

  interval(const interval&) = delete;
  interval& operator=(const interval&) = delete;
  /// Stops.
  ~interval() = default;

  /// Starts, or starts anew: the first tick is due one period from the clock's now. Over a store of values it
  /// may throw what arming throws; no tick after the first does, if the store allocates as `beyond_reserve`
  /// says.
  template <delay Delay>
  void start(Delay period, missed_ticks missed) {
    start_at(this->queue().now() + as_duration(period), period, missed);
  }

  /// As start(), with the first tick at `first`; if that has passed, at the next poll.
  template <delay_or_point When, delay Delay>
  void start_at(When first, Delay period, missed_ticks missed) {
    phase_ = phase{this->queue().deadline(first), as_duration(period), missed};
    this->arm(phase_.due());
  }

  /// No tick runs any more. False if it was not running.
  bool stop() noexcept { return this->disarm(); }

  /// Whether a tick is to come.
  [[nodiscard]] bool is_running() const noexcept { return this->is_armed(); }

  /// When the next tick is due, and how far ticks are apart. For an interval that has been started.
  [[nodiscard]] instant due() const noexcept { return phase_.due(); }
  [[nodiscard]] duration period() const noexcept { return phase_.period(); }

 private:
  friend embedded_detail::embedded_timer<Queue, interval>;

  void woken() {
    const tick t = phase_.advance(this->queue().latest());
    this->arm(phase_.due());
    call_(context_, t);  // may have destroyed *this
  }

  void (*call_)(void*, tick);
  void* context_;
  phase phase_{never, duration{1}, missed_ticks::burst};
};

}  // namespace pinion::timer::inline PINION_MODE
