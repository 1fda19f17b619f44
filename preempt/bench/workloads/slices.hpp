// SPDX-License-Identifier: Apache-2.0
//
// What slices cost their owner: one that begins where another was, one after which it rests, and the first
// after a time in which nothing had an end.
//
//   measured m = measure_begin_again(source, 1'000'000);
//   first_slices f = measure_first(source, 200);
//
// The ends lie so far ahead that none is reached. The checksum is how often the word was not due where it
// must not be.
#pragma once

#include <time.h>

#include <bench/program/clock.hpp>
#include <bench/program/percentiles.hpp>
#include <bench/program/program.hpp>
#include <cstddef>
#include <cstdint>
#include <pinion/base/kernel.hpp>
#include <pinion/base/time.hpp>
#include <pinion/preempt/concept.hpp>
#include <vector>

#include "looks.hpp"

namespace pinion::preempt::bench {

/// Far enough ahead for no slice here to end.
inline constexpr duration far_ahead{3'600'000'000'000};

/// Sleeps until then, as a loop does that has nothing to run.
inline void sleep_until(instant then) noexcept {
  const auto when = kernel_time::of(then).as<timespec>();
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, nullptr) != 0) {
  }
}

/// n slices, each where the last one was. The end of each is another.
template <preempt_source Source, class Meter = stopwatch>
measured measure_begin_again(Source& source, std::size_t n) {
  measured result{.operations = n, .expected = n};
  instant now = monotonic_clock::now();
  source.begin(now, now + far_ahead);
  const Meter watch;
  for (std::size_t k = 0; k < n; ++k) {
    now = now + duration{1};
    source.begin(now, now + far_ahead);
    result.checksum += checkpoint(source.word()) ? 0U : 1U;
  }
  result.seconds = watch.seconds();
  source.rest();
  return result;
}

/// n slices, and a rest after each.
template <preempt_source Source, class Meter = stopwatch>
measured measure_begin_and_rest(Source& source, std::size_t n) {
  measured result{.operations = n, .expected = 2 * n};
  instant now = monotonic_clock::now();
  const Meter watch;
  for (std::size_t k = 0; k < n; ++k) {
    now = now + duration{1};
    source.begin(now, now + far_ahead);
    result.checksum += checkpoint(source.word()) ? 0U : 1U;
    source.rest();
    result.checksum += checkpoint(source.word()) ? 0U : 1U;
  }
  result.seconds = watch.seconds();
  return result;
}

struct first_slices {
  pinion::bench::percentiles spread{};  ///< of one begin(), wall time
  double seconds = 0;
  std::uint64_t checksum = 0;
  std::uint64_t expected = 0;
};

/// n slices of 1 ms, before each of which its owner slept for 1 ms.
template <preempt_source Source>
first_slices measure_first(Source& source, std::size_t n) {
  using pinion::bench::ticks_in_order;
  constexpr duration millisecond{1'000'000};
  first_slices result{.expected = n};
  std::vector<double> samples;
  samples.reserve(n);
  const double ns_each = pinion::bench::ns_per_tick();
  const stopwatch watch;
  for (std::size_t k = 0; k < n; ++k) {
    source.rest();
    sleep_until(monotonic_clock::now() + millisecond);
    const instant now = monotonic_clock::now();
    const std::uint64_t begin = ticks_in_order();
    source.begin(now, now + far_ahead);
    samples.push_back(static_cast<double>(ticks_in_order() - begin) * ns_each);
    result.checksum += checkpoint(source.word()) ? 0U : 1U;
  }
  source.rest();
  result.seconds = watch.seconds();
  result.spread = pinion::bench::percentiles_of(samples);
  return result;
}

}  // namespace pinion::preempt::bench
