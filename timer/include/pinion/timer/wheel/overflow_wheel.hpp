// SPDX-License-Identifier: Apache-2.0
//
// overflow_wheel: 256 slots of 1 ms, 64 of 256 ms, 64 of 16.4 s and 64 of 17.5 min; beyond 18.6 hours an
// ordered overflow.
//
// Timers cascade from level to level as their slots begin, within the poll's budget. The overflow is three
// more levels, so it is ordered as a tree would be, and arming and cancelling there cost what they cost
// anywhere. Every timer is late by at most a millisecond. Pick it for milliseconds that are milliseconds: its
// tick divides chrono's units, at the price of a division.
//
//   overflow_wheel<task> timers{monotonic_clock::now()};
//   handle h = timers.schedule(now + ceil(30s), task{});
//
// Memory: sizeof is 1 KiB at most, and an empty wheel holds 12 KiB of slots, 16 bytes each. A timer takes a
// slot of the slab, 16 bytes and the value, and 8.6 bytes of entries; both come in steps of 1,024. The slots'
// part-filled chunks take up to 49 KiB more.
//
// One owner at a time; no member may be called by another thread meanwhile, not even a const one.
#pragma once

#include <cstddef>
#include <pinion/timer/wheel/nested_levels.hpp>
#include <pinion/timer/wheel/slab_wheel.hpp>

namespace pinion::timer::inline PINION_MODE {

template <class Value>
class overflow_wheel : public slab_wheel<Value, nested_levels<1'000'000, 8, 6, 6, 6, 6, 6, 7>> {
  using wheel = slab_wheel<Value, nested_levels<1'000'000, 8, 6, 6, 6, 6, 6, 7>>;

 public:
  using wheel::wheel;

  /// How many timers lie beyond the four levels, more than 18.6 hours ahead or so. Looks at 256 slots.
  [[nodiscard]] std::size_t overflow_size() const noexcept {
    std::size_t count = 0;
    for (std::size_t level = 4; level < 8; ++level) count += this->timers_in_level(level);
    return count;
  }
};

}  // namespace pinion::timer::inline PINION_MODE
