// SPDX-License-Identifier: Apache-2.0
//
// pinion's timer part: the concepts with their laws, every store, and what stands around the stores.
#pragma once

#include <pinion/base/inline_function.hpp>
#include <pinion/timer/calling_queue.hpp>
#include <pinion/timer/concept.hpp>
#include <pinion/timer/default_store.hpp>
#include <pinion/timer/handle.hpp>
#include <pinion/timer/interval.hpp>
#include <pinion/timer/intrusive_timer.hpp>
#include <pinion/timer/ordered_map.hpp>
#include <pinion/timer/phase.hpp>
#include <pinion/timer/sleep.hpp>
#include <pinion/timer/slot_options.hpp>
#include <pinion/timer/statistics.hpp>
#include <pinion/timer/ticker.hpp>
#include <pinion/timer/timer_call.hpp>
#include <pinion/timer/timer_hook.hpp>
#include <pinion/timer/timer_queue.hpp>
#include <pinion/timer/wheel/bitmap_wheel.hpp>
#include <pinion/timer/wheel/deferred_hook_wheel.hpp>
#include <pinion/timer/wheel/deferred_levels.hpp>
#include <pinion/timer/wheel/deferred_wheel.hpp>
#include <pinion/timer/wheel/hook_wheel.hpp>
#include <pinion/timer/wheel/nested_levels.hpp>
#include <pinion/timer/wheel/overflow_wheel.hpp>
#include <pinion/timer/wheel/overlapping_levels.hpp>
#include <pinion/timer/wheel/slab_wheel.hpp>
#include <pinion/timer/wheel/stationary_id.hpp>
#include <pinion/timer/wheel/stationary_rings.hpp>
#include <pinion/timer/wheel/stationary_wheel.hpp>
#include <pinion/timer/wheel/two_level_wheel.hpp>
#include <pinion/timer/when.hpp>
