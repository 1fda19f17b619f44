// SPDX-License-Identifier: Apache-2.0
//
// The smallest use: arm, push on, cancel, poll. Time is whatever you pass in.
#include <chrono>
#include <cstdio>
#include <pinion/timer.hpp>
#include <string>

int main() {
  using namespace pinion;
  using namespace std::chrono_literals;
  const instant start = monotonic_clock::now();
  timer::default_store<std::string> timers{start};

  timer::handle idle = timers.schedule(start + ceil(30s), "idle timeout");
  timer::handle read = timers.schedule(start + ceil(10s), "read timeout");
  timers.schedule(start + ceil(20s), "keep-alive");

  timers.reschedule(idle, start + ceil(60s));  // there was traffic
  timers.cancel(read);                         // the read is done

  while (timers.size() != 0) {
    const instant now = timers.next_wakeup();  // a loop would sleep until then
    timers.poll(now, [&](timer::handle, instant deadline, std::string&& what) {
      const auto after = floor_to<std::chrono::seconds>(deadline - start);
      std::printf("%s, armed for %lld s\n", what.c_str(), static_cast<long long>(after.count()));
    });
  }
}
