// SPDX-License-Identifier: Apache-2.0
//
// histogram: how often values of each size came, in fixed memory.
//
// A power of two has 2^Fine places. So Fine 0 tells 4 to 7 from 8 to 15, and Fine 3 tells 8 from 9 and 16 to
// 17 from 18 to 19. Values below 2^Fine have a place each. To add one costs a handful of instructions without
// a branch, however the values come.
//
//   histogram<36, 3> slices;                             // up to 68 s in ns, to an eighth: 272 places
//   slices.add(length.ns);
//   slices.merge(those_of_another_thread);
//   const std::uint64_t p99 = slices.quantile(990);      // at least exact, and less than an eighth above
//
// One thread uses it. Copies and sums of copies are how threads share one.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace pinion {

/// Values below 2^Bits; all that are larger are counted in the last place. A Count that is full stays full.
template <unsigned Bits = 64, unsigned Fine = 0, std::unsigned_integral Count = std::uint64_t>
class histogram {
  static_assert(Fine < Bits && Bits <= 64,
                "a place for each value is the most that there can be, and values have 64 bits");

 public:
  /// How many places there are.
  static constexpr std::size_t places = std::size_t{Bits - Fine + 1} << Fine;

  /// Counts a value, or `times` of it.
  constexpr void add(std::uint64_t value, Count times = 1) noexcept {
    raise(counts_[place_of(value)], times);
  }
  /// Counts all that the other one has counted.
  constexpr void merge(const histogram& other) noexcept {
    for (std::size_t place = 0; place < places; ++place) raise(counts_[place], other.counts_[place]);
  }

  /// How many were counted; 2^64 - 1 where it is more.
  [[nodiscard]] constexpr std::uint64_t count() const noexcept {
    std::uint64_t all = 0;
    for (const Count one : counts_) all += std::min(std::uint64_t{one}, ~all);
    return all;
  }
  /// The value that so many in a thousand were not above, by nearest rank, rounded up to the greatest of its
  /// place: at least the exact value, and above it by less than 1/2^Fine of it. 2^64 - 1 where the exact
  /// value is 2^Bits or more, or shares its place with such values. 0 where nothing was counted. More than
  /// 1000 is taken for 1000, the greatest; 0 gives the least.
  [[nodiscard]] constexpr std::uint64_t quantile(std::uint32_t in_a_thousand) const noexcept;

  /// How many were counted in that place, which is below `places`.
  [[nodiscard]] constexpr std::uint64_t operator[](std::size_t place) const noexcept {
    return counts_[place];
  }
  /// The place of a value.
  [[nodiscard]] static constexpr std::size_t place_of(std::uint64_t value) noexcept {
    // With that bit set it is never 0, for which the machine's instruction would need a branch around it.
    const unsigned shift =
        static_cast<unsigned>(std::bit_width(value | (std::uint64_t{1} << Fine))) - 1 - Fine;
    const std::size_t place = (std::size_t{shift} << Fine) + static_cast<std::size_t>(value >> shift);
    if constexpr (Bits == 64) return place;
    return std::min(place, places - 1);
  }
  /// The least value that is counted in that place.
  [[nodiscard]] static constexpr std::uint64_t least(std::size_t place) noexcept {
    const std::size_t shift = std::max(place >> Fine, std::size_t{1}) - 1;
    return std::uint64_t{place - (shift << Fine)} << shift;
  }
  /// The greatest value that is counted in that place.
  [[nodiscard]] static constexpr std::uint64_t greatest(std::size_t place) noexcept {
    return place + 1 == places ? std::numeric_limits<std::uint64_t>::max() : least(place + 1) - 1;
  }

  friend constexpr bool operator==(const histogram&, const histogram&) noexcept = default;

 private:
  static constexpr void raise(Count& count, Count times) noexcept {
    const Count room = static_cast<Count>(std::numeric_limits<Count>::max() - count);
    count = static_cast<Count>(count + std::min(times, room));
  }

  std::array<Count, places> counts_{};
};

// ---- Implementation ----

template <unsigned Bits, unsigned Fine, std::unsigned_integral Count>
constexpr std::uint64_t histogram<Bits, Fine, Count>::quantile(std::uint32_t in_a_thousand) const noexcept {
  const std::uint64_t all = count();
  if (all == 0) return 0;
  const std::uint64_t share = std::min(in_a_thousand, std::uint32_t{1000});
  // ceil(all * share / 1000), where the product may not fit.
  const std::uint64_t rank = all / 1000 * share + (all % 1000 * share + 999) / 1000;
  std::uint64_t left = std::max(rank, std::uint64_t{1});
  std::size_t place = 0;
  for (; counts_[place] < left; ++place) left -= counts_[place];  // ends: all places together hold `rank`
  return greatest(place);
}

}  // namespace pinion
