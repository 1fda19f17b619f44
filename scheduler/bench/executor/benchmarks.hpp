// SPDX-License-Identifier: Apache-2.0
//
// Every workload of tasks as benchmarks of one runtime, and how often each does its work.
//
//   add_tasks<by_executor<executor>>("executor");
//   add_sleeps<by_executor<executor>>("executor");
#pragma once

#include <sys/resource.h>

#include <bench/program/clock.hpp>
#include <bench/program/program.hpp>
#include <cstddef>
#include <pinion/config.hpp>
#include <string>

#include "../../../iosubmit/bench/workloads/echo.hpp"
#include "../../../iosubmit/bench/workloads/scratch_file.hpp"
#include "../workloads/tasks.hpp"
#include "workloads/allocations.hpp"
#include "workloads/beside_hog.hpp"
#include "workloads/ping_pong.hpp"
#include "workloads/sleeps.hpp"

namespace pinion::scheduler::bench::inline PINION_MODE {

using pinion::bench::add;
using pinion::bench::measured;
using pinion::bench::named;
using pinion::bench::outcome;
using pinion::bench::single;

constexpr std::size_t tasks_asleep = 100'000;

/// By functions of (batch, batches).
template <class Spawns, class Allocations>
void add_spawns(const std::string& who, Spawns spawns, Allocations allocations) {
  add(named("spawn", who, 1'000), [=] { return single("task_ns", spawns(1'000, 1'000)); });
  add(named("spawn", who, 1'000'000), [=] { return single("task_ns", spawns(1'000'000, 1)); });
  add(named("spawn_memory", who, 1'000), [=] { return allocations(1'000, 10); });
}
/// By a function of (tasks, times).
template <class Yields>
void add_yields(const std::string& who, Yields yields) {
  for (const std::size_t tasks : {std::size_t{1}, std::size_t{100}, std::size_t{10'000}})
    add(named("task_yield", who, tasks),
        [=] { return single("yield_ns", yields(tasks, 2'000'000 / tasks)); });
}
template <class Runtime>
void add_tasks(const std::string& who) {
  add_spawns(who, &measure_spawns<Runtime, pinion::bench::stopwatch>, &measure_allocations<Runtime>);
  add_yields(who, &measure_yields<Runtime, pinion::bench::stopwatch>);
}

/// By functions of (tasks).
template <class Asleep, class Held>
void add_sleeps(const std::string& who, Asleep asleep, Held held) {
  add(named("asleep", who, tasks_asleep), [=] { return asleep(tasks_asleep); });
  add(named("asleep_memory", who, tasks_asleep), [=] { return held(tasks_asleep); });
}
template <class Runtime>
void add_sleeps(const std::string& who) {
  add_sleeps(who, &measure_asleep<Runtime>, &measure_held<Runtime>);
}

template <class Values>
void add_values(const std::string& who, Values values) {
  add(named("task_channel", who, 64), [=] { return single("value_ns", values(1'000'000)); });
}

template <class Player>
void add_ping_pong(const std::string& who) {
  constexpr std::size_t rounds = 10'000;
  add(named("task_ping_pong", who, rounds), []() -> outcome {
    const conversation m = measure_ping_pong<Player>(rounds);
    return {m.wall_seconds,
            m.checksum,
            m.expected,
            {{"round_ns", m.wall_ns_each()}, {"cpu_ns", m.cpu_ns_each()}}};
  });
}

/// By a function of (slices so long, units); n is the length of a slice in microseconds.
template <class Measure>
void add_beside_hog(const std::string& who, Measure measure) {
  constexpr std::size_t units = 40'000;
  for (const std::size_t slice_us : {std::size_t{100}, std::size_t{1'000}})
    add(named("beside_hog", who, slice_us), [=]() -> outcome {
      const beside_hog m = measure(duration{slice_us * 1'000}, units);
      return {m.wall_seconds,
              m.checksum,
              m.expected,
              {{"late_p50_ns", m.lateness.p50},
               {"late_p99_ns", m.lateness.p99},
               {"unit_ns", m.wall_seconds * 1e9 / static_cast<double>(m.units)},
               {"slices_count", static_cast<double>(m.slices)},
               {"stolen_ns", m.stolen_ns}}};
    });
}

/// By functions of (tasks, operations of each) and (tasks, reads of all together).
template <class Nops, class Reads>
void add_io(const std::string& who, Nops nops, Reads reads) {
  for (const std::size_t tasks : {std::size_t{1}, std::size_t{64}, std::size_t{256}})
    add(named("task_nop", who, tasks), [=] { return nops(tasks, 128'000 / tasks).shown(); });
  if (!iosubmit::bench::scratch_folder().refusal.empty()) return;
  for (const std::size_t tasks : {std::size_t{1}, std::size_t{64}, std::size_t{256}})
    add(named("task_read4k", who, tasks), [=] { return reads(tasks, 64'000).shown(); });
}

/// Whether this process, and the one of the load, may have so many descriptors.
inline bool has_room(std::size_t descriptors) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_max < descriptors + 64) return false;
  files.rlim_cur = files.rlim_max;
  return ::setrlimit(RLIMIT_NOFILE, &files) == 0;
}

/// By a server that has the members of iosubmit's echo_server, and so many descriptors for a connection.
template <class Server>
void add_echo(const std::string& who, std::size_t descriptors_each = 1) {
  for (const std::size_t connections : {1U, 64U, 512U, 10'000U}) {
    if (!has_room(connections * descriptors_each)) {
      pinion::bench::leave_out(who + " at " + std::to_string(connections) + " connections",
                               "`ulimit -Hn` is too low for " + std::to_string(connections));
      continue;
    }
    add(named("task_echo", who, connections),
        [=] { return iosubmit::bench::measure_server<Server>(connections, PINION_BENCH_LOAD); });
  }
}

/// By a function of (connections).
template <class Echo>
void add_simulated_echo(const std::string& who, Echo echo) {
  for (const std::size_t connections : {std::size_t{1'000}, std::size_t{100'000}})
    add(named("simulated_echo", who, connections), [=] { return echo(connections); });
}

}  // namespace pinion::scheduler::bench::inline PINION_MODE
