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
using pinion::preempt::basic_slice_word;
using pinion::preempt::basic_tick_board;
using pinion::preempt::basic_tick_gate;
using pinion::preempt::basic_ticked_slice;
using pinion::preempt::basic_word;
using pinion::preempt::checkpoint;
using pinion::preempt::executor_of;
using pinion::preempt::knows_executor;
using pinion::preempt::never_due;
using pinion::preempt::operation_budget;
using pinion::preempt::operation_budget_options;
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
using pinion::preempt::source_traits;
using pinion::preempt::stall;
using pinion::preempt::stall_hook;
using pinion::preempt::stall_watch;
using pinion::preempt::tick_board;
using pinion::preempt::ticked_slice;
using pinion::preempt::ticker;
using pinion::preempt::ticker_options;
using pinion::preempt::ticker_source;
using pinion::preempt::to_string;
using pinion::preempt::word;
using pinion::preempt::yield_every;
using pinion::preempt::yield_every_on;
using pinion::preempt::yield_if_needed;
using pinion::preempt::yielding;
using pinion::preempt::yielding_executor;
using pinion::preempt::yielding_here;
}  // namespace pinion::preempt
