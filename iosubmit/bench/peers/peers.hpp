// SPDX-License-Identifier: Apache-2.0
//
// Those that pinion's submission is measured beside.
#pragma once

namespace pinion::iosubmit::bench {

/// Adds the benchmarks of every peer that was found when this was built, and tells of those that were not.
void add_peers();

/// Each in a file of its own, as Asio's macros are.
void add_asio_epoll();
void add_asio_uring();

}  // namespace pinion::iosubmit::bench
