// SPDX-License-Identifier: Apache-2.0
//
// What it costs to ask the rule when a slice is over.
//
//   measured m = measure_end_of(1'000'000);
#pragma once

#include <bench/program/clock.hpp>
#include <bench/program/program.hpp>
#include <cstddef>
#include <pinion/preempt/slice_rule.hpp>

#include "looks.hpp"

namespace pinion::preempt::bench {

/// Of one queue of four, others being ready, with a timer near at each second slice. The checksum adds up how
/// long the slices are.
template <class Meter = pinion::bench::stopwatch>
pinion::bench::measured measure_end_of(std::size_t n) {
  constexpr duration quantum{1'000'000};
  constexpr duration latency{500'000};
  constexpr duration near{50'000};
  slice_rule rule;
  const slice_rule::queue batch = rule.add({.quantum = quantum * 10}).value();
  for (int others = 0; others < 3; ++others) {
    static_cast<void>(rule.add({.quantum = quantum, .latency = latency}).value());
  }
  pinion::bench::measured result{.operations = n, .expected = n / 2 * (latency.ns + near.ns)};
  instant now{quantum.ns};
  const Meter watch;
  for (std::size_t k = 0; k < n; ++k) {
    now = now + duration{1};
    unknown(rule);
    const instant next_timer = k % 2 == 0 ? never : now + near;
    const instant end = rule.end_of(batch, {.now = now, .others_ready = true, .next_timer = next_timer});
    result.checksum += (end - now).ns;
  }
  result.seconds = watch.seconds();
  return result;
}

}  // namespace pinion::preempt::bench
