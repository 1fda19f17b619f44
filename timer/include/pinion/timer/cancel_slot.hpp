// SPDX-License-Identifier: Apache-2.0
//
// cancel_slot: cancels the operations that wait under it. On one thread, without allocation.
//
// It is not std::stop_token, which allocates and runs callbacks on the requester's thread. A slot is a flag
// and a list of the operations that wait under it. request() sets the flag and ends them. It resumes none
// itself: each comes back, cancelled, from the next poll of its queue.
//
//   cancel_slot shutdown;
//   if (!co_await sleep_for(timers, 5s, shutdown)) co_return;      // in the coroutine
//   shutdown.request();                                            // elsewhere in the same thread
//
// One owner at a time, for the slot and what waits under it. Slot and waiting operations may die in any
// order.
#pragma once

#include <utility>

namespace pinion::timer {

/// What a cancelled wait gives instead of its result.
struct cancelled {
  friend constexpr bool operator==(cancelled, cancelled) noexcept = default;
};

class cancel_slot {
 public:
  /// Base of what can wait under a slot. Pinned; leaves the slot when it is destroyed.
  class operation {
   public:
    operation(const operation&) = delete;
    operation& operator=(const operation&) = delete;

   protected:
    /// Called at most once for each time it waits, from request(), which it has left by then. Must not resume
    /// anything.
    using cancel_function = void (*)(operation&) noexcept;

    explicit operation(cancel_function on_request) noexcept : on_request_(on_request) {}
    ~operation() { leave(); }

    /// Begins to wait under `slot`, whose request() has not been called.
    void wait_under(cancel_slot& slot) noexcept {
      leave();
      next_ = std::exchange(slot.first_, this);
      link_ = &slot.first_;
      if (next_ != nullptr) next_->link_ = &next_;
    }
    /// Ends that; nothing if it does not wait.
    void leave() noexcept {
      if (link_ == nullptr) return;
      *link_ = next_;
      if (next_ != nullptr) next_->link_ = link_;
      link_ = nullptr;
    }

   private:
    friend class cancel_slot;
    cancel_function on_request_;
    operation* next_ = nullptr;
    operation** link_ = nullptr;  // what points here
  };

  /// Nothing requested.
  cancel_slot() noexcept = default;
  cancel_slot(const cancel_slot&) = delete;
  cancel_slot& operator=(const cancel_slot&) = delete;
  /// What still waits can no longer be cancelled, and ends by itself.
  ~cancel_slot() {
    while (first_ != nullptr) first_->leave();
  }

  /// Cancels what waits, and whatever begins to wait from now on. Again: does nothing.
  void request() noexcept {
    requested_ = true;
    while (operation* waiting = first_) {
      waiting->leave();
      waiting->on_request_(*waiting);
    }
  }

  /// Whether request() was called.
  [[nodiscard]] bool is_requested() const noexcept { return requested_; }

  /// As new, for the next use. What was cancelled stays so.
  void reset() noexcept { requested_ = false; }

 private:
  bool requested_ = false;
  operation* first_ = nullptr;
};

}  // namespace pinion::timer
