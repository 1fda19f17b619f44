// SPDX-License-Identifier: Apache-2.0
//
// parker: the owner's way to sleep: poll for a while, arm, look again, sleep, disarm.
//
// For an owner that waits for nothing but wakes and time, whose channel's notifier has wait():
//
//   parker park{channel};
//   while (!is_over) {
//     channel.drain(run);
//     park(timers.next_wakeup());           // until there are wakes, somebody signals, or it is time
//     timers.poll(monotonic_clock::now(), 64, fire);
//   }
//
// For one that sleeps in its I/O, a submission, to which the parker attaches the channel; and for one with a
// wait of its own, which watches the notifier itself (attachment.hpp):
//
//   parker park{channel, io};               // hands over, waits, hands out
//
//   parker park{channel,
//               [&](instant until) { count = epoll_wait(epoll, events, room, poll_timeout(until)); }};
//
// These two are served by each park, also where it may not sleep: the I/O by its turn(), a wait by a time
// that has been. scheduler's turn.hpp is more: timers, tasks and slices besides.
//
// While the parker spins the inbox is not armed, so a push makes no system call; spinner.hpp tells of what it
// looks at. Nothing is missed between the spin and the sleep: arming fails if anything has come. What I/O
// hands out is handed out when the channel is disarmed again. One thread uses a parker.
#pragma once

#include <concepts>
#include <cstdint>
#include <pinion/base/sync.hpp>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
#include <pinion/waker/attachment.hpp>
#include <pinion/waker/concept.hpp>
#include <pinion/waker/spin_budget.hpp>
#include <pinion/waker/spinner.hpp>
#include <type_traits>
#include <utility>

namespace pinion::waker {

/// What ended a park.
enum class park_end : std::uint8_t {
  wakes,      ///< there is something to drain; without I/O or a wait of one's own, or the channel is closed
  answers,    ///< the I/O had something to hand out
  signalled,  ///< somebody signalled and pushed nothing: by hand, or for a push that was drained meanwhile
  timeout,    ///< it is time, or the wait ended early and nothing has come: look at the clock
};

/// I/O that an owner sleeps in, such as iosubmit's submission. None of it but park() waits.
template <class Io>
concept parking_io = requires(Io& io, const Io& view, instant at) {
  io.park(at,
          []() noexcept {});  // hands over what is queued; waits until then at most; calls that; hands out
  io.turn(at);                // the same at `at`, which is now, without waiting
  { io.submit() } noexcept;   // hands over, and hands nothing out
  {
    view.has_answers()
  } noexcept -> std::same_as<bool>;  // without a system call: turn() would hand something out
};

namespace park_detail {
/// What a channel's owner sleeps in: its notifier, I/O, or a wait of its own.
template <class Sleep>
concept sleep = waiting_notifier<std::remove_reference_t<Sleep>> ||
                parking_io<std::remove_reference_t<Sleep>> || std::invocable<Sleep&, instant>;
}  // namespace park_detail

inline namespace PINION_MODE {

/// Over a channel, and what its owner sleeps in: a reference, or a wait that it keeps. The clock's now() is
/// read only where a spin or a sleep is measured.
template <class Channel, park_detail::sleep Sleep = typename Channel::notifier_type&,
          class Clock = monotonic_clock, sync_traits Sync = std_sync>
class parker {
  using sleep_type = std::remove_reference_t<Sleep>;
  static constexpr bool is_io = parking_io<sleep_type>;
  static_assert(
      !is_io || attachable_notifier<typename Channel::notifier_type, sleep_type>,
      "the channel's notifier can't end a wait of this I/O: take eventfd_notifier or msg_ring_notifier");
  static constexpr bool is_notifier = !is_io && waiting_notifier<sleep_type>;

 public:
  /// For this channel, which must outlive it, in its notifier's wait().
  explicit parker(Channel& channel, spin_options options = {}, Clock clock = {})
    requires std::same_as<sleep_type, typename Channel::notifier_type>
      : parker(channel, channel.notifier(), options, std::move(clock)) {}
  /// The same in that I/O, which must outlive it, too, and to which the channel is attached (a refusal is
  /// thrown where it can't be); or in that wait.
  parker(Channel& channel, std::type_identity_t<Sleep>&& sleep, spin_options options = {}, Clock clock = {})
      : channel_(channel), sleep_(std::forward<Sleep>(sleep)), clock_(clock),
        spin_(channel, sleep_, options, std::move(clock)), heard_(channel, sleep_) {}
  parker(const parker&) = delete;
  parker& operator=(const parker&) = delete;
  ~parker() = default;

  /// Sleeps until something is to be drained, a signal, an answer, or `until`. Does not drain. The inbox is
  /// not armed afterwards.
  park_end operator()(instant until) {
    if (may_sleep(until)) return asleep(until);
    const park_end why = seen();
    if constexpr (is_io)
      sleep_.turn(clock_.now());
    else if constexpr (!is_notifier)
      sleep_(instant{});
    return why;
  }

#if PINION_COUNTED
  /// How well spinning does. In a build with PINION_STATISTICS=ON.
  [[nodiscard]] const spin_statistics& statistics() const noexcept { return spin_.statistics(); }
#endif

 private:
  // Where something else ends the sleep, a closed channel is one into which nothing is pushed. Else it is the
  // end.
  [[nodiscard]] bool is_over() const noexcept { return is_notifier && std::as_const(channel_).is_closed(); }

  [[nodiscard]] park_end seen() const noexcept {
    if (spin_.has_wakes() || is_over()) return park_end::wakes;
    return spin_.has_answers() ? park_end::answers : park_end::timeout;
  }

  bool may_sleep(instant until) {
    if (spin_.has_wakes() || !heard_.renew()) return false;
    if (spin_(clock_.now(), until)) return false;
    return channel_.try_arm() || (!is_notifier && channel_.is_closed() && !spin_.has_wakes());
  }

  park_end asleep(instant until) {
    park_end why = park_end::timeout;
    const auto woke = [&]() noexcept {
      channel_.disarm();
      why = seen();
      spin_.slept();
    };
    if constexpr (is_io) {
      sleep_.park(until, woke);
    } else if constexpr (is_notifier) {
      const bool is_signalled = sleep_.wait(until);
      woke();
      if (is_signalled && why == park_end::timeout) why = park_end::signalled;
    } else {
      sleep_(until);
      woke();
    }
    return why;
  }

  Channel& channel_;
  Sleep sleep_;
  [[no_unique_address]] Clock clock_;
  spinner<Channel, sleep_type, Clock, Sync> spin_;
  [[no_unique_address]] attachment_of<Channel, sleep_type> heard_;
};

template <class Channel, class Sleep, class Clock = monotonic_clock>
  requires park_detail::sleep<Sleep>
parker(Channel&, Sleep&&, spin_options = {}, Clock = {}) -> parker<Channel, Sleep, Clock>;

}  // namespace PINION_MODE

}  // namespace pinion::waker
