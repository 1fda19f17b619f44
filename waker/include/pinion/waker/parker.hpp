// SPDX-License-Identifier: Apache-2.0
//
// parker: the owner's way to sleep: poll for a while, arm, look again, sleep, disarm.
//
// For an owner that waits for nothing but wakes and time: its channel's notifier has wait(). A loop with descriptors does the
// same around its own wait (try_arm, epoll_wait, drain), and may take the spin alone.
//
//   parker park{channel};
//   for (;;) {
//     channel.drain(run);
//     park(timers.next_wakeup());           // until there are wakes, somebody signals, or it is time
//     timers.poll(monotonic_clock::now(), 64, fire);
//   }
//
// While it spins the inbox is not armed, so who pushes makes no system call. How long it spins is spin_budget's to know.
// Nothing is missed between the spin and the sleep: arming fails if anything has come. One thread uses it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <pinion/base/sync.hpp>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
#include <pinion/waker/concept.hpp>
#include <pinion/waker/spin_budget.hpp>
#include <utility>

namespace pinion::waker {

/// What ended a park.
enum class park_end : std::uint8_t {
  wakes,      ///< there is something to drain, or the channel is closed
  signalled,  ///< somebody signalled and pushed nothing: by hand, or for a push that was drained meanwhile
  timeout,    ///< it is time, or the wait ended early and nothing has come: look at the clock
};

inline namespace PINION_MODE {

/// Over a channel whose notifier can be waited for. The clock's now() is read only where a spin or a sleep is measured.
template <class Channel, class Clock = monotonic_clock, sync_traits Sync = std_sync>
  requires waiting_notifier<typename Channel::notifier_type>
class parker {
 public:
  /// For this channel, which must outlive it.
  explicit parker(Channel& channel, spin_options options = {}, Clock clock = {})
      : channel_(channel), clock_(std::move(clock)), budget_(options) {}

  /// Sleeps until something is to be drained, a signal, or `until`. Does not drain. The inbox is not armed afterwards.
  park_end operator()(instant until) {
    if (channel_.has_wakes()) return park_end::wakes;
    const instant began = clock_.now();
    if (until <= began) return park_end::timeout;
    if (spin(began, until)) return park_end::wakes;
    if (!channel_.try_arm()) return park_end::wakes;
    const bool signalled = channel_.notifier().wait(until);
    channel_.disarm();
    const bool has_wakes = channel_.has_wakes();
    if (has_wakes) budget_.slept(clock_.now() - began);
    if (has_wakes) return park_end::wakes;
    return signalled ? park_end::signalled : park_end::timeout;
  }

#if PINION_COUNTED
  /// How well spinning does. In a build with PINION_STATISTICS=ON.
  [[nodiscard]] const spin_statistics& statistics() const noexcept { return budget_.statistics(); }
#endif

 private:
  // A reading of the clock costs as much as several pauses.
  static constexpr int looks_per_reading = 16;

  bool spin(instant began, instant until) {
    const duration allowed = budget_.allowance();
    if (allowed == duration{0}) return false;
    const instant end = std::min(began + allowed, until);
    for (;;) {
      for (int look = 0; look < looks_per_reading; ++look) {
        if (channel_.has_wakes()) {
          budget_.hit(clock_.now() - began);
          return true;
        }
        Sync::pause();
      }
      const instant now = clock_.now();
      if (now < end) continue;
      budget_.miss(now - began);
      return false;
    }
  }

  Channel& channel_;
  [[no_unique_address]] Clock clock_;
  spin_budget budget_;
};

}  // namespace PINION_MODE

}  // namespace pinion::waker
