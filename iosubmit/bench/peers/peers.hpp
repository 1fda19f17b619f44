// SPDX-License-Identifier: Apache-2.0
//
// Those that pinion's submission is measured beside.
#pragma once

namespace pinion::iosubmit::bench {

/// Adds the benchmarks of every peer that was found when this was built, and tells of those that were not.
void add_peers();

}  // namespace pinion::iosubmit::bench
