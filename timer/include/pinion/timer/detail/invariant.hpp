// SPDX-License-Identifier: Apache-2.0
//
// invariant: what the stores' checks of themselves share.
//
// A check looks at everything a store holds and says in words what does not hold, or nothing. It is a
// template member that costs nothing where it is not called. It looks at every slot and bucket and allocates:
// for tests and for hunting a defect.
//
//   if (const std::string broken = timers.violated_invariant(); !broken.empty()) report(broken);
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <pinion/base/time.hpp>
#include <string>
#include <string_view>

namespace pinion::timer::invariant_detail {

inline void add(std::string& text, std::string_view word) { text += word; }
inline void add(std::string& text, std::integral auto number) { text += std::to_string(number); }

/// Words and numbers, one after the other.
template <class... Words>
[[nodiscard]] std::string broken(const Words&... words) {
  std::string text;
  (add(text, words), ...);
  return text;
}

/// When the hand gets to a bucket, as if it alone were occupied. `scratch` is empty before and after.
template <class Levels>
[[nodiscard]] std::uint64_t tick_of(const Levels& levels, typename Levels::occupancy_type& scratch,
                                    std::size_t bucket) {
  scratch.set(bucket);
  const std::uint64_t tick = levels.next(scratch).tick;
  scratch.clear(bucket);
  return tick;
}

/// Whether a bucket served at `tick` is in time for `deadline`: no later than the tick it rounds up to, or,
/// on a stationary level, than that level's own.
template <class Levels>
[[nodiscard]] bool is_in_time(const Levels& levels, std::uint64_t tick, std::size_t bucket, instant deadline,
                              bool exact) {
  if (tick <= levels.tick_at_or_after(deadline)) return true;
  if constexpr (requires { levels.tick_of(bucket); }) {
    return levels.gathers() && !exact &&
           levels.begin_of(tick) - deadline < levels.tick_of(levels.level_of(bucket));
  } else {
    return false;
  }
}

/// Whether exactly those buckets are marked that `is_occupied` says; else which one is not as it says.
template <class Occupancy, class IsOccupied>
[[nodiscard]] std::string differs(std::string_view name, const Occupancy& marked, std::size_t count,
                                  IsOccupied&& is_occupied) {
  std::size_t next = marked.first();
  for (std::size_t b = 0; b < count; ++b) {
    const bool is_marked = next == b;
    if (is_marked) next = marked.first_from(b + 1);
    if (is_marked != is_occupied(b)) {
      return broken("bucket ", b, is_marked ? " is marked in " : " is not marked in ", name,
                    is_marked ? " and has nothing" : " and has something");
    }
  }
  return next < count ? broken(name, " says ", next, " follows a later bucket") : std::string{};
}

}  // namespace pinion::timer::invariant_detail
