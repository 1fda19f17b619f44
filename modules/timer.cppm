// SPDX-License-Identifier: Apache-2.0
//
// import pinion.timer: what <pinion/timer.hpp> declares, the same entities.
module;
#include <pinion/timer.hpp>

export module pinion.timer;
export import pinion.base;

export namespace pinion::timer {
using pinion::timer::allocation;
using pinion::timer::bitmap_wheel;
using pinion::timer::call_wheel;
using pinion::timer::calling_hook;
using pinion::timer::calling_queue;
using pinion::timer::calls;
using pinion::timer::coalesce;
using pinion::timer::compaction_config;
using pinion::timer::default_store;
using pinion::timer::deferred_hook_wheel;
using pinion::timer::deferred_levels;
using pinion::timer::deferred_wheel;
using pinion::timer::delay;
using pinion::timer::delay_or_point;
using pinion::timer::firing_order;
using pinion::timer::growth;
using pinion::timer::handle;
using pinion::timer::hook_wheel;
using pinion::timer::interval;
using pinion::timer::intrusive_timer;
using pinion::timer::intrusive_timer_store;
using pinion::timer::level_geometry;
using pinion::timer::missed_ticks;
using pinion::timer::nested_levels;
using pinion::timer::ordered_map;
using pinion::timer::overflow_wheel;
using pinion::timer::overlapping_levels;
using pinion::timer::phase;
using pinion::timer::point_in_time;
using pinion::timer::poll_result;
using pinion::timer::ring_statistics;
using pinion::timer::rings_from_tick;
using pinion::timer::rings_of;
using pinion::timer::sink_for;
using pinion::timer::slab_wheel;
using pinion::timer::sleep_for;
using pinion::timer::sleep_until;
using pinion::timer::slot_options;
using pinion::timer::stationary_id;
using pinion::timer::stationary_wheel;
using pinion::timer::store_core;
using pinion::timer::store_statistics;
using pinion::timer::store_traits;
using pinion::timer::tick;
using pinion::timer::ticker;
using pinion::timer::timer_call;
using pinion::timer::timer_clock;
using pinion::timer::timer_hook;
using pinion::timer::timer_queue;
using pinion::timer::timer_store;
using pinion::timer::two_level_id;
using pinion::timer::two_level_wheel;
using pinion::timer::unlimited;
}  // namespace pinion::timer
