// SPDX-License-Identifier: Apache-2.0
//
// embedded_timer: the one timer inside an interval or a sleeping coroutine, in whichever kind of queue.
//
// In a queue of hooks it is a hook and nothing else is kept anywhere: no allocation. In a queue of values it
// is a handle, and the value is a pointer back to this object, wrapped in the queue's own callback type.
// Either way the object is pinned, is told by `woken()` when it is due, and takes its timer along when it is
// destroyed.
//
// The class that derives from it has a member woken(). The queue's poll calls it. By then the timer is
// disarmed. It may destroy the object.
#pragma once

#include <pinion/base/time.hpp>
#include <pinion/timer/calling_queue.hpp>
#include <pinion/timer/handle.hpp>
#include <pinion/timer/timer_call.hpp>
#include <utility>

namespace pinion::timer::inline PINION_MODE::embedded_detail {

template <calling_queue Queue, class Derived>
class embedded_timer;

template <queue_of_calls Queue, class Derived>
class embedded_timer<Queue, Derived> {
 public:
  embedded_timer(const embedded_timer&) = delete;
  embedded_timer& operator=(const embedded_timer&) = delete;

 protected:
  explicit embedded_timer(Queue& queue) noexcept : queue_(&queue) {
    call_detail::set_call<&embedded_timer::due>(hook_, *this);
  }
  ~embedded_timer() = default;

  /// Arms it or moves it.
  void arm(instant deadline) noexcept { queue_->backend().schedule(hook_, deadline); }
  /// Takes it out. False if it was not armed.
  bool disarm() noexcept { return queue_->cancel(hook_); }
  /// If it is armed, it is due at the next poll.
  void hurry() noexcept { queue_->backend().reschedule(hook_, instant{}); }
  [[nodiscard]] bool is_armed() const noexcept { return hook_.is_armed(); }
  [[nodiscard]] Queue& queue() const noexcept { return *queue_; }

 private:
  void due() { static_cast<Derived*>(this)->woken(); }

  Queue* queue_;
  typename Queue::hook_type hook_;
};

template <queue_of_callbacks Queue, class Derived>
class embedded_timer<Queue, Derived> {
 public:
  embedded_timer(const embedded_timer&) = delete;
  embedded_timer& operator=(const embedded_timer&) = delete;

 protected:
  explicit embedded_timer(Queue& queue) noexcept : queue_(&queue) {}
  ~embedded_timer() { disarm(); }

  /// Arms it or moves it. Throws what arming in the queue throws; it is disarmed then.
  void arm(instant deadline) {
    if (is_armed() && queue_->backend().reschedule(handle_, deadline)) return;
    handle_ = queue_->at(deadline, typename Queue::value_type(waking(*this)));
  }
  /// Takes it out. False if it was not armed.
  bool disarm() noexcept {
    return is_armed() && queue_->cancel(std::exchange(handle_, handle{})).has_value();
  }
  /// If it is armed, it is due at the next poll.
  void hurry() noexcept {
    if (is_armed()) queue_->backend().reschedule(handle_, instant{});
  }
  [[nodiscard]] bool is_armed() const noexcept { return static_cast<bool>(handle_); }
  [[nodiscard]] Queue& queue() const noexcept { return *queue_; }

 private:
  using waking = embedded_detail::waking<embedded_timer>;
  friend waking;
  void dropped() noexcept { handle_ = handle{}; }
  void due() {
    handle_ = handle{};
    static_cast<Derived*>(this)->woken();
  }

  Queue* queue_;
  handle handle_;
};

}  // namespace pinion::timer::inline PINION_MODE::embedded_detail
