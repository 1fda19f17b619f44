// SPDX-License-Identifier: Apache-2.0
//
// Boost.Asio's coroutines on an io_context of one thread, told that it has one.
#pragma once

namespace pinion::scheduler::bench {

/// Each in a file of its own, as Asio takes long to compile.
void add_asio();
void add_asio_echo();

}  // namespace pinion::scheduler::bench
