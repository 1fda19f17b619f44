// SPDX-License-Identifier: Apache-2.0
//
// cancel_slot: stops whatever waits under it: timers, I/O, wakes. On one thread, without allocation.
//
//   const auto slept = co_await sleep_for(timers, 5s, shutdown);    // in any number of coroutines
//   if (!slept) co_return;
//
//   shutdown.request();                                             // anywhere on the owner's thread
//
// Any number may wait under one slot. request() ends each of these waits, and each that begins from then on
// until reset(), with std::errc::operation_canceled, unless it has ended by itself before. It may come from
// inside anything (a sink, an answer, a drain): it resumes nobody. Who waited goes on in its turn, like after
// any wait (law C2).
//
// It is not a std::stop_token, which allocates and runs callbacks on the thread that asks; stop_token.hpp of
// the part waker leads from one to the other.
//
// Slot and waits may end in any order. A wait whose slot is gone can't be cancelled any more, and ends by
// itself.
#pragma once

#include <system_error>
#include <utility>

namespace pinion {

/// What a wait that was cancelled ends with.
[[nodiscard]] inline std::error_code wait_cancelled() noexcept {
  return std::make_error_code(std::errc::operation_canceled);
}

/// All members are for the owner's thread.
class cancel_slot {
 public:
  /// Base of what waits under a slot. It stays where it is, and leaves the slot when it is destroyed.
  class wait {
   public:
    wait(const wait&) = delete;
    wait& operator=(const wait&) = delete;

   protected:
    /// Called at most once for each begin(), from request(), when the slot is left already. It sees to it
    /// that the wait ends in the loop's turn, and resumes nobody.
    using cancel_function = void (*)(wait&) noexcept;

    explicit wait(cancel_function cancel) noexcept : cancel_(cancel) {}
    ~wait() { leave(); }

    /// Waits under `slot` from now on: `cancel` is called by its request(), or at once where that has been.
    void wait_under(cancel_slot& slot) noexcept {
      leave();
      if (slot.is_requested()) return cancel_(*this);
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
    cancel_function cancel_;
    wait* next_ = nullptr;
    wait** link_ = nullptr;  // what points here
  };

  /// Nothing requested.
  cancel_slot() noexcept = default;
  cancel_slot(const cancel_slot&) = delete;
  cancel_slot& operator=(const cancel_slot&) = delete;
  /// What still waits under it ends by itself.
  ~cancel_slot() {
    while (first_ != nullptr) first_->leave();
  }

  /// Cancels what waits, and whatever begins to wait from now on. Again: does nothing.
  void request() noexcept {
    is_requested_ = true;
    while (wait* waiting = first_) {
      waiting->leave();
      waiting->cancel_(*waiting);
    }
  }
  /// Whether request() was called, and no reset() since.
  [[nodiscard]] bool is_requested() const noexcept { return is_requested_; }
  /// As new, for the next use. What was cancelled stays so.
  void reset() noexcept { is_requested_ = false; }

 private:
  wait* first_ = nullptr;
  bool is_requested_ = false;
};

}  // namespace pinion
