// SPDX-License-Identifier: Apache-2.0
//
// Arming and cancelling: all of them, one of each in turn, and how the single operations are spread.
//
//   arm_and_cancel m = measure_arm_and_cancel<contestant>(100'000, cancel_order::random);
#pragma once

#include <bench/program/percentiles.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "deadlines.hpp"

namespace pinion::timer::bench {

using pinion::bench::percentiles;
using pinion::bench::percentiles_of;

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

struct spread_of_arm_and_cancel {
  percentiles arm;
  percentiles cancel;
  double seconds = 0;
  std::uint64_t checksum = 0;
  std::uint64_t expected = 0;
};

/// n timers armed, then all cancelled in random order, each batch of sixteen between two readings of the clock. A
/// sample is the mean of its batch: a reading takes as long as a few operations.
template <class Contestant>
spread_of_arm_and_cancel measure_percentiles(std::size_t n) {
  constexpr std::size_t batch = 16;
  const std::vector<std::uint64_t> when = deadlines(n, 42);
  std::vector<double> arming;
  std::vector<double> cancelling;
  spread_of_arm_and_cancel result;
  const double ns_each = ns_per_tick() / double{batch};
  const stopwatch watch;
  for (std::size_t round = 0; round < rounds_for(n); ++round) {
    Contestant timers{0};
    std::vector<name_of<Contestant>> names(n);
    for (std::size_t k = 0; k + batch <= n; k += batch) {
      const std::uint64_t begun = pinion::bench::ticks_in_order();
      for (std::size_t i = k; i < k + batch; ++i) names[i] = timers.arm(when[i], when[i]);
      arming.push_back(static_cast<double>(pinion::bench::ticks_in_order() - begun) * ns_each);
      for (std::size_t i = k; i < k + batch; ++i) result.expected += when[i];
    }
    names.resize(n - n % batch);
    shuffle(names, 7 + round);
    for (std::size_t k = 0; k < names.size(); k += batch) {
      const std::uint64_t begun = pinion::bench::ticks_in_order();
      for (std::size_t i = k; i < k + batch; ++i) result.checksum += timers.cancel(names[i]);
      cancelling.push_back(static_cast<double>(pinion::bench::ticks_in_order() - begun) * ns_each);
    }
  }
  result.seconds = watch.seconds();
  result.arm = percentiles_of(arming);
  result.cancel = percentiles_of(cancelling);
  return result;
}

}  // namespace pinion::timer::bench
