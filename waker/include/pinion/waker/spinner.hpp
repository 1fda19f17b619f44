// SPDX-License-Identifier: Apache-2.0
//
// spinner: the spin before an owner's sleep: looks whether something has come, for as long as that has paid.
//
//   spinner before_sleep{channel, io};                               // io: a submission, or what you wait in
//   if (!before_sleep(monotonic_clock::now(), until) && channel.try_arm()) {
//     wait(until);
//     before_sleep.slept();                                       // before anything is drained or handed out
//     channel.disarm();
//   }
//
// parker and scheduler's turn have one. What it looks at costs no system call: whether the channel has wakes;
// and of I/O that can say so, whether there is something to hand out (has_answers()). While an owner spins
// its channel is not armed, so a push makes no system call. What is queued in the I/O is handed over before
// (submit()), since its answers are what the spin is for.
//
// How long to spin is spin_budget's to know; only where it says more than 0, and to measure, is the clock
// read. One thread uses a spinner.
#pragma once

#include <algorithm>
#include <pinion/base/sync.hpp>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
#include <pinion/waker/spin_budget.hpp>
#include <utility>

namespace pinion::waker::inline PINION_MODE {

/// Over a channel, and over I/O or whatever else the owner waits in; each may be anything that lacks these
/// calls.
template <class Channel, class Io, class Clock = monotonic_clock, sync_traits Sync = std_sync>
class spinner {
 public:
  /// For these two, which outlive it.
  spinner(Channel& channel, Io& io, spin_options options = {}, Clock clock = {})
      : channel_(channel), io_(io), clock_(std::move(clock)), budget_(options) {}

  /// Whether there is something to drain, or to hand out. A look.
  [[nodiscard]] bool has_come() const noexcept { return has_wakes() || has_answers(); }
  [[nodiscard]] bool has_wakes() const noexcept {
    if constexpr (requires { std::as_const(channel_).has_wakes(); })
      return std::as_const(channel_).has_wakes();
    else
      return false;
  }
  [[nodiscard]] bool has_answers() const noexcept {
    if constexpr (requires { std::as_const(io_).has_answers(); })
      return std::as_const(io_).has_answers();
    else
      return false;
  }

  /// Now, before a sleep until then: spins. True: something has come, or it is time, so there is nothing to
  /// sleep for.
  bool operator()(instant now, instant until) {
    if (until <= now) return true;
    began_ = now;
    const duration allowed = budget_.allowance();
    if (allowed == duration{0}) return false;
    if constexpr (requires { io_.submit(); }) io_.submit();
    const bool is_over = look(std::min(now + allowed, until), until);
    if (is_over) began_ = never;
    return is_over;
  }
  /// When that sleep is over, and nothing of what has come was taken: learns whether a longer spin would have
  /// seen it.
  void slept() {
    const instant began = std::exchange(began_, never);
    if (began != never && has_come()) budget_.slept(clock_.now() - began);
  }

#if PINION_COUNTED
  /// How well spinning does. In a build with PINION_STATISTICS=ON.
  [[nodiscard]] const spin_statistics& statistics() const noexcept { return budget_.statistics(); }
#endif

 private:
  // A reading of the clock costs as much as several pauses.
  static constexpr int looks_per_reading = 16;

  bool look(instant end, instant until) {
    for (;;) {
      for (int looks = 0; looks < looks_per_reading; ++looks) {
        if (has_come()) {
          budget_.hit(clock_.now() - began_);
          return true;
        }
        Sync::pause();
      }
      const instant now = clock_.now();
      if (now < end) continue;
      budget_.miss(now - began_);
      return until <= now;
    }
  }

  Channel& channel_;
  Io& io_;
  [[no_unique_address]] Clock clock_;
  spin_budget budget_;
  instant began_ = never;  // the sleep that is, or may follow
};

}  // namespace pinion::waker::inline PINION_MODE
