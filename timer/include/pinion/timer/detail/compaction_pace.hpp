// SPDX-License-Identifier: Apache-2.0
//
// compaction_pace: how a wheel keeps its garbage down.
//
//   struct levels : nested_levels<1'000'000, 8, 8> { static constexpr compaction_pace pace{.looks = 8}; };
#pragma once

#include <cstddef>
#include <cstdint>

namespace pinion::timer {

/// What levels may state of the wheel that is made of them, as a static member `pace`.
struct compaction_pace {
  std::int32_t looks = 4;        ///< old entries looked at for each new one, while there are too many
  std::size_t chunks_spare = 4;  ///< where no more chunks are left than these, all entries are looked at
};

/// What they state, or what suits all.
template <class Levels>
[[nodiscard]] constexpr compaction_pace pace_of() noexcept {
  if constexpr (requires { Levels::pace; }) {
    return Levels::pace;
  } else {
    return {};
  }
}

}  // namespace pinion::timer
