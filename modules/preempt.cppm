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
using pinion::preempt::basic_asking_word;
using pinion::preempt::basic_posix_timer_source;
using pinion::preempt::basic_slice_word;
using pinion::preempt::basic_tick_board;
using pinion::preempt::basic_tick_gate;
using pinion::preempt::basic_ticked_slice;
using pinion::preempt::basic_ticker_source;
using pinion::preempt::basic_tsc_budget;
using pinion::preempt::basic_word;
using pinion::preempt::call_budget;
using pinion::preempt::checkpoint;
using pinion::preempt::chunks;
using pinion::preempt::chunks_view;
using pinion::preempt::default_source;
using pinion::preempt::element_function;
using pinion::preempt::executor_of;
using pinion::preempt::for_each;
using pinion::preempt::holds_off_yield;
using pinion::preempt::knows_executor;
using pinion::preempt::looping;
using pinion::preempt::may_yield_after;
using pinion::preempt::never_due;
using pinion::preempt::no_yield;
using pinion::preempt::operation_budget;
using pinion::preempt::operation_budget_options;
using pinion::preempt::plain_function;
using pinion::preempt::posix_timer_calls;
using pinion::preempt::posix_timer_options;
using pinion::preempt::posix_timer_source;
using pinion::preempt::preempt_source;
using pinion::preempt::quantum_max;
using pinion::preempt::quantum_min;
using pinion::preempt::queue_slices;
using pinion::preempt::queue_terms;
using pinion::preempt::scripted_source;
using pinion::preempt::signal_range;
using pinion::preempt::slice_counter;
using pinion::preempt::slice_log;
using pinion::preempt::slice_rule;
using pinion::preempt::slice_state;
using pinion::preempt::slice_word;
using pinion::preempt::source_traits;
using pinion::preempt::spending;
using pinion::preempt::spending_here;
using pinion::preempt::stall;
using pinion::preempt::stall_hook;
using pinion::preempt::stall_watch;
using pinion::preempt::tick_board;
using pinion::preempt::ticked_slice;
using pinion::preempt::ticker;
using pinion::preempt::ticker_options;
using pinion::preempt::ticker_source;
using pinion::preempt::to_string;
using pinion::preempt::tsc_budget;
using pinion::preempt::tsc_budget_options;
using pinion::preempt::tsc_calls;
using pinion::preempt::tsc_counter;
using pinion::preempt::tsc_gauge;
using pinion::preempt::tsc_pair;
using pinion::preempt::tsc_rate;
using pinion::preempt::tsc_scale;
using pinion::preempt::tsc_state;
using pinion::preempt::uring_source;
using pinion::preempt::uring_source_options;
using pinion::preempt::uring_view;
using pinion::preempt::while_holding;
using pinion::preempt::word;
using pinion::preempt::yield_every;
using pinion::preempt::yield_every_here;
using pinion::preempt::yield_every_on;
using pinion::preempt::yield_if_needed;
using pinion::preempt::yielding;
using pinion::preempt::yielding_executor;
using pinion::preempt::yielding_here;
}  // namespace pinion::preempt
