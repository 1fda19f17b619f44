// SPDX-License-Identifier: Apache-2.0
//
// pinion's timer part: the concepts with their laws, and every store.
#pragma once

#include <pinion/timer/bitmap_wheel.hpp>
#include <pinion/timer/cancel_slot.hpp>
#include <pinion/timer/clocked_store.hpp>
#include <pinion/timer/concept.hpp>
#include <pinion/timer/default_store.hpp>
#include <pinion/timer/deferred_hook_wheel.hpp>
#include <pinion/timer/deferred_levels.hpp>
#include <pinion/timer/deferred_wheel.hpp>
#include <pinion/timer/embedded_timer.hpp>
#include <pinion/timer/handle.hpp>
#include <pinion/timer/hook_queue.hpp>
#include <pinion/timer/hook_wheel.hpp>
#include <pinion/timer/inline_function.hpp>
#include <pinion/timer/interval.hpp>
#include <pinion/timer/intrusive_timer.hpp>
#include <pinion/timer/nested_levels.hpp>
#include <pinion/timer/ordered_map.hpp>
#include <pinion/timer/overflow_wheel.hpp>
#include <pinion/timer/overlapping_levels.hpp>
#include <pinion/timer/owning.hpp>
#include <pinion/timer/phase.hpp>
#include <pinion/timer/slab_wheel.hpp>
#include <pinion/timer/sleep.hpp>
#include <pinion/timer/slot_map.hpp>
#include <pinion/timer/stationary_id.hpp>
#include <pinion/timer/stationary_rings.hpp>
#include <pinion/timer/stationary_wheel.hpp>
#include <pinion/timer/ticker.hpp>
#include <pinion/timer/timed_wait.hpp>
#include <pinion/timer/timer_call.hpp>
#include <pinion/timer/timer_queue.hpp>
#include <pinion/timer/two_level_wheel.hpp>
#include <pinion/timer/when.hpp>
#include <pinion/timer/work_counter.hpp>
