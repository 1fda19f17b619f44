// SPDX-License-Identifier: Apache-2.0
//
// The server of example 04 when it has no descriptor left.
#include <sys/epoll.h>

#include <cstddef>

#include "too_many_clients.hpp"

static std::size_t waits = 0;
static int counted_epoll_wait(int epoll, epoll_event* events, int events_max, int timeout_ms) {
  ++waits;
  return ::epoll_wait(epoll, events, events_max, timeout_ms);
}
// NOLINTNEXTLINE(readability-identifier-naming): the name of what it replaces
#define epoll_wait counted_epoll_wait
// NOLINTNEXTLINE(readability-identifier-naming): the name of what it replaces
#define main example_main  // which nobody calls, and which ends without a return as only main may
#pragma GCC diagnostic ignored "-Wreturn-type"
#include "../04_epoll_echo_server.cpp"  // NOLINT(bugprone-suspicious-include): the program itself is tested
#undef main

int main() {
  too_many_clients others;
  const descriptor stop{checked(::eventfd(0, EFD_CLOEXEC), "eventfd")};
  echo_server server{stop};
  return others.ask(
      server.address, [&] { server.run(); }, [&] { ::eventfd_write(stop.get(), 1); }, [] { return waits; });
}
