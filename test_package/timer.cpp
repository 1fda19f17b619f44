// SPDX-License-Identifier: Apache-2.0
//
// The timer part of an installed pinion: a timer fires, from the store that the build was asked to make the
// default.
#include <cstdio>
#include <type_traits>

#ifdef THROUGH_IMPORT
import pinion.timer;
#else
#include <pinion/timer.hpp>
#endif

#define TEXT_OF(name) #name
#define NAME_OF(name) TEXT_OF(name)

int main() {
  using store = pinion::timer::default_store<int>;
  if (!std::is_same_v<store, pinion::timer::EXPECTED_TIMER_DEFAULT<int>>) {
    std::puts("timer: default_store is not " NAME_OF(EXPECTED_TIMER_DEFAULT));
    return 1;
  }
  int fired = 0;
  store timers{pinion::instant{0}};

  timers.schedule(pinion::instant{10'000'000}, 7);
  timers.poll(pinion::instant{20'000'000},
              [&](pinion::timer::handle, pinion::instant, int&& value) { fired += value; });

  std::printf("timer: default_store is " NAME_OF(EXPECTED_TIMER_DEFAULT) ", fired %d\n", fired);
  return fired == 7 ? 0 : 1;
}
