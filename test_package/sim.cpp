// SPDX-License-Identifier: Apache-2.0
//
// The sim part of an installed pinion: a clock goes when it is told to, and something is driven by it.
#include <cstdio>

#ifdef THROUGH_IMPORT
import pinion.sim;
#else
#include <pinion/sim.hpp>
#endif

struct alarm_clock {
  pinion::instant at;
  [[nodiscard]] pinion::instant next_wakeup() const { return at; }
};

int main() {
  pinion::sim::virtual_clock clock{pinion::instant{0}};
  alarm_clock set{pinion::instant{7}};

  const pinion::sim::run_result result =
      pinion::sim::run_until_idle(clock, set, [&](pinion::instant) { set.at = pinion::never; });

  std::printf("sim: %zu turn, at %llu ns\n", result.turns, static_cast<unsigned long long>(clock.now().ns));
  return result.turns == 1 && clock.now() == pinion::instant{7} ? 0 : 1;
}
