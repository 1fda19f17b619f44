// SPDX-License-Identifier: Apache-2.0
//
// Compiled with statistics, whatever the build is.
#include "with_statistics.hpp"

#include <pinion/iosubmit.hpp>

#include "benchmarks.hpp"
#include "contestants.hpp"

namespace pinion::iosubmit::bench {

static_assert(is_counted);

void add_with_statistics() { add_nop<submission_of<adaptive, counted_uring>>("adaptive_with_statistics"); }

}  // namespace pinion::iosubmit::bench
