// SPDX-License-Identifier: Apache-2.0
//
// futex_notifier: a signal for an owner that waits for nothing else: no descriptor, and no system call where
// nobody sleeps.
//
//   futex_notifier bell;
//   bell.signal();                                                     // any thread
//   bell.wait(until);                                                  // the owner
//
// One word: 0 no signal, 1 a signal, 2 the owner sleeps on the word. Signals add up to one.
//
// Memory ordering. signal: exchange release; the wait that takes the signal acquires, so a signal also orders
// what it is about. No signal is missed, and that needs no order: each state is changed by a
// read-modify-write, so a signal finds the owner's 2, or the owner finds the signal's 1; and the kernel puts
// a thread to sleep only while the word is still 2.
#pragma once

#include <cstdint>
#include <pinion/base/sync.hpp>
#include <pinion/base/time.hpp>

namespace pinion::waker {

/// Over any sync_traits.
template <sync_traits Sync, class Clock = monotonic_clock>
class basic_futex_notifier {
 public:
  /// One that nobody has signalled.
  basic_futex_notifier() noexcept { Sync::name(state_, "futex"); }
  basic_futex_notifier(const basic_futex_notifier&) = delete;
  basic_futex_notifier& operator=(const basic_futex_notifier&) = delete;

  /// Ends the owner's wait, or its next one. Any thread. A system call if the owner sleeps; can't fail.
  bool signal() noexcept {
    if (state_.exchange(signalled, std::memory_order_release) == asleep) Sync::futex_wake(state_, 1);
    return true;
  }

  /// The owner: forgets a signal, and says whether there was one.
  bool consume() noexcept { return state_.exchange(idle, std::memory_order_acquire) == signalled; }

  /// The owner: waits for a signal until then, and consumes it. True if there was one.
  bool wait(instant until) noexcept {
    std::uint32_t seen = idle;
    // Fails if a signal is there; nobody else changes the word.
    if (state_.compare_exchange_strong(seen, asleep, std::memory_order_relaxed, std::memory_order_relaxed)) {
      while (state_.load(std::memory_order_relaxed) == asleep) {
        if (until != never && Clock::now() >= until) break;
        Sync::futex_wait(state_, asleep, until);
      }
    }
    return consume();
  }

 private:
  static constexpr std::uint32_t idle = 0;
  static constexpr std::uint32_t signalled = 1;
  static constexpr std::uint32_t asleep = 2;

  typename Sync::template atomic<std::uint32_t> state_{idle};
};

/// The notifier that is shipped.
using futex_notifier = basic_futex_notifier<std_sync>;

}  // namespace pinion::waker
