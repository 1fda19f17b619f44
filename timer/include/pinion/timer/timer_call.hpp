// SPDX-License-Identifier: Apache-2.0
//
// timer_call: a hook that knows what to call when it is due: a function and its context, two words.
//
// It is the hook type of wheels whose poll simply calls what is due. calls<&type::member> names a function at
// compile time, so that what is kept is a plain function pointer to code in which the call is inlined.
//
//   call_wheel timers{monotonic_clock::now()};
//   task job;
//   timer_call wake{[](timer_call& c) { static_cast<task*>(c.context)->run(); }, &job};
//   timers.schedule(wake, now + ceil(30s));
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <pinion/timer/timer_hook.hpp>
#include <pinion/timer/wheel/deferred_hook_wheel.hpp>

namespace pinion::timer::inline PINION_MODE {

/// One timer: what to call, with what, and its place in a wheel. Its destructor cancels it.
class timer_call : public timer_hook {
 public:
  /// Called with the hook when it is due; it is disarmed by then and may be armed again or destroyed.
  using waker_function = void (*)(timer_call&);

  /// Disarmed; `function` is called with the hook when it is due.
  timer_call() noexcept = default;
  explicit timer_call(waker_function function, void* its_context = nullptr) noexcept
      : waker(function), context(its_context) {}

  waker_function waker = nullptr;  ///< nullptr: nothing is called
  void* context = nullptr;
};

/// A hook that says what to call: timer_call, bitmap_wheel::entry, or one of your own.
template <class Hook>
concept calling_hook = requires(Hook& hook, void (*function)(Hook&), void* context, const Hook& view) {
  hook.waker = function;
  hook.context = context;
  { view.is_armed() } noexcept -> std::same_as<bool>;
  { view.deadline() } noexcept -> std::same_as<instant>;
};

/// deferred_hook_wheel of timer_call: the store for timers that are embedded in objects and call a function.
using call_wheel = deferred_hook_wheel<timer_call>;

/// The type of `calls`.
template <auto Function>
struct calls_function {};

/// Names what a timer calls: a member function of its context, or a function that takes the context by
/// reference.
template <auto Function>
inline constexpr calls_function<Function> calls{};

namespace call_detail {
/// Makes a hook call Function with `context`.
template <auto Function, calling_hook Hook, class Context>
void set_call(Hook& hook, Context& context) noexcept {
  hook.waker = [](Hook& due) { std::invoke(Function, *static_cast<Context*>(due.context)); };
  hook.context = &context;
}
}  // namespace call_detail

}  // namespace pinion::timer::inline PINION_MODE
