// SPDX-License-Identifier: Apache-2.0
//
// batch_rule: enter when so many are queued, or the oldest of them has waited for too long.
//
// What low_latency and high_throughput are with fixed numbers, and balanced with numbers that it picks.
//
//   constexpr batch_rule rule{.batch = 8, .wait_max = duration{200'000}};
//   const bool enters = rule.says_enter(state);
#pragma once

#include <cstdint>
#include <pinion/base/export.hpp>
#include <pinion/iosubmit/concept.hpp>
#include <string>

namespace pinion::iosubmit {

/// Two numbers that say when.
struct batch_rule {
  std::uint32_t batch = 1;  ///< enter when at least so many are queued; 0 is as 1
  duration wait_max{0};     ///< or when the oldest of them has waited for longer than this

  /// Whether to enter now; never for nothing.
  [[nodiscard]] constexpr bool says_enter(const queue_state& state) const noexcept {
    return state.depth != 0 && (state.depth >= batch || state.age() > wait_max);
  }
  friend constexpr bool operator==(const batch_rule&, const batch_rule&) noexcept = default;
};

/// "batch 8 or 200 us".
PINION_EXPORT [[nodiscard]] std::string to_string(const batch_rule& rule);

}  // namespace pinion::iosubmit
