// SPDX-License-Identifier: Apache-2.0
//
// gate: how many are inside, and a way to close it and wait until they have left. For whatever is to be ended
// cleanly: a server that waits for its requests, a file for its reads.
//
//   gate requests;
//
//   auto inside = requests.enter();                  // in each request
//   if (!inside) co_return;                          // closed
//
//   auto over = co_await requests.close(shutdown);   // nobody enters any more, and all have left
//
// Laws:
//
// - From the call of close() on nobody enters. A task that is inside stays until its holder goes.
// - close() is over when nobody is inside. Several tasks may await it, and again after a wait that was
//   cancelled. The gate stays closed.
// - The last holder that goes makes those tasks ready, in their order, and runs none. The gate may be
//   destroyed when one of them goes on.
// - A wait ends once, by what came first.
//
// A task that awaits close() while it is inside waits for itself. One thread, no atomics, no allocation.
#pragma once

#include <cstddef>
#include <memory>
#include <pinion/base/assert.hpp>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/error.hpp>
#include <pinion/config.hpp>
#include <pinion/scheduler/detail/waiter.hpp>
#include <system_error>

namespace pinion::scheduler::inline PINION_MODE {

/// All members are for the owner's thread. It stays where it is, and outlives its holders and those that wait
/// for it.
class gate {
  class waiting;
  struct leaving {
    void operator()(gate* of) const noexcept;
  };

 public:
  /// Is inside, until it is destroyed. Moved from, it is in no gate.
  class [[nodiscard]] holder {
   public:
    /// Leaves now; nothing if it is in none.
    void leave() noexcept { of_.reset(); }
    /// Whether it is inside.
    [[nodiscard]] explicit operator bool() const noexcept { return of_ != nullptr; }

   private:
    friend gate;
    explicit holder(gate& of) noexcept : of_(&of) {}
    std::unique_ptr<gate, leaving> of_;
  };

  /// Open.
  gate() noexcept = default;
  gate(const gate&) = delete;
  gate& operator=(const gate&) = delete;
  /// Nobody is inside.
  ~gate() {
    PINION_ASSERT(inside_ == 0, "a gate was destroyed while somebody is inside: await close() before");
  }

  /// Enters; errc::closed where it was closed. Waits for nothing.
  [[nodiscard]] expected<holder, std::error_code> enter() noexcept {
    if (is_closed_) return unexpected<std::error_code>{errc::closed};
    ++inside_;
    return holder{*this};
  }
  /// Closes it at this call. Awaited: goes on when nobody is inside, or the executor's slot for the task is
  /// requested. co_await gives expected<void, std::error_code>.
  [[nodiscard]] waiting close() noexcept;
  /// The same, under that slot and no other.
  [[nodiscard]] waiting close(cancel_slot& slot) noexcept;
  /// Whether close() was called.
  [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }
  /// How many are inside.
  [[nodiscard]] std::size_t inside() const noexcept { return inside_; }

 private:
  sync_detail::waiter_list waiters_;
  std::size_t inside_ = 0;
  bool is_closed_ = false;
};

/// What a coroutine keeps in its frame while it waits.
class gate::waiting : public sync_detail::awaiter<waiting> {
 public:
  /// What an awaiter has.
  [[nodiscard]] expected<void, std::error_code> await_resume() noexcept { return taken(); }

 private:
  friend gate;
  friend awaiter;
  waiting(gate& of, cancel_slot* slot) noexcept : awaiter(slot), of_(of) { of.is_closed_ = true; }

  [[nodiscard]] sync_detail::outcome begin() const noexcept {
    return of_.inside_ == 0 ? sync_detail::outcome::granted : sync_detail::outcome::none;
  }
  [[nodiscard]] sync_detail::waiter_list& list() const noexcept { return of_.waiters_; }

  gate& of_;
};

inline void gate::leaving::operator()(gate* of) const noexcept {
  if (--of->inside_ == 0) of->waiters_.end_all(sync_detail::outcome::granted);
}
inline gate::waiting gate::close() noexcept { return {*this, nullptr}; }
inline gate::waiting gate::close(cancel_slot& slot) noexcept { return {*this, &slot}; }

}  // namespace pinion::scheduler::inline PINION_MODE
