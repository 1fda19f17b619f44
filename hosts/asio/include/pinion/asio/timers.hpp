// SPDX-License-Identifier: Apache-2.0
//
// timer_queue, timer_call: timers for the turn of an io_context. As those of the part timer, but they ask the
// turn for a round when one is armed that is due before the context would wake, and when the last one has
// gone.
//
//   pinion::asio::timer_queue<> timers;                         // callbacks, in default_store
//   timer::handle idle = timers.after(30s, [&] { client.close(); });
//   timers.push_on(idle, 60s);
//
//   using hooks = pinion::asio::timer_queue<pinion::asio::call_wheel>;  // timers that are members
//   hooks requests;
//   timer::intrusive_timer<hooks> request{requests, timer::calls<&connection::close>, client};
//   request.arm(5s);
//
// An io_context has no place to look at timers before it waits, so they have to say it, wherever they are
// armed from: a handler of Asio's, a callback, a coroutine, or the program before run(). A turn takes no
// others.
//
// A timer_call is 64 bytes, one pointer more than timer's.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <pinion/asio/detail/rounds.hpp>
#include <pinion/base/inline_function.hpp>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
#include <pinion/timer/concept.hpp>
#include <pinion/timer/default_store.hpp>
#include <pinion/timer/handle.hpp>
#include <pinion/timer/timer_hook.hpp>
#include <pinion/timer/timer_queue.hpp>
#include <pinion/timer/wheel/deferred_hook_wheel.hpp>
#include <utility>

namespace pinion::asio::inline PINION_MODE {

/// Any store, in an io_context.
template <timer::store_core Store>
class hosted_store;

/// One that owns its values.
template <timer::timer_store Store>
class hosted_store<Store> : public turn_detail::served {
 public:
  /// As the store's.
  using value_type = typename Store::value_type;
  static constexpr timer::store_traits traits = Store::traits;
  explicit hosted_store(instant start) : store_(start) {}

  /// As the store's; and asks the turn for a round, if it is to come sooner than one would.
  timer::handle schedule(instant deadline, value_type&& value) {
    const timer::handle armed = store_.schedule(deadline, std::move(value));
    ask_for(deadline, store_);
    return armed;
  }
  /// The same for one that is armed.
  bool reschedule(timer::handle h, instant deadline) {
    const bool moved = store_.reschedule(h, deadline);
    if (moved) ask_for(deadline, store_);
    return moved;
  }
  /// As the store's; and asks for a round where it was the last.
  std::optional<value_type> cancel(timer::handle h) noexcept {
    std::optional<value_type> cancelled = store_.cancel(h);
    ask_if_none(store_);
    return cancelled;
  }
  /// As the store's; and asks for a round.
  void clear() {
    store_.clear();
    ask_if_none(store_);
  }
  /// As the store's.
  template <timer::sink_for<value_type> Sink>
  timer::poll_result poll(instant now, std::size_t budget, Sink&& sink) {
    return store_.poll(now, budget, std::forward<Sink>(sink));
  }
  /// As the store's.
  [[nodiscard]] instant next_wakeup() const noexcept { return store_.next_wakeup(); }
  /// As the store's.
  [[nodiscard]] std::size_t size() const noexcept { return store_.size(); }
  /// As the store's.
  [[nodiscard]] duration lateness_bound(duration ahead) const noexcept {
    return store_.lateness_bound(ahead);
  }
  /// As the store's.
  void reserve(std::size_t n) { store_.reserve(n); }

  /// The store, to be looked at: what it has beyond the concept.
  [[nodiscard]] const Store& store() const noexcept { return store_; }

 private:
  Store store_;
};

class timer_call;

namespace turn_detail {
/// Where a timer_call is armed: how it says that it goes.
struct hook_home : served {
  using leaving = void (*)(hook_home& home, timer_call& hook) noexcept;
  explicit hook_home(leaving function) noexcept : leave(function) {}
  leaving leave;
};
}  // namespace turn_detail

/// As timer::timer_call; its destructor asks the turn where it was the last that was armed.
class timer_call : public timer::timer_hook {
 public:
  /// Called with the hook when it is due; it is disarmed by then and may be armed again or destroyed.
  using waker_function = void (*)(timer_call&);

  /// Disarmed; `function` is called with the hook when it is due.
  timer_call() noexcept = default;
  explicit timer_call(waker_function function, void* its_context = nullptr) noexcept
      : waker(function), context(its_context) {}
  timer_call(const timer_call&) = delete;
  timer_call& operator=(const timer_call&) = delete;
  /// Disarms it.
  ~timer_call() {
    if (home_ != nullptr && is_armed()) home_->leave(*home_, *this);
  }

  waker_function waker = nullptr;  ///< nullptr: nothing is called
  void* context = nullptr;

 private:
  template <timer::store_core Store>
  friend class hosted_store;
  turn_detail::hook_home* home_ = nullptr;
};

/// One of timers that are members.
template <timer::intrusive_timer_store Store>
  requires std::derived_from<typename Store::hook_type, timer_call>
class hosted_store<Store> : public turn_detail::hook_home {
 public:
  /// As the store's.
  using hook_type = typename Store::hook_type;
  static constexpr timer::store_traits traits = Store::traits;
  explicit hosted_store(instant start) : hook_home(&leave_from), store_(start) {}

  /// As the store's; and asks the turn for a round, if it is to come sooner than one would.
  void schedule(hook_type& hook, instant deadline) noexcept {
    store_.schedule(hook, deadline);
    static_cast<timer_call&>(hook).home_ = this;
    ask_for(deadline, store_);
  }
  /// The same for one that is armed.
  bool reschedule(hook_type& hook, instant deadline) noexcept {
    const bool moved = store_.reschedule(hook, deadline);
    if (moved) ask_for(deadline, store_);
    return moved;
  }
  /// As the store's; and asks for a round where it was the last.
  bool cancel(hook_type& hook) noexcept {
    const bool cancelled = store_.cancel(hook);
    ask_if_none(store_);
    return cancelled;
  }
  /// As the store's; and asks for a round.
  void clear() noexcept {
    store_.clear();
    ask_if_none(store_);
  }
  /// As the store's.
  template <class Sink>
    requires std::invocable<Sink&, hook_type&>
  timer::poll_result poll(instant now, std::size_t budget, Sink&& sink) {
    return store_.poll(now, budget, std::forward<Sink>(sink));
  }
  /// As the store's.
  [[nodiscard]] instant next_wakeup() const noexcept { return store_.next_wakeup(); }
  /// As the store's.
  [[nodiscard]] std::size_t size() const noexcept { return store_.size(); }
  /// As the store's.
  [[nodiscard]] duration lateness_bound(duration ahead) const noexcept {
    return store_.lateness_bound(ahead);
  }

  /// The store, to be looked at: what it has beyond the concept.
  [[nodiscard]] const Store& store() const noexcept { return store_; }

 private:
  static void leave_from(hook_home& home, timer_call& hook) noexcept {
    static_cast<hosted_store&>(home).cancel(static_cast<hook_type&>(hook));
  }
  Store store_;
};

/// The store for timers that are members: intrusive_timer, sleeping coroutines.
using call_wheel = timer::deferred_hook_wheel<timer_call>;

/// A timer_queue over any store, for the turn of an io_context.
template <class Store = timer::default_store<inline_function<void()>>, class Clock = monotonic_clock>
using timer_queue = timer::timer_queue<hosted_store<Store>, Clock>;

}  // namespace pinion::asio::inline PINION_MODE
