// SPDX-License-Identifier: Apache-2.0
//
// A million timers in a second: armed, a third of them cancelled, and all others fired in the second they are
// due in, with no turn of the loop longer than 512 of them. The second is virtual; the work is real.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <pinion/sim.hpp>
#include <pinion/timer.hpp>
#include <vector>

using namespace std::chrono_literals;
namespace timer = pinion::timer;

int main() {
  constexpr std::uint32_t count = 1'000'000;
  pinion::sim::virtual_clock clock{pinion::instant{0}};
  timer::timer_queue<timer::deferred_wheel<std::uint32_t>, pinion::sim::virtual_clock::view> timers{clock};
  timers.reserve(count);

  // A microsecond apart, in an order that jumps about.
  std::vector<timer::handle> handles(count);
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::uint32_t number = static_cast<std::uint32_t>(std::uint64_t{k} * 617'713 % count);
    handles[number] = timers.after(std::chrono::microseconds{number + 1}, std::uint32_t{number});
  }
  std::printf("armed %zu\n", timers.size());

  std::size_t cancelled = 0;
  for (std::uint32_t number = 0; number < count; number += 3)
    cancelled += timers.cancel(handles[number]) ? 1U : 0U;
  std::printf("cancelled %zu\n", cancelled);

  std::size_t fired = 0, early = 0, late = 0, turn_max = 0;
  const pinion::duration bound = timers.lateness_bound(pinion::ceil(1s));
  pinion::sim::run_until_idle(clock, timers, [&] {
    const timer::poll_result turn =
        timers.poll(512, [&](timer::handle, pinion::instant deadline, std::uint32_t) {
          if (timers.latest() < deadline) ++early;
          if (deadline + bound < timers.latest()) ++late;
        });
    fired += turn.fired;
    if (turn_max < turn.fired) turn_max = turn.fired;
  });
  std::printf("fired %zu, %zu of them early, %zu late by more than a tick\n", fired, early, late);
  std::printf("the longest turn fired %zu\n", turn_max);
  std::printf("left %zu\n", timers.size());
}
