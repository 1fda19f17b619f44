// SPDX-License-Identifier: Apache-2.0
//
// What live timers hold: of the heap, and in mappings beside it.
#pragma once

#include <malloc.h>
#include <sys/prctl.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "deadlines.hpp"

namespace pinion::timer::bench {

/// What this process holds: what was taken from the heap, and the pages of anonymous mappings that were
/// touched, which are what malloc() maps for large pieces, and what others map. Address space that nobody
/// touched is not held.
inline std::size_t held_bytes() {
  std::size_t held = mallinfo2().uordblks;
  std::ifstream mappings{"/proc/self/smaps"};
  bool is_anonymous = false;
  for (std::string line; std::getline(mappings, line);) {
    // Either "7f00-7f10 rw-p 0000 00:00 0  [path]", or "Anonymous:  12 kB".
    if (line.find(':') > line.find(' ')) is_anonymous = line.find_first_of("/[") == std::string::npos;
    if (is_anonymous && line.starts_with("Anonymous:")) held += std::stoul(line.substr(10)) * 1024;
  }
  return held;
}

struct memory {
  double timer_bytes = 0;  ///< beside the payload
  std::uint64_t checksum = 0;
  std::uint64_t expected = 0;
};

/// What n live timers hold, each, after room for n was reserved, where that can be, and all were once
/// cancelled, armed again and pushed on.
template <class Contestant>
memory measure_memory(std::size_t n) {
  const std::vector<std::uint64_t> when = deadlines(n, 42);
  std::vector<name_of<Contestant>> names(n);
  // Pages of one size, so that the figure is the same wherever it is taken.
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  const std::size_t before = held_bytes();
  Contestant timers{0};
  if constexpr (requires { timers.reserve(n); }) timers.reserve(n);
  for (std::size_t k = 0; k < n; ++k) names[k] = timers.arm(when[k], when[k]);
  shuffle(names, 7);
  for (const auto& h : names) timers.cancel(h);
  for (std::size_t k = 0; k < n; ++k) names[k] = timers.arm(when[k], when[k]);
  for (std::size_t k = 0; k < n; ++k) names[k] = timers.push_on(names[k], when[k] + second, when[k]);
  const double held = static_cast<double>(held_bytes()) - static_cast<double>(before);

  memory result{.expected = sum_of(when)};
  result.timer_bytes = held / static_cast<double>(n) - double{sizeof(std::uint64_t)};
  for (const auto& h : names) result.checksum += timers.cancel(h);
  return result;
}

}  // namespace pinion::timer::bench
