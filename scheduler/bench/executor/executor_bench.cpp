// SPDX-License-Identifier: Apache-2.0
//
// What tasks cost their executor: every workload for every contestant.
//
//   executor_bench --benchmark_filter=^spawn/ --benchmark_repetitions=9
//
// A benchmark is named <workload>/<contestant>/<n>; n are tasks, rounds, connections, or the room of a
// channel. Their names and words for the report stand in report.toml. `./demo` measures all of it and writes
// the report.
#include <bench/program/program.hpp>
#include <cstddef>
#include <pinion/scheduler.hpp>
#include <string>

#include "../../../iosubmit/bench/peers/raw_epoll.hpp"
#include "../../../iosubmit/bench/peers/raw_uring.hpp"
#include "../../../iosubmit/bench/workloads/nop.hpp"
#include "../../../iosubmit/bench/workloads/read4k.hpp"
#include "../../../iosubmit/bench/workloads/scratch_file.hpp"
#include "../peers/asio_tasks.hpp"
#include "benchmarks.hpp"
#include "floor_tasks.hpp"
#include "runtimes.hpp"
#include "workloads/echo.hpp"
#include "workloads/io.hpp"
#include "workloads/values.hpp"

#if PINION_BENCH_SIM
#include "workloads/simulated_echo.hpp"
#endif

namespace pinion::scheduler::bench {
namespace {

void add_echoes() {
  using iosubmit::bench::echo_server, iosubmit::bench::raw_epoll, iosubmit::bench::raw_queue,
      iosubmit::bench::raw_uring;
  add_echo<server_of_tasks<true>>("executor");
  add_echo<server_of_tasks<false>>("executor_untimed");
  if (const std::string& refusal = raw_queue::refusal(); refusal.empty())
    add_echo<echo_server<raw_uring>>("raw_uring");
  else
    pinion::bench::leave_out("raw_uring", refusal);
  add_echo<echo_server<raw_epoll>>("raw_epoll");
}

void add_operations() {
  using iosubmit::bench::measure_nop, iosubmit::bench::measure_read4k, iosubmit::bench::raw_queue,
      iosubmit::bench::raw_uring;
  if (const std::string& refusal = iosubmit::bench::scratch_folder().refusal; !refusal.empty())
    pinion::bench::leave_out("task_read4k", refusal);
  add_io("executor", &measure_task_nops, &measure_task_reads);
  if (raw_queue::refusal().empty()) add_io("raw_uring", &measure_nop<raw_uring>, &measure_read4k<raw_uring>);
}

void add_hogs() {
  add_beside_hog("executor", &measure_tasks_beside_hog);
  add_beside_hog("each_alone",
                 [](duration, std::size_t units) { return measure_each_task_alone(units, 300); });
  add_beside_hog("least_loop", [](duration slice, std::size_t units) {
    preempt::ticker_source source;
    return preempt::bench::measure_beside_hog<preempt::bench::yields_if_needed>(source, {.quantum = slice},
                                                                                units);
  });
}

void add_simulated() {
#if PINION_BENCH_SIM
  add_simulated_echo("executor", &measure_simulated_echo);
#endif
}

void add_all() {
  add_tasks<by_executor<executor>>("executor");
  add_sleeps<by_executor<executor>>("executor");
  add_values("executor", &measure_values);
  add_ping_pong<executor_player>("executor");
  add_operations();
  add_echoes();
  add_hogs();
  add_simulated();
  add_tasks<by_executor<executor_with_malloc>>("executor_malloc");
  add_tasks<floor_tasks>("floor");
#if PINION_BENCH_BOOST
  add_asio();
  add_asio_echo();
#else
  for (const char* const each : {"asio", "asio_post", "asio_epoll"})
    pinion::bench::leave_out(each, "Boost 1.81 was not found");
#endif
}

}  // namespace
}  // namespace pinion::scheduler::bench

int main(int argc, char** argv) {
  pinion::scheduler::bench::add_all();
  return pinion::bench::run(argc, argv);
}
