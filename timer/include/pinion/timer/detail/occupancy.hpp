// SPDX-License-Identifier: Apache-2.0
//
// occupancy: which of some thousand buckets hold anything, and the first that does in two look-ups.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace pinion::timer {

template <std::size_t Count>
class occupancy {
  static_assert(Count % 64 == 0);

 public:
  /// Marks a bucket, below Count, as occupied; once or again.
  void set(std::size_t bucket) noexcept {
    words_[bucket / 64] |= std::uint64_t{1} << bucket % 64;
    sums_[bucket / 4096] |= std::uint64_t{1} << bucket / 64 % 64;
  }
  /// Marks a bucket as empty.
  void clear(std::size_t bucket) noexcept {
    const std::uint64_t left = words_[bucket / 64] &= ~(std::uint64_t{1} << bucket % 64);
    if (left == 0) sums_[bucket / 4096] &= ~(std::uint64_t{1} << bucket / 64 % 64);
  }
  /// Marks all as empty.
  void clear() noexcept { *this = occupancy{}; }

  /// The lowest bucket that is set, or Count.
  [[nodiscard]] std::size_t first() const noexcept { return first_below(0); }

  /// The lowest at or after `from`, or Count.
  [[nodiscard]] std::size_t first_from(std::size_t from) const noexcept {
    if (from >= Count) return Count;
    if (const std::uint64_t here = words_[from / 64] >> from % 64; here != 0) {
      return from + static_cast<std::size_t>(std::countr_zero(here));
    }
    const std::size_t word = from / 64 + 1;
    if (word % 64 != 0) {
      if (const std::uint64_t rest = sums_[word / 64] >> word % 64; rest != 0) {
        return first_of_word(word + static_cast<std::size_t>(std::countr_zero(rest)));
      }
    }
    return first_below((word + 63) / 64);
  }

 private:
  static constexpr std::size_t sum_count = (Count / 64 + 63) / 64;

  /// The lowest bucket of sum `sum` and those after it.
  [[nodiscard]] std::size_t first_below(std::size_t sum) const noexcept {
    for (; sum < sum_count; ++sum) {
      if (sums_[sum] != 0)
        return first_of_word(sum * 64 + static_cast<std::size_t>(std::countr_zero(sums_[sum])));
    }
    return Count;
  }
  [[nodiscard]] std::size_t first_of_word(std::size_t word) const noexcept {
    return word * 64 + static_cast<std::size_t>(std::countr_zero(words_[word]));
  }

  std::array<std::uint64_t, sum_count> sums_{};  // a bit for each word that is not 0
  std::array<std::uint64_t, Count / 64> words_{};
};

}  // namespace pinion::timer
