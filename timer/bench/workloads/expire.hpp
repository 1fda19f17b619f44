// SPDX-License-Identifier: Apache-2.0
//
// Timers that fire: millisecond by millisecond, and all at once after a jump of the clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "deadlines.hpp"

namespace pinion::timer::bench {

/// n timers over a minute, expired millisecond by millisecond.
template <class Contestant, class Meter = stopwatch>
measured measure_expire(std::size_t n, std::size_t rounds) {
  const std::vector<std::uint64_t> when = deadlines(n, 42);
  measured result;
  for (std::size_t round = 0; round < rounds; ++round) {
    Contestant timers{0};
    arm_all(timers, when);

    const Meter watch;
    for (std::uint64_t ms = 1; ms <= 60'001; ++ms) {
      timers.advance(ms * millisecond, [&](std::uint64_t payload) { result.checksum += payload; });
    }
    // A store whose ticks are coarse has a last few left.
    timers.advance(62 * second, [&](std::uint64_t payload) { result.checksum += payload; });
    result.seconds += watch.seconds();

    result.operations += n;
    result.expected += sum_of(when);
  }
  return result;
}

/// n timers over a minute, all due in one advance to 60.001 s.
template <class Contestant, class Meter = stopwatch>
measured measure_jump(std::size_t n, std::size_t rounds) {
  const std::vector<std::uint64_t> when = deadlines(n, 42);
  measured result;
  for (std::size_t round = 0; round < rounds; ++round) {
    Contestant timers{0};
    arm_all(timers, when);

    const Meter watch;
    timers.advance(60'001 * millisecond, [&](std::uint64_t payload) { result.checksum += payload; });
    result.seconds += watch.seconds();

    timers.advance(62 * second, [&](std::uint64_t payload) { result.checksum += payload; });
    result.operations += n;
    result.expected += sum_of(when);
  }
  return result;
}

}  // namespace pinion::timer::bench
