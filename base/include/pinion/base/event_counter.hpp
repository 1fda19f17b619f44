// SPDX-License-Identifier: Apache-2.0
//
// event_counter: what something has done, counted where the build says so.
//
// A part lists what it counts in a struct, its statistics. In a build with PINION_STATISTICS=ON the counter
// holds one; in another build it is empty, counting is no code, and there is no total().
//
//   struct park_statistics { std::uint64_t parks = 0; histogram<36, 2> lengths; };
//
//   struct my_loop { [[no_unique_address]] event_counter<park_statistics> events; };
//
//   loop.events.count(&park_statistics::parks);
//   loop.events.add(&park_statistics::lengths, length.ns);
//
// What has one as a member lives in PINION_MODE, as all whose layout depends on the build. One thread uses
// it.
#pragma once

#include <cstdint>
#include <pinion/config.hpp>

namespace pinion::inline PINION_MODE {

/// Counts into a Statistics.
template <class Statistics>
class event_counter {
 public:
#if PINION_COUNTED
  /// Counts `times` more events.
  void count(std::uint64_t Statistics::* event, std::uint64_t times = 1) noexcept { total_.*event += times; }
  /// Adds a value to a histogram.
  template <class Histogram>
  void add(Histogram Statistics::* values, std::uint64_t value) noexcept {
    (total_.*values).add(value);
  }

  /// What was counted since the counter was made.
  [[nodiscard]] const Statistics& total() const noexcept { return total_; }

 private:
  Statistics total_{};
#else
  void count(std::uint64_t Statistics::*, std::uint64_t = 1) noexcept {}
  template <class Histogram>
  void add(Histogram Statistics::*, std::uint64_t) noexcept {}
#endif
};

}  // namespace pinion::inline PINION_MODE
