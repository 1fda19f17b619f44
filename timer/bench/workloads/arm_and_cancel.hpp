// SPDX-License-Identifier: Apache-2.0
//
// Arming and cancelling: all of them, and one of each in turn.
//
//   arm_and_cancel m = measure_arm_and_cancel<contestant>(100'000, cancel_order::random);
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "deadlines.hpp"

namespace pinion::timer::bench {

struct arm_and_cancel {
  measured arm;
  measured cancel;
};

/// Which timer is cancelled next: any, or the one that was armed first.
enum class cancel_order { random, of_arming };

/// n timers armed, then all cancelled.
template <class Contestant, class Meter = stopwatch>
arm_and_cancel measure_arm_and_cancel(std::size_t n, cancel_order order, std::size_t rounds) {
  const std::vector<std::uint64_t> when = deadlines(n, 42);
  arm_and_cancel result;
  for (std::size_t round = 0; round < rounds; ++round) {
    Contestant timers{0};
    std::vector<name_of<Contestant>> names;
    names.reserve(n);

    const Meter arming;
    for (const std::uint64_t d : when) names.push_back(timers.arm(d, d));
    result.arm.seconds += arming.seconds();

    if (order == cancel_order::random) shuffle(names, 7 + round);

    const Meter cancelling;
    for (const auto& h : names) result.cancel.checksum += timers.cancel(h);
    result.cancel.seconds += cancelling.seconds();

    result.arm.operations += n;
    result.cancel.operations += n;
    result.cancel.expected += sum_of(when);
  }
  result.arm.checksum = result.cancel.checksum;
  result.arm.expected = result.cancel.expected;
  return result;
}

/// n live, and `pairs` times one of them is cancelled and another armed. Time stands still.
template <class Contestant, class Meter = stopwatch>
measured measure_churn(std::size_t n, std::size_t pairs = 1'000'000) {
  const std::vector<std::uint64_t> when = deadlines(n, 42);
  const std::vector<std::uint64_t> fresh = deadlines(65'536, 99);
  const std::vector<std::uint32_t> victims = picks(pairs, n, 5);
  Contestant timers{0};
  auto names = arm_all(timers, when);

  measured result{.operations = pairs};
  const Meter watch;
  for (std::size_t k = 0; k < pairs; ++k) {
    auto& victim = names[victims[k]];
    result.checksum += timers.cancel(victim);
    victim = timers.arm(fresh[k % fresh.size()], fresh[k % fresh.size()]);
  }
  result.seconds = watch.seconds();

  std::vector<std::uint64_t> live = when;
  for (std::size_t k = 0; k < pairs; ++k) {
    result.expected += live[victims[k]];
    live[victims[k]] = fresh[k % fresh.size()];
  }
  return result;
}

}  // namespace pinion::timer::bench
