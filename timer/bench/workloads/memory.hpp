// SPDX-License-Identifier: Apache-2.0
//
// What live timers hold: of the heap, and of memory mapped past it.
#pragma once

#include <malloc.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "deadlines.hpp"

namespace pinion::timer::bench {

/// What this process holds, but for what its heap keeps for later.
class held_memory {
 public:
  held_memory() : heap_(mallinfo2()), address_space_(address_space()) {}

  /// Bytes more than `before`: taken from the heap, and mapped by somebody else.
  [[nodiscard]] std::size_t since(const held_memory& before) const {
    const std::size_t taken = (heap_.uordblks + heap_.hblkhd) - (before.heap_.uordblks + before.heap_.hblkhd);
    const std::size_t grown = address_space_ - before.address_space_;
    const std::size_t heap_grown = (heap_.arena + heap_.hblkhd) - (before.heap_.arena + before.heap_.hblkhd);
    return taken + (grown > heap_grown ? grown - heap_grown : 0);
  }

 private:
  static std::size_t address_space() {
    unsigned long pages = 0;
    if (std::FILE* const file = std::fopen("/proc/self/statm", "r")) {
      if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
      std::fclose(file);
    }
    return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  }

  struct mallinfo2 heap_;
  std::size_t address_space_;
};

struct memory {
  double timer_bytes = 0;  ///< beside the payload
  std::uint64_t checksum = 0;
  std::uint64_t expected = 0;
};

/// What n live timers hold, each, after room for n was reserved, where that can be, and all were once cancelled, armed
/// again and pushed on.
template <class Contestant>
memory measure_memory(std::size_t n) {
  const std::vector<std::uint64_t> when = deadlines(n, 42);
  std::vector<name_of<Contestant>> names;
  names.reserve(n);
  const held_memory before;
  Contestant timers{0};
  if constexpr (requires { timers.reserve(n); }) timers.reserve(n);
  for (const std::uint64_t d : when) names.push_back(timers.arm(d, d));
  shuffle(names, 7);
  for (const auto& h : names) timers.cancel(h);
  for (std::size_t k = 0; k < n; ++k) names[k] = timers.arm(when[k], when[k]);
  for (std::size_t k = 0; k < n; ++k) names[k] = timers.push_on(names[k], when[k] + second, when[k]);
  const held_memory after;

  memory result{.expected = sum_of(when)};
  result.timer_bytes =
      static_cast<double>(after.since(before)) / static_cast<double>(n) - double{sizeof(std::uint64_t)};
  for (const auto& h : names) result.checksum += timers.cancel(h);
  return result;
}

}  // namespace pinion::timer::bench
