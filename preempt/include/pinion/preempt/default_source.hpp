// SPDX-License-Identifier: Apache-2.0
//
// default_source: what a build recommends, chosen by the option PINION_PREEMPT_DEFAULT.
//
// An alias and nothing else: whatever is compiled on it names the concrete type, so two builds with different
// defaults have different symbols. Each of them can be made without arguments.
//
//   default_source source;
#pragma once

#include <pinion/config.hpp>
#include <pinion/preempt/operation_budget.hpp>
#include <pinion/preempt/posix_timer_source.hpp>
#include <pinion/preempt/ticker_source.hpp>
#include <pinion/preempt/tsc_budget.hpp>

namespace pinion::preempt::inline PINION_MODE {

/// The source for nearly everybody: ticker_source, unless the build was told otherwise.
using default_source = preempt::PINION_PREEMPT_DEFAULT;

}  // namespace pinion::preempt::inline PINION_MODE
