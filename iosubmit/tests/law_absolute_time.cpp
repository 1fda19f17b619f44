// SPDX-License-Identifier: Apache-2.0
//
// S7: a park waits until the time that it is told, whenever the turn began.
#include <algorithm>

#include "rig.hpp"

namespace pinion::iosubmit::testing {
namespace {

// All that may come between the time that is told and the owner's return from its wait.
duration slack(const submission_factory& factory) {
  return duration{1'000'000} + factory.ring.latency + factory.ring.enter_cost * 4 +
         factory.ring.wake_cost * 2;
}

violation a_park_ends_in_time_however_long_the_turn_was(const submission_factory& factory) {
  for (const std::uint64_t length : {0U, 20'000'000U, 24'999'999U, 25'000'000U, 80'000'000U}) {
    probe asked{{.operation = codes::recv}};
    rig io{factory};
    io.ring().serve([](const ring_entry&, instant) -> sim::virtual_answer { return {.at = never}; });
    for (const bool turns : {false, true}) {
      const instant until = io.now() + duration{25'000'000};
      turns ? io.turn() : io.park(io.now());
      if (!turns) io.queue(asked);
      io.clock().advance_by(duration{length});
      const instant end = std::max(until, io.now()) + slack(factory);
      for (int parks = 0; parks == 0 || (io.now() < until && parks < 100); ++parks) io.park(until);
      if (io.now() < until) return broken(factory, "a hundred parks came back before their time");
      if (end < io.now())
        return broken(factory, "after a turn of ", length, " ns a park was late by ", (io.now() - until).ns,
                      " ns");
    }
  }
  return {};
}

}  // namespace

std::vector<clause> absolute_time() {
  return {{"S7", "AParkEndsInTimeHoweverLongTheTurnWas", a_park_ends_in_time_however_long_the_turn_was}};
}

}  // namespace pinion::iosubmit::testing
