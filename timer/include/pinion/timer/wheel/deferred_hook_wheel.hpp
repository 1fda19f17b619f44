// SPDX-License-Identifier: Apache-2.0
//
// deferred_hook_wheel: deferred_wheel for timers that are part of an object, such as a connection.
//
// The same levels over hooks in the caller's storage: no handle, no slot, nothing allocated, and nothing that
// can fail. Pushing on is one store as well. A hook is 40 bytes of its object, and its destructor cancels it.
//
//   struct connection : timer_hook {
//     void close() { is_open = false; }
//     bool is_open = true;
//   };
//   deferred_hook_wheel<connection> timers{monotonic_clock::now()};
//   connection client;
//   timers.schedule(client, now + ceil(60s));
//   timers.reschedule(client, now + ceil(60s));   // for each request
//   timers.poll(now, [](connection& c) { c.close(); });
//
// One owner at a time, for the wheel and every hook armed in it.
#pragma once

#include <pinion/timer/wheel/deferred_levels.hpp>
#include <pinion/timer/wheel/hook_wheel.hpp>

namespace pinion::timer::inline PINION_MODE {

/// All that hook_wheel promises, over deferred_wheel's levels.
template <class Hook>
using deferred_hook_wheel = hook_wheel<Hook, deferred_levels>;

}  // namespace pinion::timer::inline PINION_MODE
