// SPDX-License-Identifier: Apache-2.0
//
// submit_mode, mode_change: the ways to decide that have a name, and why one took another's place.
//
//   const mode_change& last = policy.last_change();
//   out << to_string(last.from) << " -> " << to_string(last.to) << ": " << to_string(last.reason);
#pragma once

#include <concepts>
#include <cstdint>
#include <pinion/base/export.hpp>
#include <pinion/base/time.hpp>
#include <string_view>

namespace pinion::iosubmit {

/// As PINION_SUBMIT_MODE names them.
enum class submit_mode : std::uint8_t { low_latency, high_throughput, balanced, adaptive };

/// All of them, in that order.
inline constexpr submit_mode submit_modes[] = {submit_mode::low_latency, submit_mode::high_throughput,
                                               submit_mode::balanced, submit_mode::adaptive};

/// "low-latency", "high-throughput", "balanced" or "adaptive".
PINION_EXPORT [[nodiscard]] std::string_view to_string(submit_mode mode) noexcept;

/// Why a mode was left.
enum class mode_reason : std::uint8_t {
  begun,          ///< it was not: the policy begins so
  slow,           ///< the P99 is above its upper threshold
  fast_and_busy,  ///< the P99 is below its lower threshold, and much is submitted
  neither,        ///< what the mode was taken for does not hold any more
  long_turns      ///< turns are long for the operations that they queue
};

/// "begun", "slow", "fast and busy", "neither" or "long turns".
PINION_EXPORT [[nodiscard]] std::string_view to_string(mode_reason reason) noexcept;

/// One change.
struct mode_change {
  submit_mode from = submit_mode::balanced;
  submit_mode to = submit_mode::balanced;
  mode_reason reason = mode_reason::begun;
  instant at{0};  ///< the turn's time
  friend constexpr bool operator==(const mode_change&, const mode_change&) noexcept = default;
};

/// A policy that has modes and can say which, and why.
template <class Policy>
concept has_modes = requires(const Policy& policy) {
  { policy.mode() } noexcept -> std::same_as<submit_mode>;
  { policy.changes() } noexcept -> std::same_as<std::uint64_t>;
  { policy.last_change() } noexcept -> std::convertible_to<mode_change>;
};

}  // namespace pinion::iosubmit
