// SPDX-License-Identifier: Apache-2.0
//
// event_counter: what a store has done, counted where the build says so.
//
// Counts in a build with PINION_STATISTICS=ON. In another it is empty, counting is no code, and no store has statistics().
//
//   [[no_unique_address]] event_counter events_;
//   events_.count(&store_statistics::fired);
#pragma once

#include <cstdint>
#include <pinion/config.hpp>

namespace pinion::timer {

/// What a store has done since it was made. Each timer that was scheduled is armed still, was cancelled, or has fired.
struct store_statistics {
  std::uint64_t scheduled = 0;             ///< armed
  std::uint64_t cancelled = 0;             ///< disarmed by cancel(), clear(), or a hook's destructor
  std::uint64_t rescheduled = 0;           ///< moved to another deadline
  std::uint64_t rescheduled_in_place = 0;  ///< of them, by one store: nothing was placed
  std::uint64_t fired = 0;                 ///< handed to a sink
  std::uint64_t moved = 0;                 ///< placed anew by a poll
  std::uint64_t discarded = 0;  ///< entries of timers gone or moved, found by a poll or a compaction
  std::uint64_t compacted = 0;  ///< entries that compactions looked at
  friend bool operator==(const store_statistics&, const store_statistics&) = default;
};

inline namespace PINION_MODE {

class event_counter {
 public:
#if PINION_COUNTED
  /// Counts `times` more events.
  void count(std::uint64_t store_statistics::* event, std::uint64_t times = 1) noexcept {
    total_.*event += times;
  }

  /// How many were counted since the counter was made.
  [[nodiscard]] const store_statistics& total() const noexcept { return total_; }

 private:
  store_statistics total_;
#else
  void count(std::uint64_t store_statistics::*, std::uint64_t = 1) noexcept {}
#endif
};

}  // namespace PINION_MODE
}  // namespace pinion::timer
