// SPDX-License-Identifier: Apache-2.0
//
// How single operations are spread: arming and cancelling in batches of sixteen, each between two readings of
// the clock. A sample is the mean of its batch, as a reading takes as long as a few operations.
//
//   spread_of_arm_and_cancel m = measure_live_percentiles<contestant>(100'000);
#pragma once

#include <bench/program/percentiles.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "deadlines.hpp"

namespace pinion::timer::bench {

using pinion::bench::percentiles;
using pinion::bench::percentiles_of;

inline constexpr std::size_t batch_size = 16;

/// Does sixteen operations and keeps what each of them took.
template <class Batch>
void take_sample(std::vector<double>& samples, Batch batch) {
  const std::uint64_t begun = pinion::bench::ticks_in_order();
  batch();
  const std::uint64_t took = pinion::bench::ticks_in_order() - begun;
  samples.push_back(static_cast<double>(took) * ns_per_tick() / double{batch_size});
}

struct spread_of_arm_and_cancel {
  percentiles arm;
  percentiles cancel;
  double seconds = 0;
  std::uint64_t checksum = 0;
  std::uint64_t expected = 0;
};

/// n timers armed in a new store, then all cancelled in random order. What does not fill a batch is left out.
template <class Contestant>
spread_of_arm_and_cancel measure_percentiles(std::size_t n) {
  const std::vector<std::uint64_t> when = deadlines(n - n % batch_size, 42);
  std::vector<double> arming;
  std::vector<double> cancelling;
  spread_of_arm_and_cancel result;
  const stopwatch watch;
  for (std::size_t round = 0; round < rounds_for(n); ++round) {
    Contestant timers{0};
    std::vector<name_of<Contestant>> names(when.size());
    for (std::size_t k = 0; k < when.size(); k += batch_size) {
      take_sample(arming, [&] {
        for (std::size_t i = k; i < k + batch_size; ++i) names[i] = timers.arm(when[i], when[i]);
      });
    }
    shuffle(names, 7 + round);
    for (std::size_t k = 0; k < names.size(); k += batch_size) {
      take_sample(cancelling, [&] {
        for (std::size_t i = k; i < k + batch_size; ++i) result.checksum += timers.cancel(names[i]);
      });
    }
    result.expected += sum_of(when);
  }
  result.seconds = watch.seconds();
  result.arm = percentiles_of(arming);
  result.cancel = percentiles_of(cancelling);
  return result;
}

/// n timers live, and sixteen of them cancelled and sixteen others armed in their place, until all were
/// replaced eight times over, in random order each time. Time stands still.
template <class Contestant>
spread_of_arm_and_cancel measure_live_percentiles(std::size_t n) {
  constexpr std::size_t replacements = 8;
  std::vector<std::uint64_t> when = deadlines(n - n % batch_size, 42);
  std::vector<double> arming;
  std::vector<double> cancelling;
  spread_of_arm_and_cancel result;
  const stopwatch watch;
  Contestant timers{0};
  auto names = arm_all(timers, when);
  for (std::size_t round = 0; round < replacements; ++round) {
    result.expected += sum_of(when);
    when = deadlines(when.size(), 99 + round);
    shuffle(names, 7 + round);
    for (std::size_t k = 0; k < names.size(); k += batch_size) {
      take_sample(cancelling, [&] {
        for (std::size_t i = k; i < k + batch_size; ++i) result.checksum += timers.cancel(names[i]);
      });
      take_sample(arming, [&] {
        for (std::size_t i = k; i < k + batch_size; ++i) names[i] = timers.arm(when[i], when[i]);
      });
    }
  }
  result.seconds = watch.seconds();
  result.arm = percentiles_of(arming);
  result.cancel = percentiles_of(cancelling);
  return result;
}

}  // namespace pinion::timer::bench
