// SPDX-License-Identifier: Apache-2.0
//
// each_turn: enters once at the end of each turn that queued something.
//
// All that a turn queues shares one enter, and waits until the turn ends. No number to tune, nothing
// remembered, no time looked at: the owner says when a turn ends (queue_state::turn_ends). A full queue is
// entered before that, whatever a policy says.
//
//   submission<each_turn, uring_ring> io{uring_ring{{}}};
//   io.queue(first);
//   io.queue(second);
//   io.turn(monotonic_clock::now());  // one enter for both
#pragma once

#include <pinion/base/export.hpp>
#include <pinion/iosubmit/concept.hpp>
#include <string>

namespace pinion::iosubmit {

/// Enters where a turn ends.
struct each_turn {
  /// The hooks of a policy (concept.hpp).
  bool queued(const queue_state& state) noexcept { return state.turn_ends && state.depth != 0; }
  void entered(const entered_batch& /*batch*/) noexcept {}
  void reaped(const reaped_batch& /*batch*/) noexcept {}
  park_wait about_to_park(const queue_state& /*state*/) noexcept { return {}; }
  friend constexpr bool operator==(const each_turn&, const each_turn&) noexcept = default;
};

/// "each turn".
PINION_EXPORT [[nodiscard]] std::string to_string(const each_turn& policy);

}  // namespace pinion::iosubmit
