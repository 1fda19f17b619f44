// SPDX-License-Identifier: Apache-2.0
//
// A backend of your own: name its levels, and take an engine.
#include <cstdio>
#include <pinion/timer.hpp>

using namespace pinion;

// 512 slots of 0.1 ms, 64 of 51.2 ms, 64 of 3.3 s: 3.5 minutes. What is beyond is placed anew from there.
using fine_levels = timer::nested_levels<100'000, 9, 6, 6>;

// A store that owns its values.
template <class Value>
class fine_wheel : public timer::slab_wheel<Value, fine_levels> {
 public:
  using timer::slab_wheel<Value, fine_levels>::slab_wheel;
};
static_assert(timer::timer_store<fine_wheel<int>>);

// A store of timers that live in objects of the program's own.
struct request : timer::timer_hook {
  int number = 0;
};
using request_wheel = timer::hook_wheel<request, fine_levels>;
static_assert(timer::intrusive_timer_store<request_wheel>);

int main() {
  fine_wheel<int> values{instant{0}};
  values.schedule(instant{250'000}, 1);
  values.schedule(instant{10'000'000}, 2);
  values.schedule(instant{1'000'000'000}, 3);
  while (values.size() != 0) {
    const instant now = values.next_wakeup();
    const timer::poll_result result = values.poll(now, [&](timer::handle, instant deadline, int&& value) {
      std::printf("value %d, %llu us late\n", value,
                  static_cast<unsigned long long>((now - deadline).ns / 1000));
    });
    std::printf("at %.1f ms: fired %zu, moved %zu\n", static_cast<double>(now.ns) / 1e6, result.fired,
                result.moved);
  }

  request_wheel requests{instant{0}};
  request first;
  first.number = 4;
  requests.schedule(first, instant{250'000});
  {
    request gone;
    requests.schedule(gone, instant{250'000});
  }  // its destructor has cancelled it
  requests.poll(requests.next_wakeup(), [](request& due) { std::printf("request %d\n", due.number); });
}
