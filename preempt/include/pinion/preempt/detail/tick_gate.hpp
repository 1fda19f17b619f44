// SPDX-License-Identifier: Apache-2.0
//
// tick_gate: how a ticker's thread sleeps, and how an owner, or who ends the ticker, wakes it.
//
// The thread calls wait(). An owner calls opened(), which makes a system call only if the thread sleeps for
// longer. Another thread that wants it awake calls call().
#pragma once

#include <atomic>
#include <cstdint>
#include <pinion/base/sync.hpp>
#include <pinion/base/time.hpp>

namespace pinion::preempt {

/// Where the thread sleeps, until when, and how an owner finds out.
///
/// Memory ordering. What a call is for is never read from the state: the thread looks again after each wait.
/// So everything here is relaxed but for the two fences, of which one sees the other, and a call may be
/// forgotten that came before a wait ended:
///   opened()   its end was stored before its fence. Had the thread's next fence been first, opened() would
///              have read until when that wait is, or what was stored later, and its call would be of that
///              wait, too. So that fence is later, and is_quiet_until() sees the end.
///   call()     the caller has let go of the lock before. Had the thread's next lock been first, the end of
///              the wait would have happened before the call, and could not have overwritten it. So that lock
///              is later, and the thread sees what the caller did.
template <sync_traits Sync>
class basic_tick_gate {
 public:
  /// Nobody sleeps.
  basic_tick_gate() {
    Sync::name(state_, "gate");
    Sync::name(until_, "until");
  }

  /// An owner has begun a slice with that end, of which the thread may not know: wakes it if it sleeps for
  /// longer. Otherwise a fence and a load.
  void opened(instant end) noexcept {
    // tick_board: the end was stored before this, and is_quiet_until() reads after the other's.
    Sync::fence(std::memory_order_seq_cst);
    if (end.ns < until_.load(std::memory_order_relaxed)) call();
  }
  /// Wakes the thread, whatever it waits for. What it is to see was done before, under the lock that it takes
  /// after each wait.
  void call() noexcept {
    if (state_.exchange(called, std::memory_order_relaxed) != called) Sync::futex_wake(state_, 1);
  }

  /// The thread: waits until then, or a call; not at all if `is_quiet_until(until)` is false once it has said
  /// until when it sleeps.
  template <class IsQuietUntil>
  void wait(instant until, IsQuietUntil is_quiet_until) noexcept {
    until_.store(until.ns, std::memory_order_relaxed);
    Sync::fence(std::memory_order_seq_cst);
    // A call that came since the last wait is taken here.
    if (state_.load(std::memory_order_relaxed) == uncalled && is_quiet_until(until))
      Sync::futex_wait(state_, uncalled, until);
    until_.store(0, std::memory_order_relaxed);  // it looks anyway: nobody needs to call
    state_.store(uncalled, std::memory_order_relaxed);
  }

 private:
  static constexpr std::uint32_t uncalled = 0;
  static constexpr std::uint32_t called = 1;
  typename Sync::template atomic<std::uint32_t> state_{uncalled};
  typename Sync::template atomic<std::uint64_t> until_{0};  // while it waits
};

}  // namespace pinion::preempt
