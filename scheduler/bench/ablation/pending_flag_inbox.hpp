// SPDX-License-Identifier: Apache-2.0
//
// pending_flag_inbox: wakes as most executors have them today: a list behind a mutex, and a flag beside it
// that says whether the owner's eventfd has been written to.
//
//   wake_channel<pending_flag_inbox, eventfd_notifier> channel;
//
// A push sets the flag, and is told to signal if the flag was not set, whether or not the owner sleeps. A
// drain clears the flag. So an owner that is awake is signalled about once for each drain: law W2 does not
// hold here, nor does W3, as of every mutex_inbox.
//
// Memory ordering. pending_: exchanges, relaxed, since the mutex publishes what was pushed. No wake is lost,
// whatever the flag says: a push into an armed inbox is told to signal by mutex_inbox.
#pragma once

#include <atomic>
#include <cstddef>
#include <pinion/waker.hpp>
#include <utility>

namespace pinion::scheduler::bench::inline PINION_MODE {

class pending_flag_inbox : public waker::mutex_inbox {
 public:
  [[nodiscard]] waker::push_result push(node_type& node) noexcept {
    const waker::push_result result = mutex_inbox::push(node);
    if (result == waker::push_result::closed) return result;
    const bool was_pending = pending_.exchange(true, std::memory_order_relaxed);
    return was_pending ? result : waker::push_result::signal;
  }
  template <class Sink>
  std::size_t drain(Sink&& sink) {
    pending_.exchange(false, std::memory_order_relaxed);
    return mutex_inbox::drain(std::forward<Sink>(sink));
  }
  taken_type take() noexcept {
    pending_.exchange(false, std::memory_order_relaxed);
    return mutex_inbox::take();
  }

 private:
  alignas(64) std::atomic<bool> pending_{false};
};
static_assert(waker::inbox<pending_flag_inbox>);

}  // namespace pinion::scheduler::bench::inline PINION_MODE
