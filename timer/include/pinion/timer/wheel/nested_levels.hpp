// SPDX-License-Identifier: Apache-2.0
//
// nested_levels: the arithmetic of a wheel whose levels divide time like the digits of a number.
//
// Time is counted in ticks; the hand is the last tick that was served. A deadline belongs to the lowest level
// on which it and the hand differ, in the slot of its own digit there: an exclusive-or and a count of leading
// zeros. Such a slot always lies ahead of the hand's, so nothing wraps around. A slot of level 0 is one tick;
// when the hand reaches a slot of a higher level, what is in it is placed anew, lower down. Beyond the last
// level lies one slot that is placed anew whenever the last level has gone round.
//
//   nested_levels<std::uint64_t{1} << 20, 8, 8, 8, 8, 8, 4> levels;  // tick of 2^20 ns, bits of each level
//   levels.start(now);
//   const std::uint16_t bucket = levels.place(levels.tick_at_or_after(deadline), false);
//   occupied.set(bucket);
//   const auto next = levels.next(occupied);  // the bucket that is served next, and when
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <pinion/base/time.hpp>
#include <pinion/timer/detail/occupancy.hpp>

namespace pinion::timer {

template <std::uint64_t TickNs, unsigned... Bits>
class nested_levels {
  static constexpr std::size_t buckets = [] {
    std::size_t count = 0;
    for (const unsigned b : {Bits...}) count += ((std::size_t{1} << b) + 63) / 64 * 64;
    return count + 64;  // the last one is the beyond's
  }();

 public:
  /// Whether a timer can ask to be placed as place()'s `exact` says.
  static constexpr bool has_exact_timers = false;

  /// Bits for all buckets.
  using occupancy_type = occupancy<buckets>;

  /// Levels, the slot beyond the last not counted.
  static constexpr std::size_t level_count = sizeof...(Bits);
  /// The length of a tick.
  static constexpr duration tick{TickNs};

  /// Puts the hand to `now`, before anything was placed.
  void start(instant now) noexcept { hand_ = tick_at_or_before(now); }

  /// The last tick that was served.
  [[nodiscard]] std::uint64_t hand() const noexcept { return hand_; }
  /// Puts the hand forward. No occupied bucket may lie between.
  void turn_to(std::uint64_t tick_number) noexcept { hand_ = tick_number; }

  /// A time in ticks, rounded down: for now.
  [[nodiscard]] static constexpr std::uint64_t tick_at_or_before(instant t) noexcept { return t.ns / TickNs; }
  /// A time in ticks, rounded up: for deadlines.
  [[nodiscard]] static constexpr std::uint64_t tick_at_or_after(instant t) noexcept {
    return t.ns / TickNs + (t.ns % TickNs != 0 ? 1 : 0);
  }
  /// The last tick that begins before `never`.
  [[nodiscard]] static constexpr std::uint64_t last_tick() noexcept { return never.ns / TickNs; }
  /// When a tick begins.
  [[nodiscard]] static constexpr instant begin_of(std::uint64_t tick_number) noexcept {
    return instant{tick_number * TickNs};
  }

  /// Whether a bucket ahead of the hand is served in time for a timer due at a tick: whether it begins no
  /// later.
  [[nodiscard]] bool serves(std::size_t bucket, std::uint64_t due) const noexcept {
    return tick_of_bucket(bucket) <= due;
  }

  /// Whether buckets that are overdue are to be gathered as a poll begins. Not here: a timer that is placed
  /// while the hand is behind is placed anew in time.
  [[nodiscard]] static constexpr bool gathers() noexcept { return false; }

  /// Every timer is due at its first tick or after, whatever level it was on meanwhile.
  [[nodiscard]] static constexpr duration lateness_bound(duration) noexcept { return tick; }

  /// Buckets are numbered; a level begins at a multiple of 64, so that it has words of occupancy of its own.
  [[nodiscard]] static constexpr std::size_t bucket_count() noexcept { return buckets; }

  /// The level that a bucket is on; level_count for the slot beyond the last, and for bucket_count(), which
  /// is no bucket.
  [[nodiscard]] static constexpr std::size_t level_of(std::size_t bucket) noexcept {
    return level_by_word[bucket / 64];
  }

  /// Where a timer due at a tick after the hand belongs.
  [[nodiscard]] std::uint16_t place(std::uint64_t due, bool) const noexcept {
    const std::uint64_t difference = due ^ hand_;
    const level& l = all_levels[level_by_bit[static_cast<std::size_t>(std::bit_width(difference | 1) - 1)]];
    return static_cast<std::uint16_t>(l.first + ((due >> l.shift) & l.mask));
  }

  /// What the hand comes to next.
  struct event {
    std::uint64_t tick;    ///< when the hand gets there
    std::uint16_t bucket;  ///< what is to be served then
  };
  /// The earliest occupied bucket; tick is past last_tick() when there is none.
  [[nodiscard]] event next(const occupancy_type& occupied) const noexcept {
    const std::size_t bucket = occupied.first();
    if (bucket == buckets) return {~std::uint64_t{0}, 0};
    return {tick_of_bucket(bucket), static_cast<std::uint16_t>(bucket)};
  }

  /// How many levels next() looks at.
  [[nodiscard]] static constexpr std::size_t searched() noexcept { return 1; }

  /// Whether a timer found in a bucket as the hand got there is to fire, and not to be placed anew.
  [[nodiscard]] bool is_due(instant deadline, std::uint16_t) const noexcept {
    return tick_at_or_after(deadline) <= hand_;
  }

 private:
  /// When the hand gets to a bucket.
  [[nodiscard]] std::uint64_t tick_of_bucket(std::size_t bucket) const noexcept {
    const level& l = all_levels[level_by_word[bucket / 64]];
    return (hand_ & l.turn_mask) + l.ahead + ((bucket - l.first) << l.shift);
  }

  struct level {
    std::uint16_t first = 0;      // its first bucket
    std::uint8_t shift = 0;       // of a tick, to its digit
    std::uint8_t end = 0;         // shift of the next level
    std::uint64_t mask = 0;       // of its digit
    std::uint64_t turn_mask = 0;  // of a tick, to where the turn of this level that it is in began
    std::uint64_t ahead = 0;  // from there to its first slot: for the beyond, whose one slot is the next turn
  };
  static constexpr std::uint64_t bits_from(unsigned shift) noexcept {
    return shift >= 64 ? 0 : ~std::uint64_t{0} << shift;
  }
  static constexpr std::array<level, level_count + 1> all_levels = [] {
    std::array<level, level_count + 1> all{};
    unsigned shift = 0;
    std::size_t first = 0;
    std::size_t k = 0;
    for (const unsigned b : {Bits...}) {
      all[k] = {.first = static_cast<std::uint16_t>(first),
                .shift = static_cast<std::uint8_t>(shift),
                .end = static_cast<std::uint8_t>(shift + b),
                .mask = (std::uint64_t{1} << b) - 1,
                .turn_mask = bits_from(shift + b)};
      shift += b;
      first += ((std::size_t{1} << b) + 63) / 64 * 64;
      ++k;
    }
    all[k] = {.first = static_cast<std::uint16_t>(first),
              .shift = static_cast<std::uint8_t>(shift < 64 ? shift : 63),
              .end = 64,
              .turn_mask = bits_from(shift),
              .ahead = shift < 64 ? std::uint64_t{1} << shift : 0};
    return all;
  }();
  /// By the highest bit on which a deadline and the hand differ.
  static constexpr std::array<std::uint8_t, 64> level_by_bit = [] {
    std::array<std::uint8_t, 64> all{};
    for (unsigned bit = 0; bit < 64; ++bit) {
      std::uint8_t k = 0;
      while (k < level_count && all_levels[k].end <= bit) ++k;
      all[bit] = k;
    }
    return all;
  }();
  static constexpr std::array<std::uint8_t, buckets / 64 + 1> level_by_word = [] {
    std::array<std::uint8_t, buckets / 64 + 1> all{};
    for (std::size_t word = 0; word < all.size(); ++word) {
      std::uint8_t k = 0;
      while (k < level_count && all_levels[k + 1].first <= word * 64) ++k;
      all[word] = k;
    }
    return all;
  }();

  std::uint64_t hand_ = 0;
};

}  // namespace pinion::timer
