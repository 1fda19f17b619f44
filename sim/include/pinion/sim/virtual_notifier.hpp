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
// Attached to a loop over a virtual_ring, as an executor attaches it, a signal is a completion in that ring.
// Then it needs no clock, and other threads are virtual_ring::at():
//
//   loop.submission().ring().at(clock.time() + ceil(3us), [&] { sender.push(event); });
//
// One owner at a time; signals come from the same thread.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <pinion/base/refusal.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/base/time.hpp>
#include <pinion/sim/virtual_clock.hpp>
#include <pinion/sim/virtual_ring.hpp>
#include <system_error>
#include <utility>

namespace pinion::sim {

/// The owner of a virtual_ring.
template <class Io>
concept owner_of_virtual_ring = ring_watcher<Io> && requires(const Io& io) {
  { io.ring() } -> std::same_as<const virtual_ring&>;
};

class virtual_notifier {
  template <class Io>
  class attachment;

 public:
  /// For a loop that it will be attached to, which waits in its ring: in wait() no time passes then.
  virtual_notifier() noexcept = default;
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

  /// From here on, and as long as what it gives lives, signals end the waits of that ring's owner. Throws a
  /// refusal where the owner has no mark left, or it is attached already.
  template <owner_of_virtual_ring Io>
  [[nodiscard]] attachment<Io> attach(Io& io) {
    return {*this, io};
  }

  /// Ends the wait that is, or the next one.
  bool signal() noexcept {
    ++signals_;
    if (losing_ != 0) {
      --losing_;
      return false;
    }
    signalled_ = true;
    tell_ring();
    return true;
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
    if (until == never || clock_ == nullptr) {
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
  // As a message of another ring: the completion ends the wait, and is of no other use.
  void tell_ring() const noexcept {
    if (ring_ != nullptr) ring_->deliver({.user_data = message_, .result = 0, .flags = 0});
  }

  virtual_clock* clock_ = nullptr;
  const virtual_ring* ring_ = nullptr;  // that it is attached to, and what is sent there
  std::uint64_t message_ = 0;
  std::function<void()> meanwhile_;
  std::uint64_t losing_ = 0;
  std::uint64_t early_ = 0;
  std::uint64_t signals_ = 0;
  std::uint64_t waits_ = 0;
  std::uint64_t stuck_ = 0;
  bool signalled_ = false;
};

// ---- Implementation ----

template <class Io>
class virtual_notifier::attachment {
 public:
  attachment(virtual_notifier& bell, Io& io) : bell_(bell), io_(io) {
    if (bell_.ring_ != nullptr)
      throw_refusal({.code = std::make_error_code(std::errc::device_or_resource_busy),
                     .asked = "to attach a virtual_notifier to a loop",
                     .reason = "it is attached to one already, and would end the waits of both",
                     .remedy = "give each loop a channel of its own"});
    const auto mark = io.add_sink({.function = [](void*, const ring_completion&) noexcept {}});
    if (!mark) throw_refusal(mark.error());
    bell_.message_ = *mark;
    bell_.ring_ = &io.ring();
    if (bell_.signalled_) bell_.tell_ring();  // from before
  }
  attachment(const attachment&) = delete;
  attachment& operator=(const attachment&) = delete;
  ~attachment() {
    bell_.ring_ = nullptr;
    io_.remove_sink(static_cast<std::uint8_t>(bell_.message_));
  }
  /// Before each wait: nothing; true.
  [[nodiscard]] static bool renew() noexcept { return true; }

 private:
  virtual_notifier& bell_;
  Io& io_;
};

}  // namespace pinion::sim
