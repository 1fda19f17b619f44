// SPDX-License-Identifier: Apache-2.0
//
// What stands around the stores, through `import`: names are exported, templates can be made, coroutines can
// sleep.
#include <gtest/gtest.h>

#include <chrono>
#include <coroutine>
#include <memory>
#include <utility>

#include "virtual_time.hpp"

import pinion.timer;

namespace {

using namespace std::chrono_literals;
using pinion::ceil;
using pinion::instant;
using pinion::timer::testing::task;
using pinion::timer::testing::virtual_clock;
namespace timer = pinion::timer;

struct counter {
  void count() { ++calls; }
  int calls = 0;
};

TEST(around_the_stores, ACallbackATimerAndAnIntervalRun) {
  instant time{};
  timer::timer_queue<timer::deferred_wheel<pinion::inline_function<void()>>, virtual_clock> values{
      virtual_clock{&time}};
  timer::timer_queue<timer::call_wheel, virtual_clock> hooks{virtual_clock{&time}};
  counter c;
  timer::intrusive_timer<decltype(hooks)> idle{hooks, timer::calls<&counter::count>, c};
  timer::interval<decltype(values)> beat{values, timer::calls<&counter::count>, c};

  idle.arm(10ms);
  beat.start(10ms, timer::missed_ticks::skip);
  values.after(10ms, pinion::boxed([&c, by = std::make_unique<int>(10)] { c.calls += *by; }));
  time = instant{} + ceil(12ms);
  values.run();
  hooks.run();

  EXPECT_EQ(c.calls, 12);
  EXPECT_EQ(values.timeout_ms(), 9) << "at 20 ms, and up to a tick";
}

TEST(around_the_stores, CoroutinesSleepAreCancelledAndTick) {
  instant time{};
  timer::timer_queue<timer::call_wheel, virtual_clock> timers{virtual_clock{&time}};
  pinion::cancel_slot slot;
  int stage = 0;
  const auto run = [](auto& q, pinion::cancel_slot& s, int& reached) -> task {
    timer::ticker beat{q, 10ms, timer::missed_ticks::burst};
    co_await timer::sleep_for(q, 10ms);
    reached = 1;
    co_await beat.next();
    reached = 2;
    if (!co_await timer::sleep_until(q, pinion::never, s)) reached = 3;
  };
  const task t = run(timers, slot, stage);

  time = instant{} + ceil(12ms);
  timers.run();
  EXPECT_EQ(stage, 1);
  timers.run();
  EXPECT_EQ(stage, 2);
  slot.request();
  timers.run();

  EXPECT_EQ(stage, 3);
}

}  // namespace
