// SPDX-License-Identifier: Apache-2.0
//
// Every workload as a benchmark of one contestant. A benchmark is named <workload>/<contestant>/<n>; what n
// counts is the workload's: tasks, or rounds.
//
//   add_waits<sleeping>("sleep", 2'000'000);
//   add_rounds();
#pragma once

#include <algorithm>
#include <bench/program/program.hpp>
#include <cstddef>
#include <string>

#include "contestants.hpp"
#include "executors.hpp"
#include "loops.hpp"
#include "workloads/calls.hpp"
#include "workloads/rounds.hpp"
#include "workloads/waits.hpp"

namespace pinion::scheduler::bench {

using pinion::bench::add;
using pinion::bench::named;
using pinion::bench::outcome;
using pinion::bench::single;

/// All of several pieces of work.
inline void add_to(measured& sum, const measured& piece) {
  sum.seconds += piece.seconds;
  sum.operations += piece.operations;
  sum.checksum += piece.checksum;
  sum.expected += piece.expected;
}
constexpr std::size_t pieces = 10;

/// The work in pieces.
template <class Work>
outcome alone(const char* each, Work work) {
  measured all{};
  for (std::size_t k = 0; k < pieces; ++k) add_to(all, work());
  return single(each, all);
}

/// The same, by turns with what it is set beside, so that both meet the same machine; and by how much it is
/// dearer.
template <class Work, class Other>
outcome beside(const char* each, Work work, Other other) {
  measured all{}, others{};
  for (std::size_t k = 0; k < pieces; ++k) {
    add_to(others, other());
    add_to(all, work());
  }
  outcome result = single(each, all);
  // Below nothing is the machine's spread.
  result.figures.push_back({"beyond_ns", std::max(0.0, all.ns_each() - others.ns_each())});
  if (others.checksum != others.expected) result.fault = "what it is set beside did its work wrong";
  return result;
}

/// A wait of each of so many tasks, by a run_queue and by a deque, beside a bare resume.
template <class What>
void add_waits(const char* workload, std::size_t waits) {
  for (const std::size_t tasks : {std::size_t{1}, std::size_t{100}}) {
    const std::size_t times = waits / pieces / tasks;
    const auto bare = [=] { return measure_waits<What, bare_resume>(tasks, times); };
    add(named(workload, "bare_resume", tasks), [=] { return alone("each_ns", bare); });
    add(named(workload, "run_queue", tasks), [=] {
      return beside("each_ns", [=] { return measure_waits<What, by_run_queue>(tasks, times); }, bare);
    });
    add(named(workload, "deque", tasks),
        [=] { return beside("each_ns", [=] { return measure_waits<What, by_deque>(tasks, times); }, bare); });
  }
}

/// A yield needs an executor, so it is set beside a handle that is resumed.
inline void add_yields(std::size_t waits) {
  for (const std::size_t tasks : {std::size_t{1}, std::size_t{100}}) {
    const std::size_t times = waits / pieces / tasks;
    const auto handle = [=] { return measure_waits<suspending, bare_resume>(tasks, times); };
    for (const char* const workload : {"resumption", "yield"})
      add(named(workload, "handle", tasks), [=] { return alone("each_ns", handle); });
    add(named("yield", "run_queue", tasks), [=] {
      return beside("each_ns", [=] { return measure_waits<yielding, by_run_queue>(tasks, times); }, handle);
    });
    add(named("yield", "deque", tasks), [=] {
      return beside("each_ns", [=] { return measure_waits<yielding, by_deque>(tasks, times); }, handle);
    });
  }
}

/// Each kind of round, by the parts alone and by a turn of them.
template <class ByHand, class InTurn>
void add_round(const char* workload, const char* each, std::size_t rounds, ByHand by_hand, InTurn in_turn) {
  const auto parts = [=] { return by_hand(rounds / pieces); };
  const auto turns = [=] { return in_turn(rounds / pieces); };
  add(named(workload, "by_hand", rounds), [=] { return alone(each, parts); });
  add(named(workload, "turn", rounds), [=] { return beside(each, turns, parts); });
}
inline void add_rounds() {
  add_round("busy", "round_ns", 1'000'000, &measure_busy<by_hand, monotonic_clock>,
            &measure_busy<in_turn, monotonic_clock>);
  add_round("idle", "round_ns", 100'000, &measure_idle<by_hand, monotonic_clock>,
            &measure_idle<in_turn, monotonic_clock>);
  add_round("tick", "tick_ns", 100'000, &measure_ticks<by_hand, monotonic_clock>,
            &measure_ticks<in_turn, monotonic_clock>);
  add_round("woken", "wake_ns", 100'000, &measure_wakes<by_hand, monotonic_clock>,
            &measure_wakes<in_turn, monotonic_clock>);
}

/// System calls, and how many of them there may be for each: more fail the run. Half a call is for waits that
/// the kernel ends early.
template <class Loop>
void add_calls(const std::string& who, calls_each most) {
  constexpr std::size_t times = 100;
  add(named("calls", who, times), [most]() -> outcome {
    const calls_each m = count_calls<Loop>(times);
    outcome result{1e-3,
                   m.checksum,
                   m.expected,
                   {{"busy_count", m.busy}, {"tick_count", m.tick}, {"wake_count", m.wake}},
                   m.refusal};
    const bool is_more = m.busy > most.busy + 0.5 || m.tick > most.tick + 0.5 || m.wake > most.wake + 0.5;
    if (is_more) result.fault = "it made more system calls than it is known for";
    return result;
  });
}

}  // namespace pinion::scheduler::bench
