// SPDX-License-Identifier: Apache-2.0
#include "peers.hpp"

#include <bench/program/program.hpp>
#include <initializer_list>
#include <string>

#include "../benchmarks.hpp"
#include "raw_epoll.hpp"
#include "raw_uring.hpp"
#if PINION_BENCH_LIBURING
#include "over_liburing.hpp"
#endif

namespace pinion::iosubmit::bench {
namespace {

void leave_out(std::initializer_list<const char*> peers, const std::string& reason) {
  for (const char* const each : peers) pinion::bench::leave_out(each, reason);
}

void add_ring_peers() {
  add_all<raw_uring>("raw_uring");
#if PINION_BENCH_LIBURING
  add_all<over_liburing>("liburing");
#else
  leave_out({"liburing"}, "liburing was not found");
#endif
#if PINION_BENCH_BOOST && PINION_BENCH_LIBURING
  add_asio_uring();
#else
  leave_out({"asio_uring"}, "Boost 1.81 or liburing was not found");
#endif
}

}  // namespace

void add_peers() {
  if (const std::string& refusal = raw_queue::refusal(); refusal.empty()) {
    add_ring_peers();
  } else {
    leave_out({"raw_uring", "liburing", "asio_uring"}, refusal);
  }
  add_echo<raw_epoll>("raw_epoll");
#if PINION_BENCH_BOOST
  add_asio_epoll();
#else
  leave_out({"asio_epoll"}, "Boost 1.81 was not found");
#endif
}

}  // namespace pinion::iosubmit::bench
