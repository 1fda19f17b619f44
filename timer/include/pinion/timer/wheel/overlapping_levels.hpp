// SPDX-License-Identifier: Apache-2.0
//
// overlapping_levels: the arithmetic of a wheel whose levels each reach from now to a horizon of their own.
//
// A deadline belongs to the finest level that reaches it: where it lies fewer slots ahead of the hand than
// there are slots, counted on that level's own grid. Levels go round, so the next occupied slot is looked for
// in a circle from the hand's on. A level is one of two kinds:
//
//  - stationary: a slot is served when its last moment has come, and its timers fire then, late by at most
//    that level's tick. No timer moves by itself;
//  - cascading: a slot is served when it begins, and its timers are placed anew, lower down. Level 0 fires
//    them.
//
// Beyond the last horizon a timer goes to the furthest slot, and is placed anew from there.
//
// The geometry is a value, so it can be chosen at run time: log2 of each level's tick in nanoseconds, and the
// slots.
//
//   overlapping_levels levels{{.shifts = {20, 30, 36}, .level_count = 3, .slots = 1024, .stationary = true}};
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <pinion/base/time.hpp>
#include <pinion/timer/detail/occupancy.hpp>

namespace pinion::timer {

/// What overlapping levels look like.
struct level_geometry {
  std::array<std::uint8_t, 3> shifts{20, 30, 36};  ///< log2 of the ticks, ascending
  std::uint8_t level_count = 3;
  std::uint16_t slots = 1024;  ///< of each level: a power of two, 64 to 4096
  bool stationary = true;
  friend bool operator==(const level_geometry&, const level_geometry&) = default;
};

class overlapping_levels {
 public:
  /// Whether a timer can ask to be placed as place()'s `exact` says.
  static constexpr bool has_exact_timers = true;

  /// Bits for all buckets of the largest geometry.
  using occupancy_type = occupancy<std::size_t{3} * 4096>;

  /// Levels of a geometry, which must be one that rings_of() would make, or have fewer levels.
  explicit overlapping_levels(level_geometry geometry = {}) noexcept
      : geometry_(geometry), mask_(geometry.slots - 1U) {}

  /// Puts the hand to `now`, before anything was placed.
  void start(instant now) noexcept { hand_ = tick_at_or_before(now); }

  /// The last tick, of level 0, that was served.
  [[nodiscard]] std::uint64_t hand() const noexcept { return hand_; }
  /// Puts the hand forward. No occupied bucket may lie between.
  void turn_to(std::uint64_t tick) noexcept { hand_ = tick; }

  /// What it was made of.
  [[nodiscard]] const level_geometry& geometry() const noexcept { return geometry_; }
  /// Buckets of all levels, numbered level by level.
  [[nodiscard]] std::size_t bucket_count() const noexcept {
    return std::size_t{geometry_.level_count} * geometry_.slots;
  }
  /// The level that a bucket is on; as many as there are levels for bucket_count(), which is no bucket.
  [[nodiscard]] std::size_t level_of(std::size_t bucket) const noexcept { return bucket / geometry_.slots; }
  /// Which of its level's slots a bucket is.
  [[nodiscard]] std::size_t slot_of(std::size_t bucket) const noexcept { return bucket & mask_; }

  /// The tick of a level.
  [[nodiscard]] duration tick_of(std::size_t level) const noexcept {
    return duration{std::uint64_t{1} << geometry_.shifts[level]};
  }
  /// How far a level reaches: a deadline nearer than this is placed on it, or on a finer one.
  [[nodiscard]] duration coverage_of(std::size_t level) const noexcept {
    return tick_of(level) * geometry_.slots;
  }

  /// A time in ticks of level 0, rounded down: for now.
  [[nodiscard]] std::uint64_t tick_at_or_before(instant t) const noexcept {
    return t.ns >> geometry_.shifts[0];
  }
  /// A time in ticks of level 0, rounded up: for deadlines.
  [[nodiscard]] std::uint64_t tick_at_or_after(instant t) const noexcept {
    return up(t.ns, geometry_.shifts[0]);
  }
  /// The last tick of level 0 that begins before `never`.
  [[nodiscard]] std::uint64_t last_tick() const noexcept { return tick_at_or_before(never); }
  /// When a tick of level 0 begins.
  [[nodiscard]] instant begin_of(std::uint64_t tick) const noexcept {
    return instant{tick << geometry_.shifts[0]};
  }

  /// Whether a bucket ahead of the hand is served in time for a timer due at a tick.
  [[nodiscard]] bool serves(std::uint16_t bucket, std::uint64_t due) const noexcept {
    return tick_of_bucket(bucket) <= due;
  }

  /// Whether buckets that are overdue are to be gathered as a poll begins. On stationary levels they are: a
  /// timer placed while the hand is behind would end on a coarser level than its distance from now allows.
  [[nodiscard]] bool gathers() const noexcept { return geometry_.stationary; }

  /// Where stationary levels fire at their own ticks, the tick of the level that reaches so far wherever in
  /// its slot the hand is; else that of level 0.
  [[nodiscard]] duration lateness_bound(duration ahead) const noexcept {
    if (!geometry_.stationary) return tick_of(0);
    for (std::size_t level = 0; level + 1 < geometry_.level_count; ++level) {
      // A deadline's slot is rounded up, and the hand's down: up to two more than fit into the distance.
      if (ahead + tick_of(level) * 2 <= coverage_of(level)) return tick_of(level);
    }
    return tick_of(geometry_.level_count - 1U);
  }

  /// Where a timer due at a tick after the hand belongs. An exact one goes to the slot that holds it on a
  /// stationary level too, and is placed anew from there.
  [[nodiscard]] std::uint16_t place(std::uint64_t due, bool exact) const noexcept {
    for (std::size_t level = 0; level < geometry_.level_count; ++level) {
      const unsigned shift = shift_of(level);
      const std::uint64_t slot = geometry_.stationary && !exact ? up(due, shift) : due >> shift;
      if (slot - (hand_ >> shift) <= mask_) return bucket_at(level, slot);
    }
    const std::size_t last = geometry_.level_count - 1U;
    return bucket_at(last, (hand_ >> shift_of(last)) + mask_);
  }

  /// What the hand comes to next.
  struct event {
    std::uint64_t tick;    ///< when the hand gets there
    std::uint16_t bucket;  ///< what is to be served then
  };
  /// The earliest occupied bucket, the coarser one of two; tick is past last_tick() when there is none.
  [[nodiscard]] event next(const occupancy_type& occupied) const noexcept {
    event earliest{~std::uint64_t{0}, 0};
    for (std::size_t level = 0; level < geometry_.level_count; ++level) {
      const std::size_t begin = level * geometry_.slots;
      const std::size_t end = begin + geometry_.slots;
      const std::uint64_t now = hand_ >> shift_of(level);
      std::size_t found = occupied.first_from(begin + (now & mask_));
      if (found >= end) found = occupied.first_from(begin);
      if (found >= end) continue;
      const std::uint64_t tick = tick_of_bucket(static_cast<std::uint16_t>(found));
      if (tick <= earliest.tick) earliest = {tick, static_cast<std::uint16_t>(found)};
    }
    return earliest;
  }

  /// How many levels next() looks at.
  [[nodiscard]] std::size_t searched() const noexcept { return geometry_.level_count; }

  /// Whether a timer found in a bucket as the hand got there is to fire, and not to be placed anew.
  [[nodiscard]] bool is_due(instant deadline, std::uint16_t) const noexcept {
    return tick_at_or_after(deadline) <= hand_;
  }

 private:
  static std::uint64_t up(std::uint64_t value, unsigned shift) noexcept {
    return (value >> shift) + ((value & ((std::uint64_t{1} << shift) - 1)) != 0 ? 1 : 0);
  }
  /// log2 of a level's tick in ticks of level 0.
  [[nodiscard]] unsigned shift_of(std::size_t level) const noexcept {
    return static_cast<unsigned>(geometry_.shifts[level] - geometry_.shifts[0]);
  }
  /// When the hand gets to a bucket; a coarse slot that would end after the last tick is served at it.
  [[nodiscard]] std::uint64_t tick_of_bucket(std::uint16_t bucket) const noexcept {
    const unsigned shift = shift_of(level_of(bucket));
    const std::uint64_t now = hand_ >> shift;
    const std::uint64_t tick = (now + ((slot_of(bucket) - now) & mask_)) << shift;
    return tick < last_tick() ? tick : last_tick();
  }
  [[nodiscard]] std::uint16_t bucket_at(std::size_t level, std::uint64_t slot) const noexcept {
    return static_cast<std::uint16_t>(level * geometry_.slots + (slot & mask_));
  }

  level_geometry geometry_;
  std::uint64_t mask_;
  std::uint64_t hand_ = 0;
};

}  // namespace pinion::timer
