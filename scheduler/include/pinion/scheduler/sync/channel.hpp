// SPDX-License-Identifier: Apache-2.0
//
// channel: values from tasks to tasks of one executor, through room for so many.
//
//   channel<job, 16> jobs;                          // the room is inside; 0: a sender waits for its receiver
//
//   const auto sent = co_await jobs.send(std::move(next));       // waits for room
//   if (!sent) co_return;                                        // then next is as it was
//
//   while (auto job = co_await jobs.receive()) run(*job);        // until the channel is closed and empty
//
// Laws:
//
// - A value that was accepted is received once, also behind close(), in the order in which values were
//   accepted.
// - Tasks that wait are served first in, first out, senders and receivers. No task waits that could be
//   served.
// - A receiver that is cancelled has taken nothing. A sender that fails has its value, unmoved.
// - send(), receive(), close() and a cancellation make tasks ready, and run none.
// - A wait ends once, by what came first: a value that was handed over is the receiver's, and one that was
//   accepted is sent, whatever is cancelled or closed afterwards.
//
// One thread, no atomics, no allocation. A task that never has to wait does not give way: a long loop over a
// channel that is never empty needs a yield. Between executors: a wake_channel.
#pragma once

#include <cstddef>
#include <optional>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/error.hpp>
#include <pinion/config.hpp>
#include <pinion/scheduler/detail/fixed_queue.hpp>
#include <pinion/scheduler/detail/waiter.hpp>
#include <system_error>
#include <type_traits>
#include <utility>

namespace pinion::scheduler::inline PINION_MODE {

/// All members are for the owner's thread. It stays where it is, and nobody waits when it is destroyed; the
/// values that are left are destroyed with it.
template <class T, std::size_t Capacity>
class channel {
  static_assert(
      std::is_object_v<T> && !std::is_const_v<T> && std::is_nothrow_move_constructible_v<T> &&
          std::is_nothrow_destructible_v<T>,
      "a channel's values are moved and destroyed without a throw, or one could be lost between two tasks");
  class sending;
  class receiving;

 public:
  /// What it carries.
  using value_type = T;

  /// Open and empty.
  channel() noexcept = default;

  /// Awaited: goes on when the value is accepted, or with errc::closed, or when the executor's slot for the
  /// task is requested. co_await gives expected<void, std::error_code>. `value` stays until then, and is
  /// moved from only where it is accepted.
  [[nodiscard]] sending send(T&& value) noexcept { return {*this, value, nullptr}; }
  /// The same, under that slot and no other.
  [[nodiscard]] sending send(T&& value, cancel_slot& slot) noexcept { return {*this, value, &slot}; }
  /// Awaited: goes on with a value, or with errc::closed where it is closed and empty, or when the executor's
  /// slot for the task is requested. co_await gives expected<T, std::error_code>.
  [[nodiscard]] receiving receive() noexcept { return {*this, nullptr}; }
  /// The same, under that slot and no other.
  [[nodiscard]] receiving receive(cancel_slot& slot) noexcept { return {*this, &slot}; }

  /// At once or not at all: false where there is no room or it is closed; `value` is as it was then.
  [[nodiscard]] bool try_send(T&& value) noexcept { return !is_closed_ && accept(value); }
  /// At once or not at all: nothing where it is empty.
  [[nodiscard]] std::optional<T> try_receive() noexcept {
    std::optional<T> value;
    give(value);
    return value;
  }

  /// Accepts nothing more. Who waits ends with errc::closed; what was accepted can still be received. Again:
  /// does nothing.
  void close() noexcept {
    is_closed_ = true;
    senders_.end_all(sync_detail::outcome::closed);
    receivers_.end_all(sync_detail::outcome::closed);
  }
  /// Whether close() was called.
  [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }
  /// How many values were accepted and not received.
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  /// For how many there is room.
  [[nodiscard]] static constexpr std::size_t capacity() noexcept { return Capacity; }

 private:
  /// To the first receiver that waits, or into the room; false if there is neither.
  [[nodiscard]] bool accept(T& value) noexcept {
    if (!receivers_.empty()) {
      static_cast<receiving&>(*receivers_.first()).get(value);
      return true;
    }
    if (values_.size() == Capacity) return false;
    values_.push(std::move(value));
    return true;
  }
  /// The first, and its room to the first sender that waits.
  void give(std::optional<T>& to) noexcept {
    if (values_.size() != 0) {
      to.emplace(std::move(values_.front()));
      values_.drop();
      if (!senders_.empty()) values_.push(static_cast<sending&>(*senders_.first()).put());
    } else if (!senders_.empty()) {
      to.emplace(static_cast<sending&>(*senders_.first()).put());
    }
  }

  sync_detail::fixed_queue<T, Capacity> values_;
  sync_detail::waiter_list senders_;    // wait only where there is no room
  sync_detail::waiter_list receivers_;  // wait only where there is no value
  bool is_closed_ = false;
};

/// What a sender keeps in its frame while it waits.
template <class T, std::size_t Capacity>
class channel<T, Capacity>::sending : public sync_detail::awaiter<sending> {
 public:
  /// What an awaiter has.
  [[nodiscard]] expected<void, std::error_code> await_resume() noexcept { return this->taken(); }

 private:
  friend channel;
  friend sync_detail::awaiter<sending>;
  sending(channel& to, T& value, cancel_slot* slot) noexcept
      : sync_detail::awaiter<sending>(slot), to_(to), value_(value) {}

  [[nodiscard]] sync_detail::outcome begin() const noexcept {
    if (to_.is_closed_) return sync_detail::outcome::closed;
    return to_.accept(value_) ? sync_detail::outcome::granted : sync_detail::outcome::none;
  }
  [[nodiscard]] sync_detail::waiter_list& list() const noexcept { return to_.senders_; }
  /// Its value is accepted; to be moved from before any task runs.
  [[nodiscard]] T&& put() noexcept {
    this->end(sync_detail::outcome::granted);
    return std::move(value_);
  }

  channel& to_;
  T& value_;
};

/// What a receiver keeps in its frame while it waits, and the value when it was handed over.
template <class T, std::size_t Capacity>
class channel<T, Capacity>::receiving : public sync_detail::awaiter<receiving> {
 public:
  /// What an awaiter has.
  [[nodiscard]] expected<T, std::error_code> await_resume() noexcept {
    if (const std::error_code error = this->take()) return unexpected<std::error_code>{error};
    return std::move(*value_);
  }

 private:
  friend channel;
  friend sync_detail::awaiter<receiving>;
  receiving(channel& from, cancel_slot* slot) noexcept : sync_detail::awaiter<receiving>(slot), from_(from) {}

  [[nodiscard]] sync_detail::outcome begin() noexcept {
    value_.reset();
    from_.give(value_);
    if (value_) return sync_detail::outcome::granted;
    return from_.is_closed_ ? sync_detail::outcome::closed : sync_detail::outcome::none;
  }
  [[nodiscard]] sync_detail::waiter_list& list() const noexcept { return from_.receivers_; }
  void get(T& value) noexcept {
    value_.emplace(std::move(value));
    this->end(sync_detail::outcome::granted);
  }

  channel& from_;
  std::optional<T> value_;
};

}  // namespace pinion::scheduler::inline PINION_MODE
