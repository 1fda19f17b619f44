// SPDX-License-Identifier: Apache-2.0
//
// The whole preempt part: knowing when to let others run.
#pragma once

#include <pinion/preempt/concept.hpp>
#include <pinion/preempt/executor.hpp>
#include <pinion/preempt/fixed_sources.hpp>
#include <pinion/preempt/operation_budget.hpp>
#include <pinion/preempt/slice_log.hpp>
#include <pinion/preempt/slice_rule.hpp>
#include <pinion/preempt/tick_board.hpp>
#include <pinion/preempt/ticker.hpp>
#include <pinion/preempt/ticker_source.hpp>
#include <pinion/preempt/word.hpp>
#include <pinion/preempt/yield_if_needed.hpp>
