// SPDX-License-Identifier: Apache-2.0
//
// Every workload as a benchmark of one contestant. A benchmark is named <workload>/<contestant>/<n>; what n counts is the workload's:
// operations in a batch, in flight, connections.
//
//   add_file_work<raw_uring>("raw_uring");
#pragma once

#include <bench/program/program.hpp>
#include <cstddef>
#include <string>

#include "workloads/echo.hpp"
#include "workloads/nop.hpp"
#include "workloads/read4k.hpp"
#include "workloads/write1m.hpp"

namespace pinion::iosubmit::bench {

using pinion::bench::add;
using pinion::bench::named;

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
}

}  // namespace pinion::iosubmit::bench
