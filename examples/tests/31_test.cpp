// SPDX-License-Identifier: Apache-2.0
//
// The server of example 31 when it has no descriptor left.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

#include "too_many_clients.hpp"

static std::size_t calls = 0;
template <class... Arguments>
static long counted_syscall(long number, Arguments... arguments) {
  ++calls;
  return ::syscall(number, arguments...);
}
// NOLINTNEXTLINE(readability-identifier-naming): the name of what it replaces
#define syscall counted_syscall
// NOLINTNEXTLINE(readability-identifier-naming): the name of what it replaces
#define main example_main  // which nobody calls, and which ends without a return as only main may
#pragma GCC diagnostic ignored "-Wreturn-type"
#include "../31_wake_a_uring_loop.cpp"  // NOLINT(bugprone-suspicious-include): the program itself is tested
#undef main

int main() {
  io_uring_params parameters{};
  if (descriptor{static_cast<int>(::syscall(SYS_io_uring_setup, 1, &parameters))}.get() < 0) {
    std::perror("Skipped: io_uring_setup");
    return 77;
  }
  too_many_clients others;
  waker::wake_node stop;
  server serving{stop};
  return others.ask(
      serving.address, [&] { serving.run(); }, [&stop, to = serving.sender()] { to.push(stop); },
      [] { return calls; });
}
