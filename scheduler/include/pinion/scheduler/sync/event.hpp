// SPDX-License-Identifier: Apache-2.0
//
// event: something that has happened, for any number of tasks of one executor to wait for.
//
//   event opened;                                    // not set
//
//   const auto waited = co_await opened.wait();      // in any number of tasks; at once, where it is set
//   if (!waited) co_return;                          // cancelled
//
//   opened.set();                                    // all of them go on, in their turn
//
// It stays set until reset(). Who waited when it was set goes on, also where it is reset before its turn.
//
// Laws:
//
// - set() makes ready all tasks that wait, in the order in which they began, and runs none.
// - A wait ends once, by what came first: a set() stands, whatever is cancelled afterwards.
// - Where no task waits and it is set, wait() is over at once. Where its slot was requested, it ends with the
//   error.
//
// One thread, no atomics, no allocation. From another thread: a waker::wake_event.
#pragma once

#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/error.hpp>
#include <pinion/config.hpp>
#include <pinion/scheduler/detail/waiter.hpp>
#include <system_error>

namespace pinion::scheduler::inline PINION_MODE {

/// All members are for the owner's thread. It stays where it is, and nobody waits when it is destroyed.
class event {
  class waiting;

 public:
  /// Not set.
  event() noexcept = default;

  /// Sets it: all that wait are ready. Again: does nothing.
  void set() noexcept {
    is_set_ = true;
    waiters_.end_all(sync_detail::outcome::granted);
  }
  /// From now on tasks wait again.
  void reset() noexcept { is_set_ = false; }
  /// Whether it is set.
  [[nodiscard]] bool is_set() const noexcept { return is_set_; }

  /// Awaited: goes on when it is set, or the executor's slot for the task is requested. co_await gives
  /// expected<void, std::error_code>.
  [[nodiscard]] waiting wait() noexcept;
  /// The same, under that slot and no other.
  [[nodiscard]] waiting wait(cancel_slot& slot) noexcept;

 private:
  sync_detail::waiter_list waiters_;
  bool is_set_ = false;
};

/// What a coroutine keeps in its frame while it waits.
class event::waiting : public sync_detail::awaiter<waiting> {
 public:
  /// What an awaiter has.
  [[nodiscard]] expected<void, std::error_code> await_resume() noexcept { return taken(); }

 private:
  friend event;
  friend awaiter;
  waiting(event& of, cancel_slot* slot) noexcept : awaiter(slot), of_(of) {}

  [[nodiscard]] sync_detail::outcome begin() const noexcept {
    return of_.is_set_ ? sync_detail::outcome::granted : sync_detail::outcome::none;
  }
  [[nodiscard]] sync_detail::waiter_list& list() const noexcept { return of_.waiters_; }

  event& of_;
};

inline event::waiting event::wait() noexcept { return {*this, nullptr}; }
inline event::waiting event::wait(cancel_slot& slot) noexcept { return {*this, &slot}; }

}  // namespace pinion::scheduler::inline PINION_MODE
