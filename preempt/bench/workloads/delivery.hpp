// SPDX-License-Identifier: Apache-2.0
//
// How long after the end of a slice its word is seen to be due, by a task that looks each 0.1 us.
//
//   deliveries m = measure_delivery(source, ceil(1ms), 200);
//
// Wall time. The checksum is how many slices ended, and had not before their time unless the source's traits
// say that they may.
#pragma once

#include <bench/program/clock.hpp>
#include <bench/program/cores.hpp>
#include <bench/program/percentiles.hpp>
#include <cstddef>
#include <cstdint>
#include <pinion/base/time.hpp>
#include <pinion/preempt/concept.hpp>
#include <string>
#include <vector>

#include "hog_work.hpp"
#include "looks.hpp"
#include "stolen_time.hpp"

namespace pinion::preempt::bench {

struct deliveries {
  pinion::bench::percentiles late{};  ///< in ns
  double late_worst = 0;
  std::size_t early = 0;  ///< were due before their time
  double stolen_ns = 0;
  double seconds = 0;
  std::uint64_t checksum = 0;
  std::uint64_t expected = 0;
  std::string fault{};
};

/// n slices of that length.
template <preempt_source Source>
deliveries measure_delivery(Source& source, duration length, std::size_t n) {
  constexpr std::size_t steps_between_looks = 74;
  constexpr duration patience{2'000'000'000};
  const pinion::bench::on_core place{0};
  deliveries result{.expected = n};
  std::vector<double> samples;
  samples.reserve(n);
  const stolen_time stolen;
  const pinion::bench::wall_stopwatch watch;
  std::uint64_t x = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const instant now = monotonic_clock::now();
    const instant until = now + length;
    source.begin(now, until);
    std::size_t looks = 0;
    while (!checkpoint(source.word())) {
      x = hog_work::steps(x, steps_between_looks);
      // Seldom: reading the clock would be most of what there is between two looks.
      if (++looks % 4'096 == 0 && until + patience < monotonic_clock::now()) {
        result.expected = result.checksum;  // else that would be told first
        result.fault =
            "a slice of " + std::to_string(length.ns) + " ns was not over two seconds after its end";
        return result;
      }
    }
    const instant seen = monotonic_clock::now();
    samples.push_back(static_cast<double>((seen - until).ns));
    if (seen < until) ++result.early;
    if (until <= seen || Source::traits.may_be_early) ++result.checksum;
  }
  source.rest();
  result.seconds = watch.seconds();
  result.stolen_ns = stolen.ns();
  unknown(x);
  result.late = pinion::bench::percentiles_of(samples);
  result.late_worst = samples.back();
  return result;
}

}  // namespace pinion::preempt::bench
