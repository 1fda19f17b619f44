// SPDX-License-Identifier: Apache-2.0
//
// Compiled with statistics, whatever the build is.
#include "counted_budget.hpp"

#include <pinion/iosubmit.hpp>

#include "contestants.hpp"
#include "nop_budget.hpp"

namespace pinion::iosubmit::bench {

static_assert(is_counted);

void count_with_statistics(pinion::bench::budget& counted) {
  count_nops<submission_of<adaptive, plain_uring, even_clock>>(counted, "adaptive_with_statistics");
}

}  // namespace pinion::iosubmit::bench
