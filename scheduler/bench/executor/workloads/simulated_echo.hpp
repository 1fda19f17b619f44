// SPDX-License-Identifier: Apache-2.0
//
// An echo server with timeouts, its clients and their network in virtual time: what a request costs all of
// them together, and what a connection holds.
//
//   outcome o = measure_simulated_echo(100'000);  // connections
//
// The program is that of scheduler/tests/simulated_echo.hpp, whose test checks what it does. CPU time is that
// of the whole run over the number of requests: connections, timeouts and closes are in it, and the
// simulation's own cost is. Bytes are held while all connections are open and none has sent anything; both
// ends and the simulated kernel's are counted. The checksum is the number of bytes that came back.
#pragma once

#include <sys/prctl.h>

#include <bench/program/clock.hpp>
#include <bench/program/program.hpp>
#include <cstddef>
#include <pinion/config.hpp>

#include "../../../../timer/bench/workloads/memory.hpp"
#include "../../../tests/simulated_echo.hpp"

namespace pinion::scheduler::bench::inline PINION_MODE {

inline pinion::bench::outcome measure_simulated_echo(std::size_t connections) {
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  const std::size_t before = timer::bench::held_bytes();
  std::size_t held = 0;
  double looking_seconds = 0;
  const pinion::bench::stopwatch watch;
  testing::simulated_echo all{connections, 1};
  all.run([&] {
    const pinion::bench::stopwatch look;
    held = timer::bench::held_bytes() - before;
    looking_seconds = look.seconds();
  });
  const double seconds = watch.seconds() - looking_seconds;

  const auto& seen = all.clients();
  pinion::bench::outcome row{
      seconds,
      seen.bytes,
      seen.expected_bytes,
      {{"cpu_ns", seconds * 1e9 / static_cast<double>(seen.requests)},
       {"connection_bytes", static_cast<double>(held) / static_cast<double>(connections)}}};
  if (seen.wrong != 0 || all.server().failed != 0) row.fault = "a request was not answered with its bytes";
  if (all.server().open_max != connections) row.fault = "not all connections were open at once";
  if (all.server().open != 0 || all.network().open_descriptors() != 0) row.fault = "a connection was left";
  return row;
}

}  // namespace pinion::scheduler::bench::inline PINION_MODE
