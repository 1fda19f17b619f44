// SPDX-License-Identifier: Apache-2.0
//
// The smallest wake: a thread wakes another one, which sleeps until then.
#include <cstdio>
#include <pinion/scheduler.hpp>
#include <pinion/waker.hpp>
#include <thread>

int main() {
  pinion::waker::default_channel channel;
  pinion::waker::wake_event event{channel};
  pinion::scheduler::turn loop{pinion::scheduler::absent, channel};

  std::thread other{[&event, sender = channel.sender()] { sender.push(event); }};
  while (!event.is_woken()) loop();
  other.join();
  std::puts("woken");
}
