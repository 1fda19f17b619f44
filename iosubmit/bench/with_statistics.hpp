// SPDX-License-Identifier: Apache-2.0
//
// A submission that records what it does, as a contestant: compiled so, whatever the build is.
#pragma once

namespace pinion::iosubmit::bench {

/// NOPs by `adaptive`.
void add_with_statistics();

}  // namespace pinion::iosubmit::bench
