// SPDX-License-Identifier: Apache-2.0
//
// The whole preempt part: knowing when to let others run.
#pragma once

#include <pinion/preempt/call_budget.hpp>
#include <pinion/preempt/chunks.hpp>
#include <pinion/preempt/concept.hpp>
#include <pinion/preempt/default_source.hpp>
#include <pinion/preempt/executor.hpp>
#include <pinion/preempt/fixed_sources.hpp>
#include <pinion/preempt/for_each.hpp>
#include <pinion/preempt/no_yield.hpp>
#include <pinion/preempt/operation_budget.hpp>
#include <pinion/preempt/posix_timer_source.hpp>
#include <pinion/preempt/slice_log.hpp>
#include <pinion/preempt/slice_rule.hpp>
#include <pinion/preempt/slicer.hpp>
#include <pinion/preempt/stall_watch.hpp>
#include <pinion/preempt/ticker.hpp>
#include <pinion/preempt/ticker_source.hpp>
#include <pinion/preempt/tsc_budget.hpp>
#include <pinion/preempt/uring_source.hpp>
#include <pinion/preempt/word.hpp>
#include <pinion/preempt/yield_if_needed.hpp>
