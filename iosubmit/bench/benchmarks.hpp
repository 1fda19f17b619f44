// SPDX-License-Identifier: Apache-2.0
//
// Every workload as a benchmark of one contestant. A benchmark is named <workload>/<contestant>/<n>; what n
// counts is the workload's: operations in a batch, in flight, connections.
//
//   add_file_work<raw_uring>("raw_uring");
#pragma once

#include <bench/program/program.hpp>
#include <cstddef>
#include <string>

#include "workloads/burst.hpp"
#include "workloads/decision.hpp"
#include "workloads/echo.hpp"
#include "workloads/loaded.hpp"
#include "workloads/nop.hpp"
#include "workloads/read4k.hpp"
#include "workloads/write1m.hpp"

namespace pinion::iosubmit::bench {

using pinion::bench::add;
using pinion::bench::named;
using pinion::bench::single;

template <class Contestant>
void add_nop(const std::string& who) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{8}, std::size_t{32}, std::size_t{128}}) {
    add(named("nop", who, n), [n] { return measure_nop<Contestant>(n, 128'000 / n).shown(); });
  }
}

template <class Contestant>
void add_reads(const std::string& who) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{8}, std::size_t{64}, std::size_t{256}}) {
    add(named("read4k", who, n), [n] { return measure_read4k<Contestant>(n, 64'000).shown(); });
  }
}

template <class Contestant>
void add_writes(const std::string& who) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{4}}) {
    add(named("write1m", who, n), [n] { return measure_write1m<Contestant>(n, 256).shown(); });
  }
}

template <class Contestant>
void add_echo(const std::string& who) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{64}, std::size_t{512}}) {
    add(named("echo", who, n), [n] { return measure_echo<Contestant>(n); });
  }
}

/// The latencies of a schedule.
inline outcome shown(loaded m) {
  const auto operations = static_cast<double>(m.latencies.size());
  const percentiles spread = percentiles_of(m.latencies);
  outcome row{
      m.seconds, m.checksum, m.expected, {{"latency_p50_ns", spread.p50}, {"latency_p99_ns", spread.p99}}};
  add_counts(row, m.counted, operations);
  return row;
}

/// A read among other work, a device's in long turns, and the first one after a pause.
template <class Contestant>
void add_loads(const std::string& who) {
  if (!scratch_folder().refusal.empty()) return;
  add(named("latency", who, small_read_bytes), [] { return shown(measure_latency<Contestant>()); });
  add(named("long_turns", who, long_slice_us), [] { return shown(measure_long_turns<Contestant>()); });
  constexpr std::size_t ms = 100;
  add(named("busy_burst", who, ms), [] {
    const burst_latencies m = measure_busy_burst<Contestant>(4);
    outcome row{
        m.all.seconds,
        m.all.checksum,
        m.all.expected,
        {{"first_ns", m.first_p50}, {"latency_p50_ns", m.spread.p50}, {"latency_p99_ns", m.spread.p99}}};
    add_counts(row, m.all.counted, static_cast<double>(m.all.latencies.size()));
    return row;
  });
}

/// As much as there is, after a pause.
template <class Contestant>
void add_burst(const std::string& who) {
  if (!scratch_folder().refusal.empty()) return;
  add(named("burst", who, burst_depth), [] {
    const burst_reads m = measure_burst<Contestant>();
    outcome row = m.all.shown();
    row.figures.push_back({"first_ns", m.first_p50});
    return row;
  });
}

/// What a policy costs by itself.
template <class Policy>
void add_decision(const std::string& who) {
  constexpr std::size_t n = 1'000'000;
  add(named("decision", who, n), [] { return single("decision_ns", measure_decision<Policy>(n)); });
}

/// What is measured of one that reads and writes files.
template <class Contestant>
void add_file_work(const std::string& who) {
  if (!scratch_folder().refusal.empty()) return;
  add_reads<Contestant>(who);
  add_writes<Contestant>(who);
}

/// What is measured of one that has everything.
template <class Contestant>
void add_all(const std::string& who) {
  add_nop<Contestant>(who);
  add_file_work<Contestant>(who);
  add_echo<Contestant>(who);
  add_loads<Contestant>(who);
  add_burst<Contestant>(who);
}

}  // namespace pinion::iosubmit::bench
