// SPDX-License-Identifier: Apache-2.0
//
// calling_queue: the queues that intervals, tickers and sleeping coroutines wait on: any timer_queue whose
// run() calls its timers.
//
//   static_assert(calling_queue<timer_queue<call_wheel>>);
//   static_assert(calling_queue<timer_queue<deferred_wheel<inline_function<void()>>>>);
#pragma once

#include <concepts>
#include <pinion/base/time.hpp>
#include <pinion/timer/handle.hpp>
#include <pinion/timer/timer_call.hpp>
#include <pinion/timer/timer_queue.hpp>
#include <utility>

namespace pinion::timer::inline PINION_MODE {

namespace embedded_detail {

/// The value of an embedded timer: called, it wakes its timer; destroyed by clear(), it tells its timer so.
template <class Timer>
class waking {
 public:
  explicit waking(Timer& timer) noexcept : timer_(&timer) {}
  waking(waking&& other) noexcept : timer_(std::exchange(other.timer_, nullptr)) {}
  waking& operator=(waking&&) = delete;
  waking(const waking&) = delete;
  waking& operator=(const waking&) = delete;
  ~waking() {
    if (timer_ != nullptr) timer_->dropped();
  }
  void operator()() { std::exchange(timer_, nullptr)->due(); }

 private:
  Timer* timer_;
};

/// Stands for every timer where a concept asks whether a queue's values can be made of a `waking`.
struct any_timer {
  void dropped() noexcept {}
  void due() {}
};

}  // namespace embedded_detail

/// A timer_queue that calls hooks.
template <class Queue>
concept queue_of_calls = requires(Queue& queue, typename Queue::hook_type& hook, instant t) {
  requires calling_hook<typename Queue::hook_type>;
  queue.at(t, hook);
  { queue.latest() } noexcept -> std::same_as<instant>;
};
/// A timer_queue whose values can be any callback of one word.
template <class Queue>
concept queue_of_callbacks = std::constructible_from<typename Queue::value_type,
                                                     embedded_detail::waking<embedded_detail::any_timer>> &&
                             std::invocable<typename Queue::value_type&> &&
                             requires(Queue& queue, typename Queue::value_type&& value, instant t) {
                               { queue.at(t, std::move(value)) } -> std::same_as<handle>;
                               { queue.latest() } noexcept -> std::same_as<instant>;
                             };

/// Either of them.
template <class Queue> concept calling_queue = queue_of_calls<Queue> || queue_of_callbacks<Queue>;

}  // namespace pinion::timer::inline PINION_MODE
