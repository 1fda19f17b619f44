// SPDX-License-Identifier: Apache-2.0
//
// mutex: one task of an executor at a time, also across its waits.
//
//   mutex writing;
//
//   auto guard = co_await writing.lock(shutdown);    // a cancel_slot; without it, the task's own
//   if (!guard) co_return;                           // cancelled
//   co_await write_all(file);                        // nobody else writes meanwhile
//
// Between two waits a task is alone anyway, since tasks of one executor run one after the other.
//
// Laws:
//
// - At most one guard holds it.
// - When a guard goes, the mutex is handed over to the task that has waited longest. It is never free while a
//   task waits.
// - unlock() and a cancellation make tasks ready, and run none.
// - A wait ends once, by what came first: a guard that was handed over is the task's, whatever is cancelled
//   afterwards.
//
// It is not recursive: a task that locks it again waits for itself. One thread, no atomics, no allocation.
#pragma once

#include <memory>
#include <optional>
#include <pinion/base/assert.hpp>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/error.hpp>
#include <pinion/config.hpp>
#include <pinion/scheduler/detail/waiter.hpp>
#include <system_error>
#include <utility>

namespace pinion::scheduler::inline PINION_MODE {

/// All members are for the owner's thread. It stays where it is, and outlives its guards and those that wait
/// for it.
class mutex {
  class waiting;
  struct unlocking {
    void operator()(mutex* of) const noexcept;
  };

 public:
  /// Holds a mutex, and lets it go when it is destroyed. Moved from, it holds none.
  class [[nodiscard]] guard {
   public:
    /// Lets it go now; nothing if it holds none.
    void unlock() noexcept { of_.reset(); }
    /// Whether it holds one.
    [[nodiscard]] explicit operator bool() const noexcept { return of_ != nullptr; }

   private:
    friend mutex;
    explicit guard(mutex& of) noexcept : of_(&of) {}
    std::unique_ptr<mutex, unlocking> of_;
  };

  /// Free.
  mutex() noexcept = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;
  /// It is free.
  ~mutex() {
    PINION_ASSERT(!is_locked_,
                  "a mutex was destroyed while a task holds it or waits for it: let it outlive its tasks");
  }

  /// Awaited: goes on when the mutex is the task's, or the executor's slot for the task is requested.
  /// co_await gives expected<guard, std::error_code>.
  [[nodiscard]] waiting lock() noexcept;
  /// The same, under that slot and no other.
  [[nodiscard]] waiting lock(cancel_slot& slot) noexcept;
  /// At once or not at all.
  [[nodiscard]] std::optional<guard> try_lock() noexcept {
    if (!take()) return std::nullopt;
    return guard{*this};
  }
  /// Whether a task holds it.
  [[nodiscard]] bool is_locked() const noexcept { return is_locked_; }

 private:
  [[nodiscard]] bool take() noexcept { return !std::exchange(is_locked_, true); }
  void unlock() noexcept {
    if (waiters_.empty())
      is_locked_ = false;
    else
      waiters_.first()->end(sync_detail::outcome::granted);
  }

  sync_detail::waiter_list waiters_;
  bool is_locked_ = false;
};

/// What a coroutine keeps in its frame while it waits.
class mutex::waiting : public sync_detail::awaiter<waiting> {
 public:
  /// A frame that is destroyed before it went on holds nothing.
  ~waiting() {
    if (is_untaken()) of_.unlock();
  }
  /// What an awaiter has.
  [[nodiscard]] expected<guard, std::error_code> await_resume() noexcept {
    if (const std::error_code error = take()) return unexpected<std::error_code>{error};
    return guard{of_};
  }

 private:
  friend mutex;
  friend awaiter;
  waiting(mutex& of, cancel_slot* slot) noexcept : awaiter(slot), of_(of) {}

  [[nodiscard]] sync_detail::outcome begin() const noexcept {
    return of_.take() ? sync_detail::outcome::granted : sync_detail::outcome::none;
  }
  [[nodiscard]] sync_detail::waiter_list& list() const noexcept { return of_.waiters_; }

  mutex& of_;
};

inline void mutex::unlocking::operator()(mutex* of) const noexcept { of->unlock(); }
inline mutex::waiting mutex::lock() noexcept { return {*this, nullptr}; }
inline mutex::waiting mutex::lock(cancel_slot& slot) noexcept { return {*this, &slot}; }

}  // namespace pinion::scheduler::inline PINION_MODE
