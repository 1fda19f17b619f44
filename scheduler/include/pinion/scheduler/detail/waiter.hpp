// SPDX-License-Identifier: Apache-2.0
//
// waiter_list, awaiter: how tasks of one executor wait for each other. Events, mutexes, semaphores, gates and
// channels are made of it.
//
// An awaiter stands in the frame of the coroutine that waits. It is a node of the list of its primitive,
// first in, first out, and of the cancel_slot that it waits under. Whatever ends the wait first takes it out
// of both, and makes the task ready: a grant stands, whatever is cancelled afterwards, and a wait that was
// cancelled is granted nothing.
//
// A wait that is granted when it begins does not suspend. One that fails when it begins does, so that a loop
// that tries again on each error gives way.
#pragma once

#include <pinion/config.hpp>

#include <concepts>
#include <coroutine>
#include <cstdint>
#include <pinion/base/assert.hpp>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/error.hpp>
#include <pinion/base/executor.hpp>
#include <pinion/base/resumption.hpp>
#include <system_error>
#include <utility>

namespace pinion::scheduler::inline PINION_MODE::sync_detail {

/// How a wait ended.
enum class outcome : std::uint8_t { none, granted, closed, cancelled };

class waiter_list;

/// One wait of a task.
class waiter : protected cancel_slot::wait {
 public:
  waiter(const waiter&) = delete;
  waiter& operator=(const waiter&) = delete;

  /// Ends it so: it is in no list and under no slot any more, and its task is ready.
  void end(outcome how) noexcept;

 protected:
  explicit waiter(cancel_function cancel) noexcept : wait(cancel) {}
  ~waiter() { expect_wait_is_over(list_ == nullptr); }

  /// Nothing if it was granted, else why not. Once: what was granted belongs to the caller from then on.
  [[nodiscard]] std::error_code take() noexcept {
    switch (std::exchange(outcome_, outcome::none)) {
    case outcome::closed: return errc::closed;
    case outcome::cancelled: return wait_cancelled();
    case outcome::granted: break;
    case outcome::none: PINION_ASSERT(false, "the result of a wait was taken twice, or before it ended");
    }
    return {};
  }
  /// Whether it was granted, and nobody has taken that.
  [[nodiscard]] bool is_untaken() const noexcept { return outcome_ == outcome::granted; }

  resumption who_;
  outcome outcome_ = outcome::none;

 private:
  friend waiter_list;
  waiter_list* list_ = nullptr;
  waiter* next_ = nullptr;
  waiter* previous_ = nullptr;
};

/// Those that wait for one primitive, first in, first out. Stays where it is.
class waiter_list {
 public:
  waiter_list() noexcept = default;
  waiter_list(const waiter_list&) = delete;
  waiter_list& operator=(const waiter_list&) = delete;
  ~waiter_list() {
    PINION_ASSERT(
        first_ == nullptr,
        "an event, mutex, semaphore, gate or channel was destroyed while a task waits for it: end that "
        "wait before, or cancel it (cancel_slot)");
  }

  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  /// The one that has waited longest, or nullptr.
  [[nodiscard]] waiter* first() const noexcept { return first_; }

  /// To the end. It is in no list.
  void push(waiter& last) noexcept {
    PINION_ASSERT(last.list_ == nullptr,
                  "one wait was awaited by two tasks: let each begin a wait of its own");
    last.list_ = this;
    last.next_ = nullptr;
    last.previous_ = std::exchange(last_, &last);
    *(last.previous_ == nullptr ? &first_ : &last.previous_->next_) = &last;
  }
  /// From anywhere in it.
  void remove(waiter& one) noexcept {
    *(one.previous_ == nullptr ? &first_ : &one.previous_->next_) = one.next_;
    *(one.next_ == nullptr ? &last_ : &one.next_->previous_) = one.previous_;
    one.list_ = nullptr;
  }
  /// Ends each so, in their order.
  void end_all(outcome how) noexcept {
    while (first_ != nullptr) first_->end(how);
  }

 private:
  waiter* first_ = nullptr;
  waiter* last_ = nullptr;
};

inline void waiter::end(outcome how) noexcept {
  if (list_ != nullptr) list_->remove(*this);
  leave();
  outcome_ = how;
  who_.go_on();
}

/// The slot that a task waits under where it names none: its executor's for it, or nullptr.
template <class Promise>
[[nodiscard]] cancel_slot* slot_of([[maybe_unused]] Promise& promise) noexcept {
  if constexpr (requires {
                  { executor_of(promise).slot() } noexcept -> std::same_as<cancel_slot&>;
                })
    return &executor_of(promise).slot();
  else
    return nullptr;
}

/// The base of each awaiter. Self has begin(), which takes what it waits for and says `granted`, or why that
/// will never be, or `none` where it has to wait; and list(), in which it waits then. It may have
/// withdrawn(), called behind a cancellation.
template <class Self>
class awaiter : public waiter {
 public:
  /// What an awaiter has.
  [[nodiscard]] static constexpr bool await_ready() noexcept { return false; }
  template <class Promise>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> where) noexcept {
    static_assert(knows_executor<Promise>,
                  "only a task of an executor waits for other tasks: give the promise an executor()");
    auto& self = static_cast<Self&>(*this);
    cancel_slot* const slot = slot_ != nullptr ? slot_ : slot_of(where.promise());
    const outcome now = slot != nullptr && slot->is_requested() ? outcome::cancelled : self.begin();
    outcome_ = now;
    if (now == outcome::granted) return false;
    who_ = resumption{where};
    if (now != outcome::none) {
      end(now);
    } else {
      self.list().push(self);
      if (slot != nullptr) wait_under(*slot);
    }
    return true;
  }

 protected:
  ~awaiter() = default;

  static void withdrawn() noexcept {}
  /// For await_resume() where a grant is nothing to keep.
  [[nodiscard]] expected<void, std::error_code> taken() noexcept {
    if (const std::error_code error = take()) return unexpected<std::error_code>{error};
    return {};
  }

 private:
  friend Self;
  explicit awaiter(cancel_slot* slot) noexcept : waiter(&cancel), slot_(slot) {}

  static void cancel(wait& which) noexcept {
    auto& self = static_cast<Self&>(static_cast<awaiter&>(which));
    self.end(outcome::cancelled);
    self.withdrawn();
  }

  cancel_slot* slot_;  // nullptr: the executor's
};

}  // namespace pinion::scheduler::inline PINION_MODE::sync_detail
