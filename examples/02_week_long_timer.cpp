// SPDX-License-Identifier: Apache-2.0
//
// Timers of a week on a stationary_wheel, which never moves a timer by itself: how late is each of its three
// forms, and how often did the loop wake for it? The week passes on a virtual clock.
#include <cstdio>
#include <pinion/sim.hpp>
#include <pinion/timer.hpp>
#include <utility>

using namespace pinion;
using namespace std::chrono_literals;

struct job {
  const char* name;
  instant target;
  bool goes_by_steps = false;
  int times_armed = 1;
};

int main() {
  sim::virtual_clock clock{instant{0} + ceil(1h)};
  timer::stationary_wheel<job> timers{clock.now()};
  const instant target = clock.now() + ceil(7 * 24h + 1234567us);

  // Fires with the tick of the coarsest ring: good enough for most of what is a week away.
  timers.schedule(target, {"plain", target});
  // Fires at or before the target, and says when; the sink arms it again, and comes closer.
  timers.schedule_best_fit(target, {"best fit", target, true});
  // Does that by itself.
  timers.schedule_exact(target, {"exact", target});

  auto fire = [&](timer::handle, instant, job&& due) {
    if (due.goes_by_steps && timers.now() < due.target) {
      ++due.times_armed;
      const instant again = due.target;
      timers.schedule_best_fit(again, std::move(due));
      return;
    }
    const double late_ms = static_cast<double>((timers.now() - due.target).ns) / 1e6;
    std::printf("%s: %.1f ms late, armed %d times\n", due.name, late_ms, due.times_armed);
  };
  const sim::run_result week =
      sim::run_until_idle(clock, timers, [&](instant now) { timers.poll(now, fire); });
  std::printf("a week took %zu turns\n", week.turns);
}
