// SPDX-License-Identifier: Apache-2.0
//
// deferred_wheel: a wheel for timers that are nearly all cancelled or pushed on, and hardly ever fire.
//
// Six levels of 256 slots (the last of 16) over ticks of 2^20 ns (1.05 ms) reach every 64-bit time. Nothing
// in it depends on how far ahead a timer is. What makes it fast is slab_wheel's: pushing on is one store, a
// timeout that is cancelled and armed again places nothing, and firing reads whole cache lines that say what
// to fetch next. Every timer is late by at most a tick.
//
//   deferred_wheel<task> timers{monotonic_clock::now()};
//   handle idle = timers.schedule(now + ceil(60s), task{});
//   timers.reschedule(idle, now + ceil(60s));     // for each request: one store
//
// One owner at a time; no member may be called by another thread meanwhile, not even a const one.
#pragma once

#include <pinion/timer/wheel/deferred_levels.hpp>
#include <pinion/timer/wheel/slab_wheel.hpp>

namespace pinion::timer::inline PINION_MODE {

template <class Value>
class deferred_wheel : public slab_wheel<Value, deferred_levels> {
 public:
  using slab_wheel<Value, deferred_levels>::slab_wheel;
};

}  // namespace pinion::timer::inline PINION_MODE
