// SPDX-License-Identifier: Apache-2.0
//
// owning: a store of hooks as a store of values, so that the laws of stores of values are run on stores of
// hooks too.
//
//   owning<token, deferred_hook_wheel> timers{now};
//   handle h = timers.schedule(now + 30s, token{…});
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <pinion/timer.hpp>
#include <pinion/timer/detail/slot_map.hpp>
#include <string>
#include <utility>

namespace pinion::timer::testing {

/// HookStore's hooks are made of Base.
template <class Value, template <class Hook> class HookStore, class Base = timer_hook>
class owning {
  struct tag : Base {
    std::uint32_t slot = 0;
  };

 public:
  /// For timer_store, and the store of hooks that it is made of.
  using value_type = Value;
  using hook_store = HookStore<tag>;

  /// What the store declares of itself: as the store of hooks, but for the slots it allocates.
  static constexpr store_traits traits = [] {
    store_traits t = hook_store::traits;
    t.allocates = allocation::beyond_reserve;
    return t;
  }();

  /// A store whose latest now is `start`.
  explicit owning(instant start, slot_options options = {}) : slots_(options), hooks_(start) {}

  owning(const owning&) = delete;
  owning& operator=(const owning&) = delete;
  /// Destroys the values of all timers.
  ~owning() { clear(); }

  /// As the store of hooks does. Strong guarantee: std::bad_alloc and std::length_error leave `value` as it
  /// was.
  handle schedule(instant deadline, Value&& value) {
    const std::uint32_t slot = slots_.insert(std::move(value));
    tag& t = slots_.tag(slot);
    t.slot = slot;
    hooks_.schedule(t, deadline);
    return slots_.name(slot);
  }

  /// Takes the timer back: its value, or nothing if `h` is refused (T5).
  std::optional<Value> cancel(handle h) noexcept {
    const std::uint32_t slot = slots_.find(h);
    if (slot == slots_.none) return std::nullopt;
    hooks_.cancel(slots_.tag(slot));
    return slots_.erase(slot);
  }

  /// Moves the timer, keeping its handle and value. False if `h` is refused.
  bool reschedule(handle h, instant deadline) noexcept {
    const std::uint32_t slot = slots_.find(h);
    return slot != slots_.none && hooks_.reschedule(slots_.tag(slot), deadline);
  }

  /// As the store of hooks does.
  template <sink_for<Value> Sink>
  poll_result poll(instant now, std::size_t budget, Sink&& sink) {
    return hooks_.poll(now, budget, [&](typename hook_store::hook_type& due) {
      tag& t = static_cast<tag&>(due);
      const handle name = slots_.name(t.slot);
      const instant deadline = t.deadline();
      sink(name, deadline, slots_.erase(t.slot));
    });
  }

  /// The same without a budget.
  template <sink_for<Value> Sink>
  poll_result poll(instant now, Sink&& sink) {
    return poll(now, unlimited, std::forward<Sink>(sink));
  }

  /// As the store of hooks.
  [[nodiscard]] instant next_wakeup() const noexcept { return hooks_.next_wakeup(); }
  [[nodiscard]] duration lateness_bound(duration ahead) const noexcept {
    return hooks_.lateness_bound(ahead);
  }
  /// As the store of hooks.
  [[nodiscard]] instant now() const noexcept { return hooks_.now(); }
  [[nodiscard]] std::size_t size() const noexcept { return hooks_.size(); }
  /// Slots that ran out of generations (T5).
  [[nodiscard]] std::size_t retired() const noexcept { return slots_.retired(); }
  /// Until `n` timers are armed at once, schedule() neither allocates nor throws (T9). May throw
  /// std::bad_alloc.
  void reserve(std::size_t n) { slots_.reserve(n); }

  /// Destroys every timer armed before the call. A value whose destructor arms a timer leaves that one armed.
  void clear() {
    hooks_.clear();
    for (std::uint32_t slot = 0; slot < slots_.made(); ++slot) {
      if (slots_.is_taken(slot) && !slots_.tag(slot).is_armed()) static_cast<void>(slots_.erase(slot));
    }
  }

  /// The store of hooks, for looking at.
  [[nodiscard]] const hook_store& hooks() const noexcept { return hooks_; }

  /// What does not hold of slots and hooks; empty when all does. Looks at all of them.
  [[nodiscard]] std::string violated_invariant() const {
    std::string text = hooks_.violated_invariant();
    return text.empty() ? slots_.violated_invariant() : text;
  }

#if PINION_CHECKED
  /// Hooks and buckets visited since the store was made.
  [[nodiscard]] std::uint64_t work() const noexcept { return hooks_.work(); }
#endif
#if PINION_COUNTED
  /// What it has done since it was made.
  [[nodiscard]] const store_statistics& statistics() const noexcept { return hooks_.statistics(); }
#endif

 private:
  slot_map<Value, tag> slots_;
  hook_store hooks_;
};

template <class Hook>
using any_bitmap_wheel = bitmap_wheel;
/// bitmap_wheel itself, of its own entries.
template <class Value>
using owning_bitmap_wheel = owning<Value, any_bitmap_wheel, bitmap_wheel::entry>;
template <class Value>
using owning_deferred_hook_wheel = owning<Value, deferred_hook_wheel>;

}  // namespace pinion::timer::testing
