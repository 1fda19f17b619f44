// SPDX-License-Identifier: Apache-2.0
//
// virtual_notifier: what ends an owner's sleep, in virtual time.
//
// It models waker's notifier, so a channel or a parker over it sleeps by a virtual_clock: a wait with a
// signal ends at once, one without takes until its end, in no time. What other threads would do meanwhile is
// a function of the test's, called in each wait at the moment when the owner has gone to sleep.
//
//   sim::virtual_clock clock{instant{0}};
//   wake_channel<tagged_inbox, sim::virtual_notifier> channel{clock};
//   const auto sender = channel.sender();
//   channel.notifier().while_asleep([&] { clock.advance_by(ceil(3us)); sender.push(node); });
//   parker park{channel, {.most = duration{0}}, sim::virtual_clock::view{clock}};  // no spin in a still time
//   park(clock.time() + ceil(1ms));                       // ends after 3 us, by the push's signal
//
//   channel.notifier().lose(1);                  // the next signal fails, as one to a closed descriptor does
//   channel.notifier().end_early(1);             // the next wait ends for no reason, as system calls do
//
// One owner at a time; signals come from the same thread.
#pragma once

#include <cstdint>
#include <functional>
#include <pinion/base/time.hpp>
#include <pinion/sim/virtual_clock.hpp>
#include <utility>

namespace pinion::sim {

class virtual_notifier {
 public:
  /// Sleeps by that clock, which must outlive it.
  explicit virtual_notifier(virtual_clock& clock) noexcept : clock_(&clock) {}
  virtual_notifier(const virtual_notifier&) = delete;
  virtual_notifier& operator=(const virtual_notifier&) = delete;

  /// What happens in each wait before it ends, such as another thread's push or time that passes. Must not
  /// throw.
  void while_asleep(std::function<void()> meanwhile) { meanwhile_ = std::move(meanwhile); }
  /// The next `count` signals fail.
  void lose(std::uint64_t count) noexcept { losing_ = count; }
  /// The next `count` waits end at once and without a signal.
  void end_early(std::uint64_t count) noexcept { early_ = count; }

  /// Ends the wait that is, or the next one.
  bool signal() noexcept {
    ++signals_;
    if (losing_ != 0) {
      --losing_;
      return false;
    }
    return signalled_ = true;
  }

  /// Forgets a signal, and says whether there was one.
  bool consume() noexcept { return std::exchange(signalled_, false); }

  /// Sleeps until a signal, which it consumes, or until `until`. Without either, until `never`, an owner
  /// would hang: it returns all the same, and stuck() counts it.
  bool wait(instant until) noexcept {
    ++waits_;
    if (signalled_) return consume();
    if (early_ != 0) {
      --early_;
      return false;
    }
    if (meanwhile_) meanwhile_();
    if (signalled_) return consume();
    if (until == never) {
      ++stuck_;
    } else {
      clock_->advance_to(until);
    }
    return false;
  }

  /// How often signal() was called, also those that failed.
  [[nodiscard]] std::uint64_t signals() const noexcept { return signals_; }
  /// How often wait() was called.
  [[nodiscard]] std::uint64_t waits() const noexcept { return waits_; }
  /// How many waits nobody would ever have ended.
  [[nodiscard]] std::uint64_t stuck() const noexcept { return stuck_; }

 private:
  virtual_clock* clock_;
  std::function<void()> meanwhile_;
  std::uint64_t losing_ = 0;
  std::uint64_t early_ = 0;
  std::uint64_t signals_ = 0;
  std::uint64_t waits_ = 0;
  std::uint64_t stuck_ = 0;
  bool signalled_ = false;
};

}  // namespace pinion::sim
