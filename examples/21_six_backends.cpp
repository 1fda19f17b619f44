// SPDX-License-Identifier: Apache-2.0
//
// One timer, armed at 10 s for 40 s, in each backend: when it wants to be looked at, and what happens then.
#include <cstdio>
#include <pinion/timer.hpp>

using namespace pinion;

namespace {

constexpr instant ten_seconds{10'000'000'000};
constexpr instant forty_seconds{40'000'000'000};

void say(const char* name, instant now, timer::poll_result result) {
  std::printf("%-16s  %.9f s  %s\n", name, static_cast<double>(now.ns) / 1e9,
              result.fired != 0 ? "fires" : "is moved");
}

template <class Store>
void follow(const char* name) {
  Store timers{ten_seconds};
  timers.schedule(forty_seconds, 1);
  while (timers.size() != 0) {
    const instant now = timers.next_wakeup();
    say(name, now, timers.poll(now, [](timer::handle, instant, int&&) {}));
  }
}

}  // namespace

int main() {
  follow<timer::ordered_map<int>>("ordered_map");
  follow<timer::two_level_wheel<int>>("two_level_wheel");
  follow<timer::stationary_wheel<int>>("stationary_wheel");
  follow<timer::overflow_wheel<int>>("overflow_wheel");
  follow<timer::deferred_wheel<int>>("deferred_wheel");

  timer::bitmap_wheel entries{ten_seconds};
  timer::bitmap_wheel::entry entry;
  entries.schedule(entry, forty_seconds);
  while (entry.is_armed()) {
    const instant now = entries.next_wakeup();
    say("bitmap_wheel", now, entries.poll(now));
  }
}
