// SPDX-License-Identifier: Apache-2.0
//
// What tests of real timers share: whether there are any here, and a busy loop that ends when a word is due.
#pragma once

#include <chrono>
#include <cstdint>
#include <pinion/preempt.hpp>
#include <string>
#include <system_error>

namespace pinion::preempt::testing {

// Why there can be no posix_timer_source here; empty if there can.
inline std::string no_timers() {
  try {
    const posix_timer_source one;
  } catch (const std::system_error& refused) {
    return refused.what();
  }
  return {};
}

// Whether that comes to be, in a loop that does nothing else. The limit is for a failure, and long.
template <class Condition>
bool comes_true(Condition condition) {
  const instant limit = monotonic_clock::now() + ceil(std::chrono::seconds{120});
  for (std::uint64_t times = 0; !condition(); ++times)
    if (times % 1'024 == 0 && limit < monotonic_clock::now()) return false;
  return true;
}
inline bool becomes_due(const word& of) {
  return comes_true([&of] { return of.is_due(); });
}

// A slice that begins now.
template <class Source>
void begin(Source& source, duration quantum) {
  const instant now = monotonic_clock::now();
  source.begin(now, now + quantum);
}

}  // namespace pinion::preempt::testing
