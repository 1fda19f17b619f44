// SPDX-License-Identifier: Apache-2.0
//
// low_latency: enters for each operation, or for a few; answers are handed out one by one as they come.
//
// With its batch of 1 it does what `immediate` does. With a larger one, what is queued waits for at most
// `wait_max` while the owner is busy; an owner that has nothing left to run enters at once under any policy
// (law S1).
//
//   submission<low_latency, uring_ring> io{
//       uring_ring{{}}, {.rule = {.batch = 4, .wait_max = duration{50'000}}}};
#pragma once

#include <pinion/base/export.hpp>
#include <pinion/iosubmit/concept.hpp>
#include <pinion/iosubmit/policy/batch_rule.hpp>
#include <string>

namespace pinion::iosubmit {

/// Small batches. The numbers are design 004's.
struct low_latency {
  batch_rule rule{.batch = 1, .wait_max = duration{100'000}};

  /// The hooks of a policy (concept.hpp).
  bool queued(const queue_state& state) noexcept { return rule.says_enter(state); }
  void entered(const entered_batch& /*batch*/) noexcept {}
  void reaped(const reaped_batch& /*batch*/) noexcept {}
  /// The first completion ends the wait: holding it back for a second is latency that nobody asked for.
  park_wait about_to_park(const queue_state& /*state*/) noexcept { return {}; }
  friend constexpr bool operator==(const low_latency&, const low_latency&) noexcept = default;
};

/// "batch 1 or 100 us".
PINION_EXPORT [[nodiscard]] std::string to_string(const low_latency& policy);

}  // namespace pinion::iosubmit
