// SPDX-License-Identifier: Apache-2.0
//
// What all workloads of submission have in common: the interface of who is measured, and how its calls of the
// kernel are counted.
//
// A contestant is a way to ask the kernel for operations and to be told what became of them, behind some
// twenty lines (contestants.hpp, peers/). It has a template of engines, so that whoever is told is known when
// it is compiled:
//
//   template <class Handler> class engine {
//     struct slot { std::uint32_t index; … };           // all that one operation needs until it is answered; the workload's
//     engine(Handler& handler, std::size_t most);       // so many are asked for at once, at most
//     void nop(slot&);
//     void read(slot&, int file, std::span<std::byte> into, std::uint64_t offset);
//     void write(slot&, int file, std::span<const std::byte> from, std::uint64_t offset);
//     void recv(slot&, int socket, std::span<std::byte> into);
//     void send(slot&, int socket, std::span<const std::byte> from);
//     void turn();                           // the end of a turn that leaves something to run: never waits
//     void park(instant until = never);      // nothing else is left to run: submits, and waits for an answer
//     kernel_calls counted() const;
//   };
//
// and the handler is told by `void answered(slot&, std::int32_t result)`, from inside of turn() and park(),
// on the same thread. It may ask again there. What a contestant can't do it leaves out, and takes no part
// where that is asked for.
//
// All are told of completions by their own means; what is counted is the same: an enter is a system call that
// hands over or fetches.
#pragma once

#include <bench/program/clock.hpp>
#include <bench/program/percentiles.hpp>
#include <bench/program/program.hpp>
#include <bench/program/random_numbers.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace pinion::iosubmit::bench {

using pinion::bench::figure;
using pinion::bench::measured;
using pinion::bench::outcome;
using pinion::bench::percentiles;
using pinion::bench::percentiles_of;
using pinion::bench::process_stopwatch;
using pinion::bench::random_numbers;
using pinion::bench::wall_stopwatch;

/// How often the kernel was called, and for how much.
struct kernel_calls {
  std::uint64_t enters = 0;
  std::uint64_t completions = 0;
  bool are_counted = true;  ///< where nothing counts them, both say nothing

  friend kernel_calls operator-(const kernel_calls& later, const kernel_calls& earlier) noexcept {
    return {later.enters - earlier.enters, later.completions - earlier.completions, later.are_counted};
  }
};

/// Adds them to a row of the page.
inline void add_counts(outcome& row, const kernel_calls& counted, double operations) {
  if (!counted.are_counted) return;
  const auto enters = static_cast<double>(counted.enters);
  row.figures.push_back({"enters_per_operation_count", enters / operations});
  const double completions = static_cast<double>(counted.completions);
  row.figures.push_back({"completions_per_enter_count", enters == 0 ? 0 : completions / enters});
}

/// What a workload found out about a contestant.
struct submitted {
  measured work;            ///< CPU time of the process
  double wall_seconds = 0;  ///< of the same; 0 where it says nothing
  percentiles latency{};    ///< of an operation
  kernel_calls counted{};

  /// As one row of the page.
  [[nodiscard]] outcome shown() const {
    const auto operations = static_cast<double>(work.operations);
    outcome row{
        work.seconds,
        work.checksum,
        work.expected,
        {{"cpu_ns", work.ns_each()}, {"latency_p50_ns", latency.p50}, {"latency_p99_ns", latency.p99}}};
    if (wall_seconds != 0) row.figures.push_back({"wall_ns", wall_seconds * 1e9 / operations});
    add_counts(row, counted, operations);
    return row;
  }
};

/// Ends the program: a benchmark that goes on after that would measure something else.
[[noreturn]] inline void give_up(const char* what, int error) {
  std::fprintf(stderr, "%s failed: %s\n", what, std::strerror(error));
  std::_Exit(3);
}

/// What a system call returned, where it can't fail.
template <class Result>
Result sure(const char* what, Result result) {
  if (result < 0) give_up(what, errno);
  return result;
}

/// Each of them in order.
template <class Slot>
std::vector<Slot> numbered_slots(std::size_t count) {
  std::vector<Slot> all(count);
  for (std::size_t k = 0; k < count; ++k) all[k].index = static_cast<std::uint32_t>(k);
  return all;
}

}  // namespace pinion::iosubmit::bench
