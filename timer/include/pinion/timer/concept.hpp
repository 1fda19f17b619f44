// SPDX-License-Identifier: Apache-2.0
//
// timer_store: all that an executor may rely on in a keeper of timers.
//
// A store keeps values, each until its deadline, and hands the due ones to a sink when it is polled. It has
// no clock and no thread: it knows the time that poll() last told it. One owner at a time calls it.
//
//   ordered_map<task> store{monotonic_clock::now()};
//   handle h = store.schedule(now + ceil(30s), task{});          // arm
//   store.reschedule(h, now + ceil(60s));                        // push on, same handle
//   instant next = store.next_wakeup();                          // sleep until then
//   store.poll(now, 64, [](handle, instant, task&& due) { due.run(); });
//   std::optional<task> back = store.cancel(h);                  // take back
//
// The syntax is the concepts at the end. What syntax cannot say is the laws; tests name the law they prove.
//
// T1  Never early. A timer fires only from poll(now) with deadline <= now. Ticks round deadlines up and now
//     down.
// T2  Never lost, never twice. Each scheduled timer is fired once, handed back by one successful cancel,
//     destroyed by clear() or the destructor, or still counted by size(): through slow pollers, budgets,
//     jumps of the clock and whatever the store does inside. A sink that throws has fired that one timer;
//     every other due one stays counted, next_wakeup() is at most now, and the next poll fires it. Values
//     are nothrow-movable.
// T3  Bounded lateness. Placement fixes a due time, deadline <= due <= deadline + lateness_bound(distance at
//     arm). After an unlimited poll(now) nothing that was armed before it and has deadline + bound <= now is
//     left.
// T4  Honest next wakeup. next_wakeup() is at most the earliest due, and at most the last now while `more`.
//     An unlimited poll at that time fires, moves or discards at least one entry, so sleeping on it never
//     spins. A store that holds nothing, or only timers at `never`, answers `never`.
// T5  Safe handles. A handle whose timer fired, was cancelled or cleared, or whose slot was used again, is
//     refused for ever; reschedule() keeps it; a slot whose generation would wrap is retired. Generations
//     start from a seeded hash of the slot, so that a handle which is forged, or another store's, is refused
//     but for one in 2^32.
// T6  Bounded poll. `budget` counts entries fired, moved, discarded or compacted; 0 does nothing, not even
//     move the clock; the next poll resumes exactly there. What is armed already due between two budgeted
//     polls comes after the backlog.
// T7  Re-entrancy. The sink may schedule, cancel, reschedule and clear. What it schedules never fires in the
//     same poll. A due timer that an earlier callback of the same poll cancelled or rescheduled does not
//     run. A nested poll, or destroying the store inside a sink, is a violation in a checked build.
// T8  Cost. schedule, cancel and reschedule touch as many words at n timers as at 16 n, and a jump of any
//     length costs the levels plus what is due, where traits.cost says constant; a store that can't declares
//     what it can.
// T9  No steady-state allocation. After reserve(n), or after n timers were live at once, n timers are armed
//     without allocating and without throwing. Replacing a retired slot is exempt, and counted.
// T10 Any epoch. Time may start anywhere, stand still, or go back (it is clamped to the latest). Deadlines
//     beyond a store's range stay exact. Only arithmetic saturates: a timer at `never` is counted and does
//     not fire, and poll(never) fires all others.
// T11 Order. As traits.order declares, within one poll (T6's newcomers apart).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <pinion/base/time.hpp>
#include <pinion/timer/handle.hpp>
#include <type_traits>
#include <utility>

namespace pinion::timer {

/// In which order one poll fires what is due (T11).
enum class firing_order : std::uint8_t {
  none,         ///< any
  by_tick,      ///< a before b if a's deadline plus its lateness bound is at most b's deadline
  by_deadline,  ///< by deadline, equal ones by arming; reschedule() arms anew
};

/// How the cost of an operation grows with the number of timers (T8).
enum class growth : std::uint8_t { constant, logarithmic, linear };

/// When a store allocates (T9).
enum class allocation : std::uint8_t {
  never,           ///< entries are the caller's
  beyond_reserve,  ///< only for more timers at once than were ever reserved or live
  always,          ///< may allocate for each timer
};

/// What a store declares of itself. The conformance suite tests what is declared.
struct store_traits {
  firing_order order;
  growth cost;         ///< of schedule, cancel and reschedule
  growth next_wakeup;  ///< of next_wakeup()
  allocation allocates;
  duration range;  ///< up to here ahead a timer is placed once; beyond, it is re-placed on the way
};

/// What one poll did.
struct poll_result {
  std::size_t fired = 0;  ///< timers handed to the sink
  std::size_t moved = 0;  ///< entries re-placed, discarded or compacted on the way
  bool more = false;      ///< timers armed before this poll are still due: poll again at the same time
};

/// A budget that is never exhausted.
inline constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// What poll() hands due timers to: the handle, which is refused from then on; the deadline that the timer
/// was last armed for, not the later time at which it fires; and the value, the sink's to move from,
/// destroyed when the sink returns.
template <class Sink, class Value> concept sink_for = std::invocable<Sink&, handle, instant, Value&&>;

namespace concept_detail {
template <class Value>
struct any_sink {
  void operator()(handle, instant, Value&&) const;
};
struct any_hook_sink {
  template <class Hook>
  void operator()(Hook&) const;
};
}  // namespace concept_detail

/// What stores of both kinds have: of values, and of hooks in the caller's own objects.
template <class Store>
concept store_core =
    std::constructible_from<Store, instant> && requires(Store& store, const Store& view, duration d) {
      { Store::traits } -> std::convertible_to<store_traits>;
      { view.lateness_bound(d) } noexcept -> std::same_as<duration>;  // of a timer armed d ahead
      { view.next_wakeup() } noexcept -> std::same_as<instant>;
      { view.size() } noexcept -> std::same_as<std::size_t>;
      store.clear();
    };

/// A store that owns a value for each timer and names it by a handle.
template <class Store>
concept timer_store = store_core<Store> && std::is_nothrow_move_constructible_v<typename Store::value_type> &&
                      requires(Store& store, handle h, instant t, typename Store::value_type value,
                               std::size_t n, concept_detail::any_sink<typename Store::value_type> sink) {
                        { store.schedule(t, std::move(value)) } -> std::same_as<handle>;
                        {
                          store.cancel(h)
                        } noexcept -> std::same_as<std::optional<typename Store::value_type>>;
                        { store.reschedule(h, t) } -> std::same_as<bool>;
                        { store.poll(t, n, sink) } -> std::same_as<poll_result>;
                        store.reserve(n);
                      };

/// A store of hooks: objects of the caller's, which it links and never owns, so arming can't fail and there
/// is nothing to name. A hook knows whether it is armed, and its destructor cancels it.
template <class Store>
concept intrusive_timer_store =
    store_core<Store> && requires(Store& store, typename Store::hook_type& hook, instant t, std::size_t n,
                                  concept_detail::any_hook_sink sink) {
      { store.schedule(hook, t) } noexcept -> std::same_as<void>;
      { store.cancel(hook) } noexcept -> std::same_as<bool>;
      { store.reschedule(hook, t) } noexcept -> std::same_as<bool>;
      { store.poll(t, n, sink) } -> std::same_as<poll_result>;
    };

}  // namespace pinion::timer
