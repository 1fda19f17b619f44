// SPDX-License-Identifier: Apache-2.0
//
// What submission costs on the real kernel: every workload for every contestant.
//
//   iosubmit_bench --benchmark_filter=^read4k/ --benchmark_repetitions=9
//
// A benchmark is named <workload>/<contestant>/<n>. A new policy joins by a line in contestants.hpp, a peer
// by one in peers/peers.cpp; their names and words for the report stand in report.toml. `./demo` measures all
// of it and writes the report.
#include <bench/program/program.hpp>
#include <string>

#include "benchmarks.hpp"
#include "contestants.hpp"
#include "peers/peers.hpp"
#include "with_statistics.hpp"

namespace pinion::iosubmit::bench {
namespace {

void add_ours() {
  const auto ring = uring_ring::open({});
  with_each_policy([&]<class Policy>(const char* who) {
    add_decision<Policy>(who);
    if (ring) {
      add_all<submission_of<Policy, counted_uring>>(who);
    } else {
      pinion::bench::leave_out(who, to_string(ring.error()));
    }
  });
  add_decision<chosen_policy>("chosen_policy");
  if (ring) {
    add_nop<submission_of<chosen_policy, counted_uring>>("chosen_policy");
    add_with_statistics();
  }
  add_echo<submission_of<adaptive, counted_epoll>>("epoll_ring");
  add_echo<submission_of<adaptive, counted_either>>("default_ring");
}

}  // namespace
}  // namespace pinion::iosubmit::bench

int main(int argc, char** argv) {
  using namespace pinion::iosubmit;
  if (const std::string& refusal = bench::scratch_folder().refusal; !refusal.empty()) {
    for (const char* const workload : {"read4k", "write1m", "latency", "long_turns", "busy_burst", "burst"}) {
      pinion::bench::leave_out(workload, refusal);
    }
  }
  bench::add_ours();
  bench::add_peers();
  return pinion::bench::run(argc, argv);
}
