// SPDX-License-Identifier: Apache-2.0
//
// rings: what a stationary_wheel is made of, when it tidies them, and what it tells of them.
//
//   constexpr duration tick{1U << 20};  // 1.05 ms
//   expected<level_geometry> rings = rings_of({tick, tick * 64, tick * 4096}, 256);
//   if (!rings) return rings.error();
//   stationary_wheel<task> timers{now, worker, *rings, {.min_capacity = 256}};
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <pinion/base/error.hpp>
#include <pinion/base/time.hpp>
#include <pinion/timer/wheel/overlapping_levels.hpp>

namespace pinion::timer {

/// Three rings from their ticks and the spokes of each. errc::overflow unless the first tick is a power of
/// two and each other one a power-of-two multiple of the one before, more than once and at most `spokes`
/// times it; spokes are a power of two from 64 to 4,096; and the last ring covers at most 2^62 ns.
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

/// Three rings from a tick of any length, rounded up to a power of two: the second ring's tick is the first's
/// coverage, the third's 64 times that. errc::overflow where rings_of() would say so, and for a tick of 0.
[[nodiscard]] inline expected<level_geometry> rings_from_tick(duration tick, std::size_t spokes) noexcept {
  if (tick.ns == 0 || tick.ns > std::uint64_t{1} << 40) return unexpected<errc>{errc::overflow};
  const duration first{std::bit_ceil(tick.ns)};
  return rings_of({first, first * spokes, first * spokes * 64}, spokes);
}

/// When a spoke is rewritten to hold only its timers' entries: when it has room for at least `min_capacity`
/// entries, and for more than `ratio` times its timers. All room is in chunks of 15 entries from one pool of
/// the wheel; what a spoke gives up is any other spoke's at once, so there is no target size for one to
/// shrink to. A spoke is not rewritten where that would free no chunk.
struct compaction_config {
  std::size_t min_capacity = 64;
  std::uint32_t ratio = 4;
};

/// What one ring holds.
struct ring_statistics {
  std::size_t spokes = 0;
  std::size_t slot_capacity = 0;  ///< entries its chunks have room for
  std::size_t active = 0;         ///< timers
  double utilization = 0;         ///< active / slot_capacity; 0 of nothing is 0
};

}  // namespace pinion::timer
