// SPDX-License-Identifier: Apache-2.0
//
// slot_on_stop, stop_on_slot: from a std::stop_token to a cancel_slot, and back.
//
// A std::stop_token runs its callbacks on the thread that asks for the stop. These run nothing there but a
// push into the owner's inbox: the slot is requested from the owner's next drain (by call_wakes), and so are
// a stop_source's callbacks when a slot was requested.
//
//   slot_on_stop link{token, channel, shutdown};   // the token of a std::jthread, say
//
//   stop_on_slot back{shutdown, channel, source};  // a std::stop_source
//
// Each allocates once, when it is made, since its wake may still be on its way when it goes; a wake that
// arrives later does nothing. The channel outlives them, and is drained, or closed by close(call_wakes),
// before it goes.
#pragma once

#include <pinion/base/cancel_slot.hpp>
#include <pinion/config.hpp>
#include <pinion/waker/concept.hpp>
#include <pinion/waker/detail/late_call.hpp>
#include <pinion/waker/wake_event.hpp>
#include <stop_token>
#include <utility>

namespace pinion::waker::inline PINION_MODE {

/// Requests a slot from the owner's drain when a stop was requested. Made and destroyed on the owner's
/// thread.
template <class Channel>
class slot_on_stop {
 public:
  /// Slot and channel outlive it.
  slot_on_stop(std::stop_token token, Channel& channel, cancel_slot& slot)
      : slot_(slot), wake_(*this), callback_(std::move(token), push{channel.sender(), *wake_}) {}
  slot_on_stop(const slot_on_stop&) = delete;
  slot_on_stop& operator=(const slot_on_stop&) = delete;
  /// A stop that is requested from now on is not heard of.
  ~slot_on_stop() = default;

 private:
  friend class late_call<slot_on_stop>;
  void call() noexcept { slot_.request(); }

  struct push {
    typename Channel::sender_type to;
    wake_call& wake;
    void operator()() const noexcept { to.push(wake); }
  };

  cancel_slot& slot_;
  late_call<slot_on_stop> wake_;  // goes behind the callback, which waits for one that runs
  std::stop_callback<push> callback_;
};

/// Requests a stop from the owner's drain when a slot was requested. All on the owner's thread.
template <class Channel>
class stop_on_slot : cancel_slot::wait {
 public:
  /// The channel outlives it.
  stop_on_slot(cancel_slot& slot, Channel& channel, std::stop_source source)
      : wait(&cancel), to_(channel), source_(std::move(source)), wake_(*this) {
    wait_under(slot);
  }
  stop_on_slot(const stop_on_slot&) = delete;
  stop_on_slot& operator=(const stop_on_slot&) = delete;
  /// A slot that is requested from now on stops nothing.
  ~stop_on_slot() { leave(); }

 private:
  friend class late_call<stop_on_slot>;
  void call() { std::stop_source{source_}.request_stop(); }  // a callback may destroy *this
  static void cancel(wait& self) noexcept {
    auto& mine = static_cast<stop_on_slot&>(self);
    mine.to_.push(*mine.wake_);
  }

  Channel& to_;
  std::stop_source source_;
  late_call<stop_on_slot> wake_;
};

}  // namespace pinion::waker::inline PINION_MODE
