// SPDX-License-Identifier: Apache-2.0
//
// random_numbers: splitmix64, so that every contestant, in any language, sees the same numbers.
#pragma once

#include <cstdint>

namespace pinion::bench {

class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t next() noexcept {
    state_ += 0x9e37'79b9'7f4a'7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
    z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
    return z ^ (z >> 31);
  }

  /// Less than `bound`.
  std::uint64_t below(std::uint64_t bound) noexcept {
    __extension__ using wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<wide>(next()) * bound) >> 64);
  }

 private:
  std::uint64_t state_;
};

}  // namespace pinion::bench
