// SPDX-License-Identifier: Apache-2.0
//
// The benchmarks whose figure is work, not time.
#pragma once

namespace pinion::timer::bench {

/// How much the polls of a crowded tick do, each with a budget of 64: the median and one in a thousand, which
/// may be twice that at most, or the benchmark fails.
void add_clustered_work();

}  // namespace pinion::timer::bench
