// SPDX-License-Identifier: Apache-2.0
//
// clocked_store: a store and the clock it is polled by. Both forms of timer_queue are made of it.
//
// A store has no clock. Its deadlines and its polls must come from one clock. Deadlines and the host's sleep
// are rounded up, "now" is rounded down. That is here, once.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
#include <pinion/timer/concept.hpp>
#include <pinion/timer/when.hpp>
#include <utility>

namespace pinion::timer::inline PINION_MODE {

template <store_core Store, timer_clock Clock>
class clocked_store {
 public:
  /// What keeps the timers, and what tells the time.
  using store_type = Store;
  using clock_type = Clock;

  /// A queue that begins at `clock`'s now. May throw what making the store throws.
  explicit clocked_store(Clock clock = Clock{})
      : clock_(std::move(clock)), latest_(clock_.now()), store_(latest_) {}

  clocked_store(const clocked_store&) = delete;
  clocked_store& operator=(const clocked_store&) = delete;

  /// What the clock says.
  [[nodiscard]] instant now() const noexcept { return clock_.now(); }

  /// What the clock said when this was last polled, or made; never goes back. Inside a sink: the time of that
  /// poll.
  [[nodiscard]] instant latest() const noexcept { return latest_; }

  /// The deadline that is meant by a point, or by a delay from the clock's now on, moved later by at most
  /// `slack` to a round time (coalesce()).
  template <delay_or_point When, delay Slack = duration>
  [[nodiscard]] instant deadline(When when, Slack slack = Slack{}) const noexcept {
    if constexpr (delay<When>) {
      return coalesce(as_instant(when, now()), as_duration(slack));
    } else {
      return coalesce(as_instant(when, instant{}), as_duration(slack));
    }
  }

  /// The store's.
  [[nodiscard]] instant next_wakeup() const noexcept { return store_.next_wakeup(); }
  [[nodiscard]] std::size_t size() const noexcept { return store_.size(); }
  [[nodiscard]] duration lateness_bound(duration ahead) const noexcept {
    return store_.lateness_bound(ahead);
  }

  /// Drops every timer: values are destroyed, hooks disarmed. A coroutine that sleeps on one stays suspended
  /// for ever.
  void clear() { store_.clear(); }

  /// How long the host may sleep, rounded up, so that it wakes no earlier than something is due; zero when
  /// something is already; nothing when nothing will fire.
  template <class Chrono = std::chrono::milliseconds>
  [[nodiscard]] std::optional<Chrono> timeout() const noexcept {
    const instant at = next_wakeup();
    if (at == never) return std::nullopt;
    return ceil_to<Chrono>(at - now());
  }

  /// The timeout for poll() and epoll_wait(): milliseconds, -1 when nothing will fire, and at most the
  /// longest they take.
  [[nodiscard]] int timeout_ms() const noexcept { return poll_timeout(next_wakeup(), now()); }

  /// The store, for what it has beyond this.
  [[nodiscard]] Store& backend() noexcept { return store_; }
  [[nodiscard]] const Store& backend() const noexcept { return store_; }

 protected:
  ~clocked_store() = default;

  /// Reads the clock for a poll that begins.
  instant turn_clock() noexcept {
    latest_ = std::max(latest_, clock_.now());
    return latest_;
  }

 private:
  [[no_unique_address]] Clock clock_;
  instant latest_;
  Store store_;
};

}  // namespace pinion::timer::inline PINION_MODE
