// SPDX-License-Identifier: Apache-2.0
//
// instant, duration: time as all parts see it, 64-bit nanoseconds on the monotonic clock.
//
// Unsigned, so that any epoch is valid and a difference can't be negative; every operation saturates instead
// of wrapping, so a deadline computed from untrusted input is at worst `never`, and never in the past by
// accident. Conversions from and to std::chrono are named by their rounding, because rounding the wrong way
// is how timers come to fire early:
//
//   instant deadline = monotonic_clock::now() + ceil(250ms);    // a delay is rounded up
//   instant now      = floor(std::chrono::steady_clock::now()); // "now" is rounded down
//   int timeout      = poll_timeout(deadline);                  // what epoll_wait takes: up, or it spins
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace pinion {

/// A length of time in nanoseconds, 0 to 2^64 - 1 (584 years).
struct duration {
  std::uint64_t ns = 0;

  constexpr duration() noexcept = default;
  /// That many nanoseconds.
  constexpr explicit duration(std::uint64_t nanoseconds) noexcept : ns(nanoseconds) {}

  friend constexpr auto operator<=>(duration, duration) noexcept = default;
};

/// A point on the monotonic clock in nanoseconds since that clock's epoch, whichever it is.
struct instant {
  std::uint64_t ns = 0;

  constexpr instant() noexcept = default;
  /// That many nanoseconds after the clock's epoch.
  constexpr explicit instant(std::uint64_t nanoseconds) noexcept : ns(nanoseconds) {}

  friend constexpr auto operator<=>(instant, instant) noexcept = default;
};

/// The instant that is never reached: a timer armed for it is kept and does not fire.
inline constexpr instant never{std::numeric_limits<std::uint64_t>::max()};

/// The longest duration; what any sum that does not fit becomes.
inline constexpr duration forever{std::numeric_limits<std::uint64_t>::max()};

/// Saturating arithmetic: sums stop at never and forever, differences at 0. No operation wraps.
[[nodiscard]] constexpr duration operator+(duration a, duration b) noexcept;
[[nodiscard]] constexpr duration operator-(duration a, duration b) noexcept;
[[nodiscard]] constexpr duration operator*(duration a, std::uint64_t factor) noexcept;
[[nodiscard]] constexpr instant operator+(instant t, duration d) noexcept;
[[nodiscard]] constexpr instant operator-(instant t, duration d) noexcept;
[[nodiscard]] constexpr duration operator-(instant later, instant earlier) noexcept;

/// A chrono duration as ours, rounded up: what is asked for as a delay is waited for in full. Negative (and
/// not-a-number) becomes 0; what does not fit becomes forever.
template <class Rep, class Period>
[[nodiscard]] constexpr duration ceil(std::chrono::duration<Rep, Period> d) noexcept;

/// The same rounded down: for a time that has passed.
template <class Rep, class Period>
[[nodiscard]] constexpr duration floor(std::chrono::duration<Rep, Period> d) noexcept;

/// A point of the steady clock as ours, rounded up: for deadlines. Before the clock's epoch becomes 0.
template <class Duration>
[[nodiscard]] constexpr instant ceil(std::chrono::time_point<std::chrono::steady_clock, Duration> t) noexcept;

/// The same rounded down: for "now".
template <class Duration>
[[nodiscard]] constexpr instant
floor(std::chrono::time_point<std::chrono::steady_clock, Duration> t) noexcept;

/// Ours as a chrono duration, rounded up: for a wait that must not end early. Stops at Chrono::max(), which
/// must have an integral representation.
template <class Chrono>
[[nodiscard]] constexpr Chrono ceil_to(duration d) noexcept;

/// The same rounded down: for reporting what has passed.
template <class Chrono>
[[nodiscard]] constexpr Chrono floor_to(duration d) noexcept;

/// The clock that instants are points of, std::chrono::steady_clock's. Anything with a `now()` that returns
/// an instant can stand in for it where a clock is a template parameter.
struct monotonic_clock {
  /// The time now, rounded down.
  [[nodiscard]] static instant now() noexcept { return floor(std::chrono::steady_clock::now()); }
};

/// What poll(2) and epoll_wait(2) take in order to wait until then: milliseconds, rounded up, so that the
/// wait does not end early; INT_MAX at most; 0 for a time that has been; -1, which waits for ever, for
/// `never`.
[[nodiscard]] constexpr int poll_timeout(instant until, instant now = monotonic_clock::now()) noexcept;

// ---- Implementation ----

constexpr duration operator+(duration a, duration b) noexcept {
  const std::uint64_t sum = a.ns + b.ns;
  return sum < a.ns ? forever : duration{sum};
}

constexpr duration operator-(duration a, duration b) noexcept {
  return duration{a.ns < b.ns ? 0 : a.ns - b.ns};
}

constexpr duration operator*(duration a, std::uint64_t factor) noexcept {
  return factor != 0 && a.ns > forever.ns / factor ? forever : duration{a.ns * factor};
}

constexpr instant operator+(instant t, duration d) noexcept {
  const std::uint64_t sum = t.ns + d.ns;
  return sum < t.ns ? never : instant{sum};
}

constexpr instant operator-(instant t, duration d) noexcept { return instant{t.ns < d.ns ? 0 : t.ns - d.ns}; }

constexpr duration operator-(instant later, instant earlier) noexcept {
  return duration{later.ns < earlier.ns ? 0 : later.ns - earlier.ns};
}

namespace time_detail {

__extension__ using wide = unsigned __int128;

enum class rounding : std::uint8_t { down, up };

/// value * numerator / denominator, which both are at least 1, rounded and stopped at `max`.
constexpr std::uint64_t scale(std::uint64_t value, std::intmax_t numerator, std::intmax_t denominator,
                              std::uint64_t max, rounding round) noexcept {
  const wide n = static_cast<wide>(value) * static_cast<std::uint64_t>(numerator);
  const auto d = static_cast<std::uint64_t>(denominator);
  const wide quotient = n / d + (round == rounding::up && n % d != 0 ? 1 : 0);
  return quotient > max ? max : static_cast<std::uint64_t>(quotient);
}

template <class Rep, class Period>
constexpr std::uint64_t nanoseconds(std::chrono::duration<Rep, Period> d, rounding round) noexcept {
  using to_ns = std::ratio_divide<typename Period::type, std::nano>;
  if (!(d.count() > Rep{0})) return 0;
  if constexpr (std::is_integral_v<Rep>) {
    return scale(static_cast<std::uint64_t>(d.count()), to_ns::num, to_ns::den, forever.ns, round);
  } else {
    const auto ns = static_cast<long double>(d.count()) * static_cast<long double>(to_ns::num) /
                    static_cast<long double>(to_ns::den);
    if (!(ns < 18446744073709551616.0L)) return forever.ns;
    const auto whole = static_cast<std::uint64_t>(ns);
    const bool has_fraction = static_cast<long double>(whole) < ns;
    return round == rounding::up && has_fraction && whole != forever.ns ? whole + 1 : whole;
  }
}

template <class Chrono>
constexpr Chrono chrono_of(duration d, rounding round) noexcept {
  using rep = typename Chrono::rep;
  static_assert(std::is_integral_v<rep>,
                "a timeout needs an integral chrono duration, for its rounding to be exact");
  using from_ns = std::ratio_divide<std::nano, typename Chrono::period>;
  constexpr auto max = static_cast<std::uint64_t>(std::numeric_limits<rep>::max());
  return Chrono{static_cast<rep>(scale(d.ns, from_ns::num, from_ns::den, max, round))};
}

}  // namespace time_detail

template <class Rep, class Period>
constexpr duration ceil(std::chrono::duration<Rep, Period> d) noexcept {
  return duration{time_detail::nanoseconds(d, time_detail::rounding::up)};
}

template <class Rep, class Period>
constexpr duration floor(std::chrono::duration<Rep, Period> d) noexcept {
  return duration{time_detail::nanoseconds(d, time_detail::rounding::down)};
}

template <class Duration>
constexpr instant ceil(std::chrono::time_point<std::chrono::steady_clock, Duration> t) noexcept {
  return instant{ceil(t.time_since_epoch()).ns};
}

template <class Duration>
constexpr instant floor(std::chrono::time_point<std::chrono::steady_clock, Duration> t) noexcept {
  return instant{floor(t.time_since_epoch()).ns};
}

template <class Chrono>
constexpr Chrono ceil_to(duration d) noexcept {
  return time_detail::chrono_of<Chrono>(d, time_detail::rounding::up);
}

template <class Chrono>
constexpr Chrono floor_to(duration d) noexcept {
  return time_detail::chrono_of<Chrono>(d, time_detail::rounding::down);
}

constexpr int poll_timeout(instant until, instant now) noexcept {
  using milliseconds = std::chrono::duration<int, std::milli>;
  return until == never ? -1 : ceil_to<milliseconds>(until - now).count();
}

}  // namespace pinion
