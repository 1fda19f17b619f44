// SPDX-License-Identifier: Apache-2.0
//
// Asio over its epoll reactor, which is what it takes on Linux unless it is told otherwise.
#include <string>

#include "../benchmarks.hpp"
#include "over_asio.hpp"
#include "peers.hpp"

namespace pinion::iosubmit::bench {
namespace {

struct epoll_reactor;

}  // namespace

void add_asio_epoll() { add_echo<over_asio<epoll_reactor>>("asio_epoll"); }

}  // namespace pinion::iosubmit::bench
