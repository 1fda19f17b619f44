// SPDX-License-Identifier: Apache-2.0
//
// stationary_wheel: three overlapping rings whose timers stay where they were put until they fire.
//
// By default ticks of 2^20, 2^30 and 2^36 ns (1.05 ms, 1.07 s, 69 s) by 1,024 spokes, so a second, 18 minutes and 19.5 hours.
// A timer goes to the finest ring that reaches it and fires with that ring's tick: up to 69 s late an hour ahead, and nothing
// is ever moved for it. Pick it for long, coarse timeouts by the million. Whoever needs a long timer to the millisecond has
//
//  - schedule_best_fit(), which arms for the start of the spoke that holds the target and says so; the caller arms again
//    from there, on a finer ring, and lands on the target after at most three steps;
//  - schedule_exact(), which does that by itself.
//
// Beyond the last ring a timer waits in its furthest spoke and is placed anew from there.
//
//   stationary_wheel<task> timers{monotonic_clock::now()};
//   auto [h, wheel_deadline] = timers.schedule_best_fit(now + 168h, task{…});
//
// One owner at a time; another thread may call now_from_any_thread() and worker_id(), and nothing else.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <pinion/base/error.hpp>
#include <pinion/timer/overlapping_levels.hpp>
#include <pinion/timer/slab_wheel.hpp>
#include <utility>

namespace pinion::timer {

/// A handle as 2 bits of level, 22 of generation, 12 of spoke and 28 of slot, for who keeps ids in that layout. Level and spoke
/// are where the timer was when the id was made, hints for people.
struct stationary_id {
  std::uint8_t level = 0;
  std::uint32_t generation = 0;
  std::uint16_t spoke = 0;
  std::uint32_t slot = 0;

  /// The parts of an id.
  [[nodiscard]] static constexpr stationary_id decode(std::uint64_t id) noexcept {
    return {static_cast<std::uint8_t>(id >> 62), static_cast<std::uint32_t>(id >> 40) & 0x3f'ffff,
            static_cast<std::uint16_t>(id >> 28 & 0xfff), static_cast<std::uint32_t>(id) & 0xfff'ffff};
  }
  /// The id of 64 bits.
  [[nodiscard]] constexpr std::uint64_t encode() const noexcept {
    return (std::uint64_t{level} << 62) | (std::uint64_t{generation & 0x3f'ffff} << 40) |
           (std::uint64_t{spoke & 0xfffU} << 28) | (slot & 0xfff'ffff);
  }
  friend constexpr bool operator==(stationary_id, stationary_id) noexcept = default;
};

/// What one ring holds.
struct ring_statistics {
  std::size_t spokes = 0;
  std::size_t slot_capacity = 0;  ///< entries its chunks have room for
  std::size_t active = 0;         ///< timers
  double utilization = 0;         ///< active / slot_capacity; 0 of nothing is 0
};

/// Three rings from their ticks and the spokes of each: errc::overflow unless each tick is a power-of-two multiple of the first,
/// itself a power of two, ascending and at most the coverage of the ring before, the rings fit into 64 bits, and spokes is a power of two from 64 to 4,096.
[[nodiscard]] inline expected<level_geometry> rings_of(const std::array<duration, 3>& ticks,
                                                       std::size_t spokes) noexcept {
  const bool spokes_fit = std::has_single_bit(spokes) && spokes >= 64 && spokes <= 4096;
  bool ticks_fit = true;
  for (std::size_t k = 0; k < 3; ++k) {
    ticks_fit = ticks_fit && std::has_single_bit(ticks[k].ns) &&
                (k == 0 || (ticks[k - 1] < ticks[k] && ticks[k] <= ticks[k - 1] * spokes));
  }
  if (!spokes_fit || !ticks_fit || std::bit_width(ticks[2].ns) + std::bit_width(spokes) > 64) {
    return unexpected<errc>{errc::overflow};
  }
  const auto shift = [&](std::size_t k) { return static_cast<std::uint8_t>(std::countr_zero(ticks[k].ns)); };
  return level_geometry{{shift(0), shift(1), shift(2)}, 3, static_cast<std::uint16_t>(spokes), true};
}

/// Three rings from a tick of any length, rounded up to a power of two: the second ring's tick is the first's coverage, the third's
/// 64 times that.
[[nodiscard]] inline expected<level_geometry> rings_from_tick(duration tick, std::size_t spokes) noexcept {
  if (tick.ns == 0 || tick.ns > std::uint64_t{1} << 40 || spokes > 4096)
    return unexpected<errc>{errc::overflow};
  const std::uint64_t first = std::bit_ceil(tick.ns);
  return rings_of({duration{first}, duration{first} * spokes, duration{first} * spokes * 64}, spokes);
}

inline namespace PINION_MODE {

template <class Value>
class stationary_wheel : public slab_wheel<Value, overlapping_levels> {
  using wheel = slab_wheel<Value, overlapping_levels>;

 public:
  /// What the store declares of itself; the range is that of the default rings.
  static constexpr store_traits traits = [] {
    store_traits t = wheel::traits;
    t.range = duration{std::uint64_t{1} << 46};
    return t;
  }();

  /// A store whose latest now is `start`, for a worker, of rings_of() or rings_from_tick(). Generations have at most the 22
  /// bits that an id has room for.
  explicit stationary_wheel(instant start, slot_options options = {}, std::uint32_t worker = 0,
                            level_geometry rings = {})
      : wheel(start, {options.seed, options.generation_bits < 22 ? options.generation_bits : 22},
              overlapping_levels{rings}),
        start_(start), worker_(worker), now_(start.ns) {}

  /// A timer armed by best fit: its handle, and when the wheel will fire it.
  struct best_fit {
    handle name;
    instant wheel_deadline;
  };

  /// Arms for the last moment, at or before `target`, at which the ring that reaches `target` fires: `target` itself on the
  /// finest ring. Where wheel_deadline is before `target`, arm again when it fires.
  best_fit schedule_best_fit(instant target, Value&& value) {
    const instant at = fit(target);
    return {this->schedule(at, std::move(value)), at};
  }

  /// Arms for `target` at the finest ring's tick, however far away: the timer steps from ring to ring by itself.
  handle schedule_exact(instant target, Value&& value) { return this->arm_exact(target, std::move(value)); }

  /// As schedule(), refusing what that bends: errc::deadline_passed, errc::deadline_too_far beyond max_duration(),
  /// errc::capacity_exceeded.
  [[nodiscard]] expected<handle> try_schedule(instant deadline, Value&& value) {
    if (this->now() < deadline && max_duration() <= deadline - this->now()) {
      return unexpected<errc>{errc::deadline_too_far};
    }
    return wheel::try_schedule(deadline, std::move(value));
  }

  /// As slab_wheel's, publishing the time for other threads.
  template <sink_for<Value> Sink>
  poll_result poll(instant now, std::size_t budget, Sink&& sink) {
    if (budget != 0 && this->now() < now) now_.store(now.ns, std::memory_order_relaxed);
    return wheel::poll(now, budget, std::forward<Sink>(sink));
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

  /// Whose wheel this is. Any thread.
  [[nodiscard]] std::uint32_t worker_id() const noexcept { return worker_; }

  /// The latest time that poll() was told. Any thread. Memory ordering: relaxed; a time by itself publishes nothing.
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
    const auto b = static_cast<std::uint16_t>(this->bucket_of(h));
    return stationary_id{
        static_cast<std::uint8_t>(this->level_of(h)), static_cast<std::uint32_t>(h.bits() >> 32),
        static_cast<std::uint16_t>(this->levels().slot_of(b)), static_cast<std::uint32_t>(h.bits())}
        .encode();
  }
  /// The handle in an id, to be used or refused as any handle.
  [[nodiscard]] static handle handle_of(std::uint64_t id) noexcept {
    const stationary_id parts = stationary_id::decode(id);
    return handle::from_bits((std::uint64_t{parts.generation} << 32) | parts.slot);
  }

 private:
  [[nodiscard]] instant fit(instant target) const noexcept {
    const overlapping_levels& levels = this->levels();
    const std::size_t last = levels.geometry().level_count - 1U;
    for (std::size_t level = 0; level <= last; ++level) {
      if (target - this->now() + levels.tick_of(level) >= levels.coverage_of(level)) continue;
      if (level == 0) return target;
      const std::uint64_t tick = levels.tick_of(level).ns;
      const instant at{target.ns / tick * tick};
      // In the spoke that now is in, and just out of the finer ring's reach: as far as that one goes.
      return this->now() < at ? at : furthest_of(level - 1);
    }
    return furthest_of(last);
  }
  /// The last moment at which a ring fires.
  [[nodiscard]] instant furthest_of(std::size_t level) const noexcept {
    const std::uint64_t tick = this->levels().tick_of(level).ns;
    return instant{(this->now() + this->levels().coverage_of(level)).ns / tick * tick - tick};
  }

  instant start_;
  std::uint32_t worker_;
  std::atomic<std::uint64_t> now_;
};

}  // namespace PINION_MODE
}  // namespace pinion::timer
