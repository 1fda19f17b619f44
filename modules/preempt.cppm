// SPDX-License-Identifier: Apache-2.0
//
// import pinion.preempt: what <pinion/preempt.hpp> declares, the same entities.
module;
#include <pinion/preempt.hpp>
export module pinion.preempt;

export import pinion.base;

export namespace pinion::preempt {
using pinion::preempt::always_due;
using pinion::preempt::asking_word;
using pinion::preempt::call_budget;
using pinion::preempt::can_yield;
using pinion::preempt::checkpoint;
using pinion::preempt::chunks;
using pinion::preempt::default_source;
using pinion::preempt::for_each;
using pinion::preempt::holds_off_yield;
using pinion::preempt::may_yield_after;
using pinion::preempt::never_due;
using pinion::preempt::no_yield;
using pinion::preempt::operation_budget;
using pinion::preempt::operation_budget_options;
using pinion::preempt::posix_timer_options;
using pinion::preempt::posix_timer_source;
using pinion::preempt::preempt_source;
using pinion::preempt::quantum_max;
using pinion::preempt::quantum_min;
using pinion::preempt::queue_slices;
using pinion::preempt::queue_terms;
using pinion::preempt::scripted_source;
using pinion::preempt::slice_log;
using pinion::preempt::slice_rule;
using pinion::preempt::slice_state;
using pinion::preempt::slice_word;
using pinion::preempt::slicer;
using pinion::preempt::source_traits;
using pinion::preempt::stall;
using pinion::preempt::stall_hook;
using pinion::preempt::stall_watch;
using pinion::preempt::ticker;
using pinion::preempt::ticker_options;
using pinion::preempt::ticker_source;
using pinion::preempt::to_string;
using pinion::preempt::tsc_budget;
using pinion::preempt::tsc_budget_options;
using pinion::preempt::uring_source;
using pinion::preempt::uring_source_options;
using pinion::preempt::uring_view;
using pinion::preempt::watchable_source;
using pinion::preempt::while_holding;
using pinion::preempt::word;
using pinion::preempt::yield_every;
using pinion::preempt::yield_if_needed;
using pinion::preempt::yield_now;
using pinion::preempt::yielding_executor;
}  // namespace pinion::preempt
