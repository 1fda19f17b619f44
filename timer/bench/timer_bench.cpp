// SPDX-License-Identifier: Apache-2.0
//
// What timers cost: every workload for every contestant.
//
//   timer_bench --benchmark_filter=^churn/ --benchmark_repetitions=9
//
// A benchmark is named <workload>/<contestant>/<timers>. A new backend or peer joins by a line in main(); its
// name and words for the report stand in report.toml. `./demo` measures all of it and writes the report.
#include <bench/program/program.hpp>
#include <cstddef>
#include <pinion/timer.hpp>
#include <string>

#include "contestants.hpp"
#include "peers/multimap_and_hash.hpp"
#if PINION_BENCH_ASIO
#include "peers/asio_timer_queue.hpp"
#endif
#include "workloads.hpp"

namespace pinion::timer::bench {
namespace {

using pinion::bench::add;
using pinion::bench::outcome;

/// Where one figure is all that a workload yields.
outcome single(const char* name, const measured& m) {
  return {m.seconds, m.checksum, m.expected, {{name, m.ns_each()}}};
}

/// The workloads in which every timer's own millisecond does not matter.
template <class Contestant>
void add_coarse_contestant(const std::string& who) {
  for (const std::size_t n : {std::size_t{10'000}, std::size_t{100'000}, std::size_t{1'000'000}}) {
    const std::string tail = '/' + who + '/' + std::to_string(n);
    add("arm_and_cancel" + tail, [n]() -> outcome {
      const arm_and_cancel m = measure_arm_and_cancel<Contestant>(n);
      return {m.arm.seconds + m.cancel.seconds,
              m.cancel.checksum,
              m.cancel.expected,
              {{"arm_ns", m.arm.ns_each()}, {"cancel_ns", m.cancel.ns_each()}}};
    });
    add("churn" + tail, [n] { return single("pair_ns", measure_churn<Contestant>(n)); });
    add("expire" + tail, [n] { return single("timer_ns", measure_expire<Contestant>(n)); });
    add("push_on" + tail, [n] { return single("push_ns", measure_push_on<Contestant>(n)); });
    add("memory" + tail, [n]() -> outcome {
      const memory m = measure_memory<Contestant>(n);
      return {0, m.checksum, m.expected, {{"timer_bytes", m.timer_bytes}}};
    });
  }
}

template <class Contestant>
void add_contestant(const std::string& who) {
  add_coarse_contestant<Contestant>(who);
  for (const bool by_push_on : {false, true}) {
    add((by_push_on ? "conn300k_push_on/" : "conn300k/") + who + "/300000", [by_push_on]() -> outcome {
      const conn300k m = measure_conn300k<Contestant>(by_push_on);
      return {m.requests.seconds,
              m.requests.checksum,
              m.requests.expected,
              {{"request_ns", m.requests.ns_each()},
               {"worst_advance_ns", m.worst_advance_ns},
               {"worst_batch_ns", m.worst_batch_ns}}};
    });
  }
}

}  // namespace
}  // namespace pinion::timer::bench

int main(int argc, char** argv) {
  using namespace pinion::timer;
  bench::add_contestant<bench::store_contestant<ordered_map>>("ordered_map");
  bench::add_contestant<bench::store_contestant<two_level_wheel>>("two_level_wheel");
  // Its rings may be late by seconds, so that other timers fire in conn300k than in the rest.
  bench::add_coarse_contestant<bench::store_contestant<stationary_wheel>>("stationary_wheel");
  bench::add_contestant<bench::store_contestant<overflow_wheel>>("overflow_wheel");
  bench::add_contestant<bench::hook_contestant<bitmap_wheel::levels_type>>("bitmap_wheel");
  bench::add_contestant<bench::store_contestant<deferred_wheel>>("deferred_wheel");
  bench::add_contestant<bench::multimap_and_hash>("multimap_and_hash");
#if PINION_BENCH_ASIO
  bench::add_contestant<bench::asio_timer_queue>("asio_timer_queue");
#else
  pinion::bench::leave_out("asio_timer_queue", "Boost 1.81 was not found");
#endif
  return pinion::bench::run(argc, argv);
}
