// SPDX-License-Identifier: Apache-2.0
//
// stationary_wheel: three overlapping rings whose timers stay where they were put until they fire.
//
// By default ticks of 2^20, 2^30 and 2^36 ns (1.05 ms, 1.07 s, 69 s) by 1,024 spokes, so a second, 18 minutes
// and 19.5 hours. A timer goes to the finest ring that reaches it and fires with that ring's tick: up to 69 s
// late an hour ahead, and nothing is ever moved for it. Pick it for long, coarse timeouts by the million. For
// a long timer to the millisecond there are
//
//  - schedule_best_fit(), which arms for the start of the spoke that holds the target and says so; the caller
//    arms again from there, on a finer ring, and lands on the target in three steps, one for each ring; in
//    one more where the target is among the last ticks of a spoke, which the finer ring does not reach from
//    that spoke's start;
//  - schedule_exact(), which does that by itself.
//
// Beyond the last ring a timer waits in its furthest spoke and is placed anew from there.
//
//   stationary_wheel<task> timers{monotonic_clock::now()};
//   auto [h, wheel_deadline] = timers.schedule_best_fit(now + ceil(168h), task{});
//
// A spoke that is served is empty and gives all its chunks back; one whose timers are cancelled keeps their
// entries. When too few timers are left in it (compaction_config), the next poll rewrites it, after firing
// what is due and within its budget.
//
// schedule(), cancel() and reschedule() take whatever they are given. The try_ forms refuse, and tell why:
//
//   errc                | from            | when
//   deadline_passed     | try_schedule()  | the deadline is at or before the latest now
//   deadline_too_far    | try_schedule()  | it is max_duration() ahead or more
//   overflow            | try_schedule()  | it is `never`, which is what a sum that left 64 bits saturates to
//   capacity_exceeded   | try_schedule()  | 2^28 slots, or slot_options::slots_max, are taken or retired
//   invalid_handle      | try_cancel()    | this wheel never had such a slot, or the handle names none
//   not_found           | try_cancel()    | the timer has fired, was cancelled or cleared, or never was
//   overflow            | rings_of(), rings_from_tick() | no such rings
//
// Memory: sizeof is 6 KiB at most, and an empty wheel holds 60 KiB of spokes, 20 bytes each. A timer takes a
// slot, 16 bytes and the value, and 8.6 bytes of entries; both come in steps of 1,024. The spokes'
// part-filled chunks take up to 192 KiB more.
//
// One owner at a time; another thread may call now_from_any_thread() and worker_id(), and nothing else.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <pinion/base/error.hpp>
#include <pinion/timer/wheel/overlapping_levels.hpp>
#include <pinion/timer/wheel/slab_wheel.hpp>
#include <pinion/timer/wheel/stationary_id.hpp>     // IWYU pragma: export
#include <pinion/timer/wheel/stationary_rings.hpp>  // IWYU pragma: export
#include <utility>

namespace pinion::timer::inline PINION_MODE {

template <class Value>
class stationary_wheel : public slab_wheel<Value, overlapping_levels> {
  using wheel = slab_wheel<Value, overlapping_levels>;

 public:
  /// What the store declares of itself; the range is that of the default rings.
  static constexpr store_traits traits = [] {
    store_traits t = wheel::traits;
    // A poll takes the spokes that are overdue in the order of their times; one that was pushed on fires with
    // its old spoke.
    t.order = firing_order::none;
    t.range = duration{std::uint64_t{1} << 46};
    return t;
  }();

  /// A store whose latest now is `start`, of the default rings, for worker 0. Slots and generations are at
  /// most as many as an id has room for. May throw std::bad_alloc.
  explicit stationary_wheel(instant start, slot_options options = {})
      : stationary_wheel(start, 0, level_geometry{}, compaction_config{}, options) {}

  /// As above, for a worker, and of rings from rings_of() or rings_from_tick().
  stationary_wheel(instant start, std::uint32_t worker, level_geometry rings = {},
                   compaction_config compaction = {}, slot_options options = {})
      : wheel(start, that_fit_ids(options), overlapping_levels{rings}), start_(start), worker_(worker),
        compaction_(compaction), now_(start.ns) {}

  /// A timer armed by best fit: its handle, and when the wheel will fire it.
  struct best_fit {
    handle name;
    instant wheel_deadline;
  };

  /// Arms for the last moment, at or before `target`, at which the ring that reaches `target` fires: `target`
  /// itself on the finest ring, and `never`. Where wheel_deadline is before `target`, arm again when it
  /// fires. Throws as schedule() does.
  best_fit schedule_best_fit(instant target, Value&& value) {
    const instant at = fit(target);
    return {this->schedule(at, std::move(value)), at};
  }

  /// Arms for `target` at the finest ring's tick, however far away: the timer steps from ring to ring by
  /// itself. Throws as schedule() does.
  handle schedule_exact(instant target, Value&& value) { return this->arm_exact(target, std::move(value)); }

  /// As schedule(), refusing what that bends, for the reasons above. `value` is moved from only on success.
  /// May throw std::bad_alloc.
  [[nodiscard]] expected<handle> try_schedule(instant deadline, Value&& value) {
    if (deadline == never) return unexpected<errc>{errc::overflow};
    if (max_duration() <= deadline - this->now()) return unexpected<errc>{errc::deadline_too_far};
    return wheel::try_schedule(deadline, std::move(value));
  }

  /// As slab_wheel's, remembering the spoke if too few timers are left in it.
  std::optional<Value> cancel(handle h) noexcept {
    const std::size_t spoke = this->bucket_of(h);
    std::optional<Value> value = wheel::cancel(h);
    note(spoke);
    return value;
  }
  [[nodiscard]] expected<Value> try_cancel(handle h) noexcept {
    const std::size_t spoke = this->bucket_of(h);
    expected<Value> value = wheel::try_cancel(h);
    note(spoke);
    return value;
  }
  bool reschedule(handle h, instant deadline) noexcept {
    const std::size_t spoke = this->bucket_of(h);
    const bool is_armed = wheel::reschedule(h, deadline);
    note(spoke);
    return is_armed;
  }

  /// As slab_wheel's, publishing the time for other threads, and rewriting sparse spokes with what the budget
  /// has left; at least 15 are needed for that. Entries looked at are counted as moved.
  template <sink_for<Value> Sink>
  poll_result poll(instant now, std::size_t budget, Sink&& sink) {
    if (budget != 0 && this->now() < now) now_.store(now.ns, std::memory_order_relaxed);
    poll_result result = wheel::poll(now, budget, std::forward<Sink>(sink));
    result.moved += compact_sparse(budget - result.fired - result.moved);
    return result;
  }
  template <sink_for<Value> Sink>
  poll_result poll(instant now, Sink&& sink) {
    return poll(now, unlimited, std::forward<Sink>(sink));
  }

  /// When the store was started.
  [[nodiscard]] instant start_time() const noexcept { return start_; }

  /// How far ahead a timer is placed once: what the coarsest ring covers.
  [[nodiscard]] duration max_duration() const noexcept {
    return coverage(this->levels().geometry().level_count - 1U);
  }

  /// How far a ring reaches: 0 is the finest.
  [[nodiscard]] duration coverage(std::size_t level) const noexcept {
    return this->levels().coverage_of(level);
  }

  /// When spokes are rewritten.
  [[nodiscard]] compaction_config compaction() const noexcept { return compaction_; }

  /// Whose wheel this is. Any thread.
  [[nodiscard]] std::uint32_t worker_id() const noexcept { return worker_; }

  /// The latest time that poll() was told. Any thread. Memory ordering: relaxed; a time by itself publishes
  /// nothing.
  [[nodiscard]] instant now_from_any_thread() const noexcept {
    return instant{now_.load(std::memory_order_relaxed)};
  }

  /// What each ring holds. Looks at each spoke.
  [[nodiscard]] std::array<ring_statistics, 3> memory_stats() const noexcept {
    std::array<ring_statistics, 3> all{};
    for (std::size_t level = 0; level < 3; ++level) {
      ring_statistics& ring = all[level];
      ring.spokes = this->levels().geometry().slots;
      ring.active = this->timers_in_level(level);
      ring.slot_capacity = this->capacity_in_level(level);
      if (ring.slot_capacity != 0) {
        ring.utilization = static_cast<double>(ring.active) / static_cast<double>(ring.slot_capacity);
      }
    }
    return all;
  }

  /// The id of a timer that is armed here, or 0.
  [[nodiscard]] std::uint64_t id_of(handle h) const noexcept {
    if (!this->is_armed(h)) return 0;
    return stationary_id{static_cast<std::uint8_t>(this->level_of(h)),
                         static_cast<std::uint32_t>(h.bits() >> 32),
                         static_cast<std::uint16_t>(this->levels().slot_of(this->bucket_of(h))),
                         static_cast<std::uint32_t>(h.bits())}
        .encode();
  }
  /// The handle in an id, to be used or refused as any handle.
  [[nodiscard]] static handle handle_of(std::uint64_t id) noexcept {
    return stationary_id::decode(id).name();
  }

 private:
  static slot_options that_fit_ids(slot_options options) noexcept {
    options.generation_bits = std::min(options.generation_bits, stationary_id::generation_bits);
    options.slots_max = std::min(options.slots_max, stationary_id::slots_max);
    return options;
  }

  // As overlapping_levels places, to the tick: a ring reaches as many spokes from the hand's as it has, but
  // for one.
  [[nodiscard]] instant fit(instant target) const noexcept {
    if (target <= this->now() || target == never) return target;
    const overlapping_levels& levels = this->levels();
    if (reaches(0, target.ns / levels.tick_of(0).ns + (target.ns % levels.tick_of(0).ns != 0 ? 1 : 0))) {
      return target;
    }
    for (std::size_t level = 1; level < levels.geometry().level_count; ++level) {
      const std::uint64_t tick = levels.tick_of(level).ns;
      if (!reaches(level, target.ns / tick)) continue;
      const instant at{target.ns / tick * tick};
      // In the spoke that now is in, and just out of the finer ring's reach: as far as that one goes.
      return this->now() < at ? at : furthest_of(level - 1);
    }
    return furthest_of(levels.geometry().level_count - 1U);
  }
  [[nodiscard]] bool reaches(std::size_t level, std::uint64_t spoke) const noexcept {
    return spoke - spoke_of_hand(level) < this->levels().geometry().slots;
  }
  /// The last moment at which a ring fires that does not reach some later one, so it fits into 64 bits.
  [[nodiscard]] instant furthest_of(std::size_t level) const noexcept {
    return instant{(spoke_of_hand(level) + this->levels().geometry().slots - 1) *
                   this->levels().tick_of(level).ns};
  }
  [[nodiscard]] std::uint64_t spoke_of_hand(std::size_t level) const noexcept {
    const overlapping_levels& levels = this->levels();
    return levels.begin_of(levels.hand()).ns / levels.tick_of(level).ns;
  }

  [[nodiscard]] bool is_sparse(std::size_t spoke) const noexcept {
    const std::size_t room = this->room_in_bucket(spoke);
    const std::size_t active = this->timers_in_bucket(spoke);
    return room >= compaction_.min_capacity && room > active * compaction_.ratio &&
           room >= active + chunk_chains::chunk_size;
  }
  void note(std::size_t spoke) noexcept {
    if (spoke < this->levels().bucket_count() && is_sparse(spoke)) [[unlikely]]
      sparse_.set(spoke);
  }
  std::size_t compact_sparse(std::size_t budget) noexcept {
    const std::size_t before = budget;
    const std::size_t end = this->levels().bucket_count();
    for (std::size_t spoke = sparse_.first(); spoke < end; spoke = sparse_.first()) {
      const bool is_wanted = is_sparse(spoke) || this->is_compacting(spoke);
      if (is_wanted && !this->compact_bucket(spoke, budget)) break;
      sparse_.clear(spoke);
    }
    return before - budget;
  }

  instant start_;
  std::uint32_t worker_;
  compaction_config compaction_;
  overlapping_levels::occupancy_type sparse_;  // spokes that were, and may still be, worth rewriting
  std::atomic<std::uint64_t> now_;
};

}  // namespace pinion::timer::inline PINION_MODE
