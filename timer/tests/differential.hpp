// SPDX-License-Identifier: Apache-2.0
//
// differential: random operations on a store and on ordered_map side by side, until they differ.
//
// An episode draws a start of time, a population and a pace, then operations: arming (near, far, in the past,
// at the edges of ticks and slots, at the end of time), cancelling, pushing on, polls with and without
// budgets whose sinks do the same or throw, stale handles, clear; with time that jumps by whole turns, stands
// still and goes back. Two ordered_maps hold what the store holds: one by deadline, so that it says what may
// fire, and one by deadline plus lateness bound, so that it says what must have fired.
//
//   if (finding f = play_on(opponents().front(), 7, 1'000'000); f.found) std::cerr << f.found.what;
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "any_store.hpp"
#include "scenario.hpp"

namespace pinion::timer::testing {

/// Where an episode takes its decisions from: a seed, or the bytes of a fuzzer until they are used up.
class choices {
 public:
  explicit choices(std::uint64_t seed) : random_(seed) {}
  explicit choices(std::span<const std::uint8_t> bytes) : random_(0), bytes_(bytes), from_bytes_(true) {}

  /// From 0 to bound - 1; 0 once the bytes are used up.
  std::uint64_t below(std::uint64_t bound) noexcept {
    if (!from_bytes_) [[likely]]
      return random_.below(bound);
    std::uint64_t value = 0;
    for (std::uint64_t reached = 1; reached < bound && reached < std::uint64_t{1} << 56; reached <<= 8) {
      value = value << 8 | take();
    }
    return value % bound;
  }
  /// Of any magnitude up to `bits` bits.
  duration any_length(unsigned bits) noexcept {
    if (!from_bytes_) [[likely]]
      return random_.any_length(bits);
    return duration{below(std::uint64_t{1} << (1 + below(bits)))};
  }
  bool one_in(std::uint64_t chances) noexcept { return below(chances) == 0; }
  [[nodiscard]] bool used_up() const noexcept { return from_bytes_ && bytes_.empty(); }

 private:
  std::uint8_t take() noexcept {
    if (bytes_.empty()) return 0;
    const std::uint8_t first = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return first;
  }

  random_numbers random_;
  std::span<const std::uint8_t> bytes_;
  bool from_bytes_ = false;
};

/// What the store did that it must not, after which operation, and the operations before.
struct difference {
  std::string what;
  std::uint64_t operations = 0;  ///< done by then, in this episode
  [[nodiscard]] explicit operator bool() const noexcept { return !what.empty(); }
};

/// A kind of store that plays against ordered_map.
struct opponent {
  std::string name;
  /// One episode of at most so many operations, or up to the first difference.
  std::function<difference(choices&, std::uint64_t operations)> play;
};

/// Every backend, called directly, and some of their engines with so few slots that all edges are near.
[[nodiscard]] const std::vector<opponent>& opponents();

/// Any store behind virtual calls: the mutants.
[[nodiscard]] opponent opponent_of(const store_factory& factory);

/// What came of a number of episodes.
struct finding {
  difference found;
  std::uint64_t seed = 0;        ///< of the episode that found it: replays it by itself
  std::uint64_t operations = 0;  ///< done in all
};

/// Episodes from `seed`, `seed` + 1, …, until `operations` are done or one finds a difference.
[[nodiscard]] finding play_on(const opponent& against, std::uint64_t seed, std::uint64_t operations);

/// Where the episode that is being played is, for who must tell of its sudden end.
struct position {
  const char* opponent = "";
  std::uint64_t seed = 0;
  std::uint64_t operations = 0;
};
[[nodiscard]] position& where_it_is() noexcept;

}  // namespace pinion::timer::testing
