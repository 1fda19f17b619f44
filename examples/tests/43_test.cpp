// SPDX-License-Identifier: Apache-2.0
//
// The server of example 43 when it has no descriptor left.
#include "too_many_clients.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): the name of what it replaces
#define main example_main  // which nobody calls, and which ends without a return as only main may
#pragma GCC diagnostic ignored "-Wreturn-type"
#include "../43_echo_server_in_one_turn.cpp"  // NOLINT(bugprone-suspicious-include): the program itself is tested
#undef main

int main() {
  if (const auto ring = iosubmit::uring_ring::open({}); !ring) {
    std::printf("Skipped: %s\n", to_string(ring.error()).c_str());
    return 77;
  }
  too_many_clients others;
  server serving;
  return others.ask(
      serving.listening.address, [&] { serving.run(); },
      [&serving, to = serving.wakes.sender()] { to.push(serving.stop); },
      [&] { return serving.io.ring().enters; });
}
