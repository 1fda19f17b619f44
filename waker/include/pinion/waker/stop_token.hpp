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
#include <pinion/waker/wake_event.hpp>
#include <stop_token>
#include <utility>

namespace pinion::waker::inline PINION_MODE {

namespace stop_detail {

// The wake: apart from who made it, since it may arrive later. Both are the owner's; only the push is not.
template <class Target>
class late_call : public wake_call {
 public:
  explicit late_call(Target& target) noexcept : wake_call(&came), target_(&target) {}
  /// Who made it goes, and nobody pushes it any more.
  void let_go() noexcept {
    target_ = nullptr;
    if (!is_queued()) delete this;
  }

 private:
  static void came(wake_call& self) {
    auto& mine = static_cast<late_call&>(self);
    if (mine.target_ != nullptr)
      mine.target_->call();
    else
      delete &mine;
  }
  Target* target_;
};

}  // namespace stop_detail

/// Requests a slot from the owner's drain when a stop was requested. Made and destroyed on the owner's
/// thread.
template <class Channel>
class slot_on_stop {
 public:
  /// Slot and channel outlive it.
  slot_on_stop(std::stop_token token, Channel& channel, cancel_slot& slot)
      : slot_(slot), wake_(new late(*this)), callback_(std::move(token), push{channel.sender(), *wake_}) {}
  slot_on_stop(const slot_on_stop&) = delete;
  slot_on_stop& operator=(const slot_on_stop&) = delete;
  /// A stop that is requested from now on is not heard of.
  ~slot_on_stop() = default;

 private:
  friend class stop_detail::late_call<slot_on_stop>;
  using late = stop_detail::late_call<slot_on_stop>;
  void call() noexcept { slot_.request(); }

  // Lets the wake go last: behind the callback, which waits for one that runs.
  struct held {
    explicit held(late* what) noexcept : wake(what) {}
    held(const held&) = delete;
    held& operator=(const held&) = delete;
    ~held() { wake->let_go(); }
    late& operator*() const noexcept { return *wake; }
    late* wake;
  };
  struct push {
    typename Channel::sender_type to;
    late& wake;
    void operator()() const noexcept { to.push(wake); }
  };

  cancel_slot& slot_;
  held wake_;
  std::stop_callback<push> callback_;
};

/// Requests a stop from the owner's drain when a slot was requested. All on the owner's thread.
template <class Channel>
class stop_on_slot : cancel_slot::wait {
 public:
  /// The channel outlives it.
  stop_on_slot(cancel_slot& slot, Channel& channel, std::stop_source source)
      : wait(&cancel), to_(channel), source_(std::move(source)), wake_(new late(*this)) {
    wait_under(slot);
  }
  stop_on_slot(const stop_on_slot&) = delete;
  stop_on_slot& operator=(const stop_on_slot&) = delete;
  /// A slot that is requested from now on stops nothing.
  ~stop_on_slot() {
    leave();
    wake_->let_go();
  }

 private:
  friend class stop_detail::late_call<stop_on_slot>;
  using late = stop_detail::late_call<stop_on_slot>;
  void call() { std::stop_source{source_}.request_stop(); }  // a callback may destroy *this
  static void cancel(wait& self) noexcept {
    auto& mine = static_cast<stop_on_slot&>(self);
    mine.to_.push(*mine.wake_);
  }

  Channel& to_;
  std::stop_source source_;
  late* wake_;
};

}  // namespace pinion::waker::inline PINION_MODE
