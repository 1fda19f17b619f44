// SPDX-License-Identifier: Apache-2.0
//
// store_statistics: what a store has done. A store has statistics() in a build with PINION_STATISTICS=ON, and
// nothing to pay for in any other.
#pragma once

#include <cstdint>

namespace pinion::timer {

/// What a store has done since it was made. Each timer that was scheduled is armed still, was cancelled, or
/// has fired.
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

}  // namespace pinion::timer
