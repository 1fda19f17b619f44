// SPDX-License-Identifier: Apache-2.0
//
// two_level_wheel: a fine ring and a coarse one, the coarse one emptied into the fine one as time gets there.
//
// Level 0 has 1,024 slots of 2^20 ns (1.05 ms), level 1 has 1,024 slots of 2^30 ns (1.07 s). The level is
// chosen as a timer is armed, by its distance from now; a slot of level 1 is placed anew, into level 0, as it
// begins. Every timer is late by at most one tick of level 0. Beyond 18 minutes a timer waits in the furthest
// slot of level 1 and is placed anew from there, once each 18 minutes. Pick it for timeouts of a second to
// some minutes whose memory must be known.
//
//   two_level_wheel<task> timers{monotonic_clock::now()};
//   handle h = timers.schedule(now + ceil(30s), task{});
//
// Memory: sizeof is 4 KiB at most, and an empty wheel holds 32 KiB of slots, 16 bytes each. A timer takes a
// slot of the slab, 16 bytes and the value, and 8.6 bytes of entries; both come in steps of 1,024. The slots'
// part-filled chunks take up to 128 KiB more.
//
// One owner at a time; no member may be called by another thread meanwhile, not even a const one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <pinion/timer/wheel/overlapping_levels.hpp>
#include <pinion/timer/wheel/slab_wheel.hpp>

namespace pinion::timer {

/// A handle as 2 bits of level, 30 of generation and 32 of slot, for programs that keep ids in that layout.
/// The level is where the timer was when the id was made, a hint for people: it moves.
struct two_level_id {
  std::uint8_t level = 0;
  std::uint32_t generation = 0;
  std::uint32_t slot = 0;

  /// The parts of an id.
  [[nodiscard]] static constexpr two_level_id decode(std::uint64_t id) noexcept {
    return {static_cast<std::uint8_t>(id >> 62), static_cast<std::uint32_t>(id >> 32) & generation_mask,
            static_cast<std::uint32_t>(id)};
  }
  /// The id of 64 bits.
  [[nodiscard]] constexpr std::uint64_t encode() const noexcept {
    return (std::uint64_t{level} << 62) | (std::uint64_t{generation & generation_mask} << 32) | slot;
  }
  friend constexpr bool operator==(two_level_id, two_level_id) noexcept = default;

  /// The bits of a generation.
  static constexpr std::uint32_t generation_mask = (std::uint32_t{1} << 30) - 1;
};

inline namespace PINION_MODE {

template <class Value>
class two_level_wheel : public slab_wheel<Value, overlapping_levels> {
  using wheel = slab_wheel<Value, overlapping_levels>;

 public:
  /// What the store declares of itself.
  static constexpr store_traits traits = [] {
    store_traits t = wheel::traits;
    t.range = duration{std::uint64_t{1} << 40};
    return t;
  }();

  /// A store whose latest now is `start`. Generations have at most the 30 bits that an id has room for.
  explicit two_level_wheel(instant start, slot_options options = {})
      : wheel(start, {options.seed, std::min(options.generation_bits, 30U), options.slots_max},
              overlapping_levels{
                  {.shifts = {20, 30, 30}, .level_count = 2, .slots = 1024, .stationary = false}}) {}

  /// How many timers are on a level, 0 or 1. Those due already, and at `never`, are on none. Looks at its
  /// 1,024 slots.
  [[nodiscard]] std::size_t timers_on(std::size_t level) const noexcept {
    return this->timers_in_level(level);
  }

  /// The id of a timer that is armed here, or 0.
  [[nodiscard]] std::uint64_t id_of(handle h) const noexcept {
    if (!this->is_armed(h)) return 0;
    return two_level_id{static_cast<std::uint8_t>(this->level_of(h)),
                        static_cast<std::uint32_t>(h.bits() >> 32), static_cast<std::uint32_t>(h.bits())}
        .encode();
  }
  /// The handle in an id, to be used or refused as any handle.
  [[nodiscard]] static handle handle_of(std::uint64_t id) noexcept {
    const two_level_id parts = two_level_id::decode(id);
    return handle::from_bits((std::uint64_t{parts.generation} << 32) | parts.slot);
  }
};

}  // namespace PINION_MODE
}  // namespace pinion::timer
