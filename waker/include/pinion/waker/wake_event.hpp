// SPDX-License-Identifier: Apache-2.0
//
// wake_call, wake_event: nodes that know what is to be done when they are drained. A call runs a function; an
// event lets the coroutine go on that awaits it.
//
//   wake_event event{channel};                      // the owner's
//
//   co_await event.wait();                          // in a coroutine of the owner's
//
//   const auto woken = co_await event.wait(shutdown);  // with a cancel_slot: an error if that came first
//   if (!woken) co_return;
//
//   sender.push(event);                             // any other thread
//
//   channel.drain(call_wakes);                      // the owner's turn
//
// An event remembers that it was woken, once: a wake that comes while nobody waits ends the next wait, and
// any number of them are one. One coroutine at a time awaits it. The coroutine goes on from the drain, or is
// made ready there where its promise has an executor() (law C1).
//
// All that call_wakes drains are wake_calls: an inbox has nodes of one kind.
//
// Lifetime. As for every node: nobody may be about to push it, and it is in no inbox, when it is destroyed. A
// thread that wakes an event has a sender, and is told by `closed` that the owner is gone. A coroutine that
// waits is not destroyed: cancel it, and let it run on; a checked build stops there.
#pragma once

#include <pinion/config.hpp>

#include <coroutine>
#include <pinion/base/assert.hpp>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/error.hpp>
#include <pinion/base/resumption.hpp>
#include <pinion/waker/concept.hpp>
#include <pinion/waker/wake_node.hpp>
#include <system_error>
#include <utility>

namespace pinion::waker::inline PINION_MODE {

/// A node that has a function called when it is drained. It may be pushed again from inside of that.
class wake_call : public wake_node {
 public:
  /// Called on the owner's thread, from the drain. What it throws, the drain throws.
  using function = void (*)(wake_call& self);
  /// Will call that.
  explicit wake_call(function called) noexcept : called_(called) {}

  /// For call_wakes.
  void operator()() { called_(*this); }

 private:
  function called_;
};

/// The sink for an inbox of wake_calls.
inline constexpr auto call_wakes = [](wake_node& node) { static_cast<wake_call&>(node)(); };

/// Awaited by its owner, pushed by anybody. All members are for the owner's thread.
template <class Channel>
class wake_event : public wake_call {
  class waiting;
  class waiting_under;

 public:
  /// To be pushed into that channel, whose owner drains it by call_wakes, and which outlives the event.
  explicit wake_event(Channel& channel) noexcept : wake_call(&came), channel_(channel) {}
  /// Nobody may be waiting.
  ~wake_event() { expect_wait_is_over(waiter_ == nullptr); }

  /// Awaited: goes on when it is woken; at once, if it was since the last wait. co_await gives nothing.
  [[nodiscard]] waiting wait() noexcept { return waiting{*this}; }
  /// The same, or until the slot is requested: co_await gives expected<void, std::error_code>. A wake that
  /// comes at the same time is kept for the next wait. It goes on from a drain also where the channel is
  /// closed by then.
  [[nodiscard]] waiting_under wait(cancel_slot& slot) noexcept { return waiting_under{*this, slot}; }

  /// Whether it was woken since the last wait ended.
  [[nodiscard]] bool is_woken() const noexcept { return is_woken_; }
  /// Forgets that.
  void reset() noexcept { is_woken_ = false; }

 private:
  static void came(wake_call& self) {
    auto& event = static_cast<wake_event&>(self);
    event.is_woken_ = true;
    if (event.waiter_ != nullptr && !event.waiter_->is_cancelled()) event.waiter_->end();
  }

  Channel& channel_;
  waiting* waiter_ = nullptr;
  bool is_woken_ = false;
};

/// What a coroutine keeps in its frame while it waits.
template <class Channel>
class wake_event<Channel>::waiting {
 public:
  waiting(const waiting&) = delete;
  waiting& operator=(const waiting&) = delete;
  /// It has gone on.
  ~waiting() { expect_wait_is_over(event_.waiter_ != this); }

  /// What an awaiter has.
  [[nodiscard]] bool await_ready() const noexcept { return std::exchange(event_.is_woken_, false); }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> where) noexcept {
    PINION_ASSERT(event_.waiter_ == nullptr,
                  "two coroutines await one wake_event: give each an event of its own");
    event_.waiter_ = this;
    who_ = resumption{where};
  }
  static void await_resume() noexcept {}

 protected:
  friend class wake_event;
  explicit waiting(wake_event& event) noexcept : event_(event) {}

  void end() {
    event_.waiter_ = nullptr;
    if (!is_cancelled_) event_.is_woken_ = false;
    who_.go_on();
  }
  [[nodiscard]] bool is_cancelled() const noexcept { return is_cancelled_; }

  wake_event& event_;
  resumption who_;
  bool is_cancelled_ = false;
};

/// The same under a slot. Cancelled, it goes on from the drain of a node of its own, like from a wake.
template <class Channel>
class wake_event<Channel>::waiting_under : public waiting, cancel_slot::wait, wake_call {
 public:
  /// What an awaiter has: nothing, or operation_canceled.
  [[nodiscard]] bool await_ready() const noexcept { return !slot_.is_requested() && waiting::await_ready(); }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> where) noexcept {
    waiting::await_suspend(where);
    wait_under(slot_);
  }
  [[nodiscard]] expected<void, std::error_code> await_resume() const noexcept {
    if (this->is_cancelled_) return unexpected<std::error_code>{wait_cancelled()};
    return {};
  }

 private:
  friend class wake_event;
  waiting_under(wake_event& event, cancel_slot& slot) noexcept
      : waiting(event), wait(&cancel),
        wake_call([](wake_call& self) { static_cast<waiting_under&>(self).end(); }), slot_(slot) {}

  static void cancel(wait& self) noexcept {
    auto& mine = static_cast<waiting_under&>(self);
    if (mine.event_.waiter_ != &mine) return;  // it has ended already, and is only to go on
    mine.is_cancelled_ = true;
    mine.event_.channel_.push(static_cast<wake_call&>(mine));
  }

  cancel_slot& slot_;
};

}  // namespace pinion::waker::inline PINION_MODE
