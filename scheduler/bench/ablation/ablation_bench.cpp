// SPDX-License-Identifier: Apache-2.0
//
// What each part gains an executor: one composite load on an executor of the parts that executors have today,
// with each of ours alone in its place, and on one with all of ours.
//
//   ablation_bench --benchmark_filter=/64/ --benchmark_repetitions=9
//
// A benchmark is named ablation/<contestant>/<n>; n are connections, by which all of the load grows. The
// contestants' words for the report stand in report.toml. `./demo --only ^ablation/` measures all of it and
// writes the report.
#include <bench/program/program.hpp>
#include <cstddef>
#include <pinion/scheduler.hpp>
#include <string>

#include "load.hpp"
#include "todays_parts.hpp"

namespace pinion::scheduler::bench {
namespace {

template <class Executor>
void add_load(const std::string& who) {
  for (const std::size_t connections : {std::size_t{8}, std::size_t{64}})
    pinion::bench::add(pinion::bench::named("ablation", who, connections),
                       [=] { return measure_load<Executor>(connections); });
}

void add_all() {
  add_load<basic_executor<todays_parts>>("today");
  add_load<basic_executor<with_our_timers>>("our_timers");
  add_load<basic_executor<with_our_wakes>>("our_wakes");
  add_load<basic_executor<with_our_policy>>("our_policy");
  add_load<basic_executor<with_our_source>>("our_source");
  add_load<basic_executor<with_our_frames>>("our_frames");
  add_load<basic_executor<with_our_cell>>("our_cell");
  add_load<executor>("executor");
}

}  // namespace
}  // namespace pinion::scheduler::bench

int main(int argc, char** argv) {
  pinion::scheduler::bench::add_all();
  return pinion::bench::run(argc, argv);
}
