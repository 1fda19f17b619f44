// SPDX-License-Identifier: Apache-2.0
//
// stationary_id: the 64-bit id that stationary_wheel's handles can be kept as.
//
// 2 bits of level, 22 of generation, 12 of spoke and 28 of slot, from the top. Generation and slot name the
// timer; level and spoke are where it was when the id was made, for people to read, and nobody believes them:
// a timer may be elsewhere by now.
//
//   stationary_wheel<task> timers{monotonic_clock::now()};
//   const std::uint64_t id = timers.id_of(timers.schedule(now + ceil(1h), task{}));
//   const unsigned ring = stationary_id::decode(id).level;
//   timers.cancel(timers.handle_of(id));
#pragma once

#include <cstdint>
#include <pinion/timer/handle.hpp>

namespace pinion::timer {

/// The parts of an id.
struct stationary_id {
  std::uint8_t level = 0;  ///< 0 to 2; 3 for a timer on none: due already, or at `never`
  std::uint32_t generation = 0;
  std::uint16_t spoke = 0;
  std::uint32_t slot = 0;

  /// How many generations and slots an id can tell apart.
  static constexpr unsigned generation_bits = 22;
  static constexpr std::uint32_t slots_max = std::uint32_t{1} << 28;

  /// The parts of an id. Any 64 bits are one.
  [[nodiscard]] static constexpr stationary_id decode(std::uint64_t id) noexcept {
    return {static_cast<std::uint8_t>(id >> 62), static_cast<std::uint32_t>(id >> 40) & 0x3f'ffff,
            static_cast<std::uint16_t>(id >> 28 & 0xfff), static_cast<std::uint32_t>(id) & 0xfff'ffff};
  }

  /// The id of 64 bits. Parts that are too large are cut.
  [[nodiscard]] constexpr std::uint64_t encode() const noexcept {
    return (std::uint64_t{level} << 62) | (std::uint64_t{generation & 0x3f'ffff} << 40) |
           (std::uint64_t{spoke & 0xfffU} << 28) | (slot & 0xfff'ffff);
  }

  /// The handle that generation and slot make, to be used or refused as any handle.
  [[nodiscard]] constexpr handle name() const noexcept {
    return handle::from_bits((std::uint64_t{generation} << 32) | slot);
  }

  friend constexpr bool operator==(stationary_id, stationary_id) noexcept = default;
};

}  // namespace pinion::timer
