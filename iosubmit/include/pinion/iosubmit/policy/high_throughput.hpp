// SPDX-License-Identifier: Apache-2.0
//
// high_throughput: large batches both ways. An enter takes many, and a wait brings many.
//
// While the owner is busy, it enters when `batch` are queued or the oldest has waited for longer than
// `wait_max`. When it has nothing left to run it waits for half of what is out, at most `batch`, and for more
// than the first no longer than `wait_max`.
//
// Half, and not all: the last of many is the slowest of them, and some do not end by themselves (an accept, a
// recv on a quiet connection, a timeout). With one operation out nothing is gathered, nor with three; and
// where more than half of what is out is quiet, each wait takes `wait_max`: then a smaller `gather_max`, or
// adaptive, serves better.
//
//   submission<high_throughput, uring_ring> io{uring_ring{{}}};
#pragma once

#include <algorithm>
#include <cstdint>
#include <pinion/base/export.hpp>
#include <pinion/iosubmit/concept.hpp>
#include <pinion/iosubmit/policy/batch_rule.hpp>
#include <string>

namespace pinion::iosubmit {

/// Large batches. The numbers are design 004's, which gathers nothing.
struct high_throughput {
  batch_rule rule{.batch = 64, .wait_max = duration{1'000'000}};
  duration gather_max = forever;  ///< a bound of its own for how long a wait gathers; 0: it does not

  /// The hooks of a policy (concept.hpp).
  bool queued(const queue_state& state) noexcept { return rule.says_enter(state); }
  void entered(const entered_batch& /*batch*/) noexcept {}
  void reaped(const reaped_batch& /*batch*/) noexcept {}
  park_wait about_to_park(const queue_state& state) noexcept {
    const std::uint32_t half = static_cast<std::uint32_t>((std::uint64_t{state.depth} + state.in_flight) / 2);
    const duration gather = std::min(rule.wait_max, gather_max);
    if (gather == duration{}) return {};
    return {.count = std::max(1U, std::min(half, rule.batch)), .gather = gather};
  }
  friend constexpr bool operator==(const high_throughput&, const high_throughput&) noexcept = default;
};

/// "batch 64 or 1000 us; waits gather for 1000 us".
PINION_EXPORT [[nodiscard]] std::string to_string(const high_throughput& policy);

}  // namespace pinion::iosubmit
