// SPDX-License-Identifier: Apache-2.0
//
// What timers cost: every workload for every contestant.
//
//   timer_bench --benchmark_filter=^churn/ --benchmark_repetitions=9
//
// A benchmark is named <workload>/<contestant>/<timers>. A new backend joins by a line in main(), a peer
// by one in peers/peers.cpp; their names and words for the report stand in report.toml. `./demo` measures all
// of it and writes the report.
#include <bench/program/program.hpp>
#include <pinion/timer.hpp>

#include "benchmarks.hpp"
#include "clustered_work.hpp"
#include "contestants.hpp"
#include "floor.hpp"
#include "peers/peers.hpp"

int main(int argc, char** argv) {
  using namespace pinion::timer;
  bench::add_contestant<bench::store_contestant<ordered_map>>("ordered_map");
  bench::add_contestant<bench::store_contestant<two_level_wheel>>("two_level_wheel");
  // Its rings may be late by seconds, so that other timers fire in conn300k than in the rest.
  bench::add_coarse_contestant<bench::store_contestant<stationary_wheel>>("stationary_wheel");
  bench::add_contestant<bench::store_contestant<overflow_wheel>>("overflow_wheel");
  bench::add_contestant<bench::bitmap_entries>("bitmap_wheel");
  bench::add_contestant<bench::store_contestant<deferred_wheel>>("deferred_wheel");
  bench::add_contestant<bench::deferred_hooks>("deferred_hooks");
  bench::add_clustered_work();
  bench::add_touching<bench::floor_loop>("floor_loop");
  bench::add_doublings<bench::store_contestant<deferred_wheel>>("deferred_wheel");
  bench::add_doublings<bench::bitmap_entries>("bitmap_wheel");
  bench::add_doublings<bench::deferred_hooks>("deferred_hooks");
  bench::add_doublings<bench::floor_loop>("floor_loop");
  bench::add_peers();
  return pinion::bench::run(argc, argv);
}
