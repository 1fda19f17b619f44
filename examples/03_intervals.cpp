// SPDX-License-Identifier: Apache-2.0
//
// Intervals with a plain loop: something every 100 ms, armed anew by its own sink. Counted from the deadline
// the interval keeps its phase, however late the loop polls; counted from now it drifts by each delay. The
// time is virtual: every reading of it is up to 5 ms late, and once the loop hangs for 350 ms.
#include <cstdio>
#include <pinion/sim.hpp>
#include <pinion/timer.hpp>

using namespace pinion;
using namespace std::chrono_literals;

namespace {

constexpr duration period = ceil(100ms);

struct interval {
  const char* name;
  instant (*next)(instant deadline, instant now);
  instant last{0};
  int fired = 0;
};

// From the deadline: a turn that was late does not shift the ones after it, and a period that was missed is
// made up for, one in each poll: what a sink arms never fires in the same poll.
instant burst(instant deadline, instant) { return deadline + period; }

// From the deadline, leaving out what was missed: the first one after now that is in phase.
instant skip(instant deadline, instant now) {
  return deadline + period * ((now - deadline).ns / period.ns + 1);
}

// From now: at least a period lies between any two.
instant delay(instant, instant now) { return now + period; }

}  // namespace

int main() {
  sim::virtual_clock clock{instant{0}};
  clock.tick(ceil(5ms), /*seed=*/1);

  timer::deferred_wheel<interval*> timers{clock.time()};
  interval intervals[] = {{"burst", burst}, {"skip", skip}, {"delay", delay}};
  for (interval& each : intervals) timers.schedule(clock.time() + period, &each);

  bool hangs = true;
  sim::run_until(clock, instant{0} + ceil(10s + 50ms), timers, [&](instant now) {
    if (hangs && instant{0} + ceil(5s) < now) {
      clock.advance_by(ceil(350ms));
      now = clock.now();
      hangs = false;
    }
    timers.poll(now, [&](timer::handle, instant deadline, interval* each) {
      ++each->fired;
      each->last = now;
      timers.schedule(each->next(deadline, now), std::move(each));
    });
  });

  for (const interval& each : intervals) {
    const auto since = floor_to<std::chrono::milliseconds>(each.last - instant{0});
    std::printf("%s: %d times in 10 s, the last at %lld ms\n", each.name, each.fired,
                static_cast<long long>(since.count()));
  }
}
