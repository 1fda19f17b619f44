// SPDX-License-Identifier: Apache-2.0
//
// What it costs to know when to let others run, and what it is good for: every workload for every contestant.
//
//   preempt_bench --benchmark_filter=^timer/ --benchmark_repetitions=9
//
// A benchmark is named <workload>/<contestant>/<n>. A new source joins by a line in contestants.hpp, a look
// of somebody else's by one in main(); their names and words for the report stand in report.toml. `./demo`
// measures all of it and writes the report.
#include <bench/program/program.hpp>
#include <cstddef>
#include <pinion/preempt.hpp>
#include <string>

#include "benchmarks.hpp"
#include "contestants.hpp"
#include "peers/by_hand.hpp"

namespace pinion::preempt::bench {
namespace {

void add_looks_and_slices() {
  add_empty();
  with_each_source([]<class Made>(const char* who) {
    add_looks<Made>(who);
    add_slices<Made>(who);
  });
  add_check<counter_pair>("counter_pair");
  add_check<exchanged_flag>("exchanged_flag");
  add_check<clock_each_time>("clock");
}

void add_hogs() {
  for (const std::size_t quantum_us : {std::size_t{1'000}, std::size_t{100}}) {
    add_each_alone(quantum_us);
    for (const char* const workload : {"timer", "wake"}) {
      with_each_timed_source(
          [&]<class Made>(const char* who) { add_hog<yields_if_needed, Made>(workload, who, quantum_us); });
      add_hog<yields_if_needed, fine_ticker>(workload, "fine_ticker", quantum_us);
      add_hog<yields_if_needed, one_core_ticker>(workload, "one_core_ticker", quantum_us);
    }
  }
  // What does not depend on a quantum, or shows no more with another.
  constexpr std::size_t quantum_us = 1'000;
  add_hog<yields_if_needed, made<operation_budget>>("timer", "operation_budget", quantum_us);
  add_hog<yields_if_needed, made<always_due>>("timer", "always_due", quantum_us);
  add_hog<yields_each_8th, made<ticker_source>>("timer", "yield_every", quantum_us);
  add_hog<in_chunks, made<ticker_source>>("timer", "chunks", quantum_us);
  add_hog<for_each_unit, made<ticker_source>>("timer", "for_each", quantum_us);
  add_hog<never_looks, made<ticker_source>>("timer", "no_looks", quantum_us);
}

void add_deliveries() {
  with_each_timed_source([]<class Made>(const char* who) { add_delivery<Made>(who); });
  add_delivery<fine_ticker>("fine_ticker");
  add_delivery<one_core_ticker>("one_core_ticker");
}

}  // namespace
}  // namespace pinion::preempt::bench

int main(int argc, char** argv) {
  using namespace pinion::preempt;
  if (const std::string& refusal = bench::flagged_ring::refusal(); !refusal.empty())
    pinion::bench::leave_out("uring_source", refusal);
  bench::add_looks_and_slices();
  bench::add_hogs();
  bench::add_deliveries();
  return pinion::bench::run(argc, argv);
}
