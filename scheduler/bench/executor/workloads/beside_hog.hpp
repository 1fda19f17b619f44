// SPDX-License-Identifier: Apache-2.0
//
// The hog of preempt's page and the task beside it that is to run after 0.5 to 1.5 ms, again and again, as
// tasks of an executor, each in a queue of its own: how late the one is, and what the other loses. Times are
// drawn at random, as even ones would fall into step with the ticks of the timers.
//
//   beside_hog m = measure_tasks_beside_hog({.quantum = ceil(1ms)}, 40'000);
//   beside_hog m = measure_each_task_alone(40'000, 300);           // first the hog, then the timed task
//
// Beside them stands the least loop that two such tasks can share, which preempt's page measures: what is
// charged here and not there is the executor.
#pragma once

#include <bench/program/clock.hpp>
#include <bench/program/cores.hpp>
#include <bench/program/percentiles.hpp>
#include <bench/program/random_numbers.hpp>
#include <cstddef>
#include <pinion/preempt.hpp>
#include <pinion/scheduler.hpp>
#include <utility>
#include <vector>

#include "../../../../preempt/bench/workloads/hog.hpp"

namespace pinion::scheduler::bench::inline PINION_MODE {

using preempt::bench::beside_hog, preempt::bench::hog_work;

/// Looks after each unit. It tells when its last one was done.
inline scheduler::task<instant> keeps_the_core(executor& on, hog_work& work) {
  while (!work.is_done()) {
    work.do_unit();
    co_await preempt::yield_if_needed(on);
  }
  co_return monotonic_clock::now();
}

/// Until the hog has ended, and not before it ran so often.
inline scheduler::task<> runs_now_and_then(const hog_work& beside, std::size_t times_least,
                                           std::vector<double>& late) {
  pinion::bench::random_numbers random{9};
  do {
    const instant then = monotonic_clock::now() + duration{500'000 + random.below(1'000'000)};
    co_await sleep_until(then);
    late.push_back(static_cast<double>((monotonic_clock::now() - then).ns));
  } while (!beside.is_done() || late.size() < times_least);
}

inline beside_hog with_lateness(beside_hog result, std::vector<double>& late) {
  result.times = late.size();
  result.lateness = pinion::bench::percentiles_of(late);
  result.lateness_worst = late.back();
  return result;
}

/// With slices so long, and the timed task waiting no longer for them.
inline beside_hog measure_tasks_beside_hog(duration quantum, std::size_t units) {
  executor loop;  // its ticker's thread may have another core
  const pinion::bench::on_core place{0};
  task_queue& timed = loop.add_queue({.name = "timed", .quantum = quantum, .latency = quantum});
  task_queue& batch = loop.add_queue({.name = "hog", .quantum = quantum});
  hog_work work{units};
  std::vector<double> late;
  late.reserve(10'000);
  beside_hog result{.units = units, .expected = hog_work::expected(units)};

  const preempt::bench::stolen_time stolen;
  const instant begin = monotonic_clock::now();
  const pinion::bench::process_stopwatch watch;
  auto ended = loop.spawn_into(batch, keeps_the_core(loop, work));
  loop.spawn_into(timed, runs_now_and_then(work, 1, late)).detach();
  const instant end = loop.run(
      [](join_handle<instant> hog) -> scheduler::task<instant> { co_return co_await hog; }(std::move(ended)));
  loop.run();
  result.cpu_seconds = watch.seconds();
  result.wall_seconds = static_cast<double>((end - begin).ns) * 1e-9;
  result.stolen_ns = stolen.ns();
  result.checksum = work.checksum();
  result.slices = batch.statistics().slices + timed.statistics().slices;
  return with_lateness(result, late);
}

/// What those are compared with: the hog, and nothing else; then the timed task, and nothing else.
inline beside_hog measure_each_task_alone(std::size_t units, std::size_t times) {
  executor loop;
  const pinion::bench::on_core place{0};
  hog_work work{units};
  std::vector<double> late;
  late.reserve(times);
  beside_hog result{.units = units, .expected = hog_work::expected(units)};

  const instant begin = monotonic_clock::now();
  const instant end = loop.run(keeps_the_core(loop, work));
  result.wall_seconds = static_cast<double>((end - begin).ns) * 1e-9;
  result.checksum = work.checksum();
  loop.run(runs_now_and_then(work, times, late));
  return with_lateness(result, late);
}

}  // namespace pinion::scheduler::bench::inline PINION_MODE
