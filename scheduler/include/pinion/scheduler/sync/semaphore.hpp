// SPDX-License-Identifier: Apache-2.0
//
// semaphore: units of something, which tasks of one executor take and give back.
//
//   semaphore memory{64'000};                        // bytes
//
//   auto held = co_await memory.hold(size);          // given back when `held` goes
//   if (!held) co_return;                            // cancelled
//
// acquire() and release() are the same without a holder: for units that another task gives back.
//
// Laws:
//
// - No unit is lost or made: available, held and acquired units are those that it began with and those that
//   were released besides.
// - First come, first served: a large request at the front is not overtaken by a small one behind it.
// - release() and a cancellation make tasks ready, and run none. A cancelled request that stood at the front
//   lets those behind it go on, as far as there is enough.
// - A wait ends once, by what came first: units that were granted are the task's, whatever is cancelled
//   afterwards.
//
// One thread, no atomics, no allocation.
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

/// All members are for the owner's thread. It stays where it is, outlives its holders, and nobody waits when
/// it is destroyed.
class semaphore {
  class waiting;
  class acquiring;
  class holding;
  struct releasing {
    std::size_t count = 0;
    void operator()(semaphore* of) const noexcept;
  };

 public:
  /// Units that are released when it is destroyed. Moved from, it has none.
  class [[nodiscard]] units {
   public:
    /// Gives them back now; nothing if it has none.
    void release() noexcept { of_.reset(); }
    /// How many it has.
    [[nodiscard]] std::size_t count() const noexcept { return of_ == nullptr ? 0 : of_.get_deleter().count; }

   private:
    friend semaphore;
    units(semaphore& of, std::size_t count) noexcept : of_(&of, releasing{count}) {}
    std::unique_ptr<semaphore, releasing> of_;
  };

  /// With so many.
  explicit semaphore(std::size_t available) noexcept : available_(available) {}

  /// Awaited: goes on when `count` units are the task's, or the executor's slot for the task is requested.
  /// co_await gives expected<void, std::error_code>. A request for more than there ever are waits until it is
  /// cancelled.
  [[nodiscard]] acquiring acquire(std::size_t count = 1) noexcept;
  /// The same, under that slot and no other.
  [[nodiscard]] acquiring acquire(std::size_t count, cancel_slot& slot) noexcept;
  /// As acquire(), and co_await gives expected<units, std::error_code>.
  [[nodiscard]] holding hold(std::size_t count = 1) noexcept;
  [[nodiscard]] holding hold(std::size_t count, cancel_slot& slot) noexcept;
  /// At once or not at all: false where there are fewer, or a task waits.
  [[nodiscard]] bool try_acquire(std::size_t count = 1) noexcept {
    if (!waiters_.empty() || count > available_) return false;
    available_ -= count;
    return true;
  }
  /// Makes so many available, also more than it began with. Takes as long as there are tasks that can go on
  /// now.
  void release(std::size_t count = 1) noexcept {
    PINION_ASSERT(available_ + count >= count,
                  "a semaphore has more units than can be counted: released too often");
    available_ += count;
    serve();
  }
  /// How many can be had; more than 0 also while a task waits for more than that.
  [[nodiscard]] std::size_t available() const noexcept { return available_; }

 private:
  void serve() noexcept;

  sync_detail::waiter_list waiters_;
  std::size_t available_;
};

/// What a coroutine keeps in its frame while it waits.
class semaphore::waiting : public sync_detail::awaiter<waiting> {
 protected:
  friend semaphore;
  friend awaiter;
  waiting(semaphore& of, std::size_t count, cancel_slot* slot) noexcept
      : awaiter(slot), of_(of), count_(count) {}
  /// A frame that is destroyed before it went on holds nothing.
  ~waiting() {
    if (is_untaken()) of_.release(count_);
  }

  [[nodiscard]] sync_detail::outcome begin() const noexcept {
    return of_.try_acquire(count_) ? sync_detail::outcome::granted : sync_detail::outcome::none;
  }
  [[nodiscard]] sync_detail::waiter_list& list() const noexcept { return of_.waiters_; }
  void withdrawn() const noexcept { of_.serve(); }

  semaphore& of_;
  const std::size_t count_;
};

/// Units without a holder.
class semaphore::acquiring : public waiting {
 public:
  /// What an awaiter has.
  [[nodiscard]] expected<void, std::error_code> await_resume() noexcept { return taken(); }

 private:
  friend semaphore;
  using waiting::waiting;
};

/// Units with one.
class semaphore::holding : public waiting {
 public:
  /// What an awaiter has.
  [[nodiscard]] expected<units, std::error_code> await_resume() noexcept {
    if (const std::error_code error = take()) return unexpected<std::error_code>{error};
    return units{of_, count_};
  }

 private:
  friend semaphore;
  using waiting::waiting;
};

inline void semaphore::serve() noexcept {
  while (!waiters_.empty()) {
    auto& first = static_cast<waiting&>(*waiters_.first());
    if (first.count_ > available_) return;
    available_ -= first.count_;
    first.end(sync_detail::outcome::granted);
  }
}
inline void semaphore::releasing::operator()(semaphore* of) const noexcept { of->release(count); }
inline semaphore::acquiring semaphore::acquire(std::size_t count) noexcept { return {*this, count, nullptr}; }
inline semaphore::acquiring semaphore::acquire(std::size_t count, cancel_slot& slot) noexcept {
  return {*this, count, &slot};
}
inline semaphore::holding semaphore::hold(std::size_t count) noexcept { return {*this, count, nullptr}; }
inline semaphore::holding semaphore::hold(std::size_t count, cancel_slot& slot) noexcept {
  return {*this, count, &slot};
}

}  // namespace pinion::scheduler::inline PINION_MODE
