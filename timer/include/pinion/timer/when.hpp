// SPDX-License-Identifier: Apache-2.0
//
// when: what is accepted where a time is asked for, and how it is rounded.
//
// A delay is a pinion::duration or any chrono duration, a deadline is an instant or a point of the steady
// clock. Both are rounded up to the nanosecond, for a timer must not fire early. coalesce() moves a deadline
// to a round time nearby.
//
//   timers.after(250ms, [&] { ++calls; });
//   timers.at(steady_clock::now() + 1s, [&] { ++calls; });
#pragma once

#include <bit>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <pinion/base/time.hpp>

namespace pinion::timer {

namespace when_detail {
template <class>
inline constexpr bool is_chrono_duration = false;
template <class Rep, class Period>
inline constexpr bool is_chrono_duration<std::chrono::duration<Rep, Period>> = true;
template <class>
inline constexpr bool is_steady_point = false;
template <class Duration>
inline constexpr bool is_steady_point<std::chrono::time_point<std::chrono::steady_clock, Duration>> = true;
}  // namespace when_detail

/// How long: a duration of ours or of chrono.
template <class T> concept delay = std::same_as<T, duration> || when_detail::is_chrono_duration<T>;

/// A point of the monotonic clock: an instant, or a time_point of the steady clock. Points of other clocks
/// are none: what the system clock says can be set.
template <class T> concept point_in_time = std::same_as<T, instant> || when_detail::is_steady_point<T>;

/// Either.
template <class T> concept delay_or_point = delay<T> || point_in_time<T>;

/// What tells the time: now(), an instant rounded down, without throwing. monotonic_clock is one; a loop that
/// reads the clock once a turn can give that reading, and a test whatever it likes.
template <class Clock>
concept timer_clock = std::move_constructible<Clock> && requires(const Clock& clock) {
  { clock.now() } noexcept -> std::same_as<instant>;
};

/// A delay in nanoseconds, rounded up; a negative one is 0.
template <delay Delay>
[[nodiscard]] constexpr duration as_duration(Delay d) noexcept {
  if constexpr (std::same_as<Delay, duration>) {
    return d;
  } else {
    return ceil(d);
  }
}

/// The instant that is meant: a point as it is, a delay from `now` on. Rounded up.
template <delay_or_point When>
[[nodiscard]] constexpr instant as_instant(When when, instant now) noexcept {
  if constexpr (delay<When>) {
    return now + as_duration(when);
  } else if constexpr (std::same_as<When, instant>) {
    return when;
  } else {
    return ceil(when);
  }
}

/// The roundest time in [deadline, deadline + slack]: the one that the highest power of two divides (in
/// nanoseconds since the clock's epoch). Timers that allow some slack come to share such times, and with them
/// one wakeup. Depends on nothing but its arguments; never earlier than `deadline`; `never` stays.
[[nodiscard]] constexpr instant coalesce(instant deadline, duration slack) noexcept {
  const std::uint64_t last = (deadline + slack).ns;
  if (deadline.ns == 0 || last == deadline.ns) return deadline;
  // Above the highest bit in which they differ, the time just before the window and its last one agree; at
  // that bit the latter has a one, and that one followed by zeros lies in the window.
  const std::uint64_t below = deadline.ns - 1;
  const int highest = 63 - std::countl_zero(below ^ last);
  return instant{last >> highest << highest};
}

}  // namespace pinion::timer
