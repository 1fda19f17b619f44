// SPDX-License-Identifier: Apache-2.0
//
// The scheduler part of an installed pinion: a turn of a timer queue and a channel waits until the timer is
// due.
#include <cstdio>

#ifdef THROUGH_IMPORT
import pinion.scheduler;
#else
#include <pinion/scheduler.hpp>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>
#endif

int main() {
  pinion::timer::timer_queue<pinion::timer::call_wheel> timers;
  pinion::waker::wake_channel<pinion::waker::tagged_inbox, pinion::waker::futex_notifier> channel;
  bool fired = false;
  pinion::timer::timer_call timer{
      [](pinion::timer::timer_call& self) { *static_cast<bool*>(self.context) = true; }, &fired};
  const pinion::instant due = pinion::monotonic_clock::now() + pinion::duration{5'000'000};
  timers.at(due, timer);

  pinion::scheduler::turn loop{timers, channel};
  for (int turns = 0; !fired && turns != 1000; ++turns) loop();
  const bool in_time = pinion::monotonic_clock::now() >= due;

#if EXPECTED_WITH_JEMALLOC
  pinion::scheduler::jemalloc_frames frames;
  frames.deallocate(frames.allocate(200), 200);
#endif

  std::printf("scheduler: a turn waited for a timer of 5 ms: %s\n", fired && in_time ? "yes" : "no");
  return fired && in_time ? 0 : 1;
}
