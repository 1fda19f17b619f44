// SPDX-License-Identifier: Apache-2.0
//
// immediate, batch_or_idle: the two fixed rules.
//
// immediate enters for each operation: nothing waits, and each pays for a system call. batch_or_idle enters
// when a batch is full, or when there is nothing else to run: the fewest enters, and the first of a batch
// waits for as long as the turns take.
//
//   submission<batch_or_idle, uring_ring> io{uring_ring{{}}, {.batch = 64}};
#pragma once

#include <cstdint>
#include <pinion/base/export.hpp>
#include <pinion/iosubmit/concept.hpp>
#include <string>

namespace pinion::iosubmit {

/// Enters for each operation.
struct immediate {
  /// The hooks of a policy (concept.hpp).
  bool queued(const queue_state& state) noexcept { return state.depth != 0; }
  void entered(const entered_batch& /*batch*/) noexcept {}
  void reaped(const reaped_batch& /*batch*/) noexcept {}
  park_wait about_to_park(const queue_state& /*state*/) noexcept { return {}; }
  friend constexpr bool operator==(const immediate&, const immediate&) noexcept = default;
};

/// Enters when so many are queued, or nothing else is left to run.
struct batch_or_idle {
  std::uint32_t batch = 128;

  /// The hooks of a policy (concept.hpp).
  bool queued(const queue_state& state) noexcept { return state.depth >= batch; }
  void entered(const entered_batch& /*batch*/) noexcept {}
  void reaped(const reaped_batch& /*batch*/) noexcept {}
  park_wait about_to_park(const queue_state& /*state*/) noexcept { return {}; }
  friend constexpr bool operator==(const batch_or_idle&, const batch_or_idle&) noexcept = default;
};

/// "each operation"; "batch 128 or idle".
PINION_EXPORT [[nodiscard]] std::string to_string(const immediate& policy);
PINION_EXPORT [[nodiscard]] std::string to_string(const batch_or_idle& policy);

}  // namespace pinion::iosubmit
