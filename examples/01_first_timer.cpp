// SPDX-License-Identifier: Apache-2.0
//
// The smallest use of a timer store: arm, push on, cancel, poll. Time is whatever poll() is told.
#include <cstdio>
#include <pinion/timer.hpp>
#include <string>

int main() {
  using namespace pinion;
  timer::ordered_map<std::string> timers{instant{0}};

  timer::handle idle = timers.schedule(instant{30'000}, "idle timeout");
  timer::handle read = timers.schedule(instant{10'000}, "read timeout");
  timers.schedule(instant{20'000}, "keep-alive");

  timers.reschedule(idle, instant{60'000});  // there was traffic
  timers.cancel(read);                       // the read is done

  std::printf("sleep until %llu ns\n", static_cast<unsigned long long>(timers.next_wakeup().ns));
  timers.poll(instant{25'000}, [](timer::handle, instant, std::string&& what) { std::puts(what.c_str()); });
  std::printf("%zu left\n", timers.size());
}
