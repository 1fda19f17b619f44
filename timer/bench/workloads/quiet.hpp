// SPDX-License-Identifier: Apache-2.0
//
// What a turn of a loop pays while nothing is due: asking when to wake up, and a poll that finds nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "deadlines.hpp"

namespace pinion::timer::bench {

/// n live, and asked `calls` times when the next one is due. Right is an answer that leads to the earliest
/// timer: going from each answer to the next, the first advance that fires anything fires that one, within
/// eight steps.
template <class Contestant, class Meter = stopwatch>
measured measure_next_wakeup(std::size_t n, std::size_t calls = 1'000'000) {
  const std::vector<std::uint64_t> when = deadlines(n, 42);
  Contestant timers{0};
  arm_all(timers, when);

  measured result{.operations = calls};
  std::uint64_t answers = 0;
  const Meter watch;
  for (std::size_t k = 0; k < calls; ++k) {
    answers += timers.next_wakeup();
    asm volatile("" ::: "memory");  // asked anew each time, as after anything that might have armed a timer
  }
  result.seconds = watch.seconds();

  constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t earliest = none;
  for (int steps = 0; steps < 8 && earliest == none; ++steps) {
    timers.advance(timers.next_wakeup(),
                   [&](std::uint64_t payload) { earliest = std::min(earliest, payload); });
  }
  result.checksum = answers == 0 ? 0 : earliest;
  result.expected = *std::min_element(when.begin(), when.end());
  return result;
}

/// n timeouts that are due after 30 to 60 s, and a poll at each millisecond of the first 20 s, which finds
/// nothing.
template <class Contestant, class Meter = stopwatch>
measured measure_empty_tick(std::size_t n, std::size_t rounds) {
  constexpr std::uint64_t milliseconds = 20'000;
  random_numbers random{77};
  std::vector<std::uint64_t> when(n);
  for (std::uint64_t& d : when) d = 30 * second + random.below(30 * second);
  measured result;
  for (std::size_t round = 0; round < rounds; ++round) {
    Contestant timers{0};
    const auto names = arm_all(timers, when);

    const Meter watch;
    for (std::uint64_t ms = 1; ms <= milliseconds; ++ms) {
      timers.advance(ms * millisecond, [&](std::uint64_t) { ++result.checksum; });
    }
    result.seconds += watch.seconds();

    for (const auto& h : names) result.checksum += timers.cancel(h);
    result.operations += milliseconds;
    result.expected += sum_of(when);
  }
  return result;
}

}  // namespace pinion::timer::bench
