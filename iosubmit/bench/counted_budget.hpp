// SPDX-License-Identifier: Apache-2.0
//
// What a submission costs that records what it does.
#pragma once

#include <bench/budget/budget.hpp>

namespace pinion::iosubmit::bench {

/// The same rows as without, under a name of their own.
void count_with_statistics(pinion::bench::budget& counted);

}  // namespace pinion::iosubmit::bench
