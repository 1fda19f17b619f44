// SPDX-License-Identifier: Apache-2.0
//
// work_counter: how many words and entries a store has touched, so that cost can be tested without a clock.
//
// Counts in a checked build; in an unchecked one it is empty and counting is no code.
#pragma once

#include <cstdint>
#include <pinion/config.hpp>

namespace pinion::timer::inline PINION_MODE {

class work_counter {
 public:
#if PINION_CHECKED
  /// Counts `entries` more.
  void touch(std::uint64_t entries = 1) const noexcept { touched_ += entries; }

  /// How many were counted since the counter was made.
  [[nodiscard]] std::uint64_t touched() const noexcept { return touched_; }

 private:
  mutable std::uint64_t touched_ = 0;
#else
  void touch(std::uint64_t = 1) const noexcept {}
#endif
};

}  // namespace pinion::timer::inline PINION_MODE
