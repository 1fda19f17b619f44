// SPDX-License-Identifier: Apache-2.0
//
// Every workload as a benchmark of one contestant. A benchmark is named <workload>/<contestant>/<timers>.
//
//   add_contestant<store_contestant<deferred_wheel>>("deferred_wheel");
#pragma once

#include <bench/program/program.hpp>
#include <cstddef>
#include <string>

#include "workloads/arm_and_cancel.hpp"
#include "workloads/clustered.hpp"
#include "workloads/expire.hpp"
#include "workloads/memory.hpp"
#include "workloads/percentiles.hpp"
#include "workloads/quiet.hpp"
#include "workloads/timeouts.hpp"

namespace pinion::timer::bench {

using pinion::bench::add;
using pinion::bench::named;
using pinion::bench::outcome;
using pinion::bench::single;

/// The populations that show how a cost grows.
inline constexpr std::size_t populations[] = {10'000, 100'000, 1'000'000};

inline outcome spread(const spread_of_arm_and_cancel& m) {
  return {m.seconds,
          m.checksum,
          m.expected,
          {{"arm_p50_ns", m.arm.p50},
           {"arm_p99_ns", m.arm.p99},
           {"arm_p999_ns", m.arm.p999},
           {"cancel_p50_ns", m.cancel.p50},
           {"cancel_p99_ns", m.cancel.p99},
           {"cancel_p999_ns", m.cancel.p999}}};
}

template <class Contestant>
void add_arm_and_cancel(const char* workload, const std::string& who, std::size_t n, cancel_order order) {
  add(named(workload, who, n), [n, order]() -> outcome {
    const arm_and_cancel m = measure_arm_and_cancel<Contestant>(n, order, rounds_for(n));
    return {m.arm.seconds + m.cancel.seconds,
            m.cancel.checksum,
            m.cancel.expected,
            {{"arm_ns", m.arm.ns_each()}, {"cancel_ns", m.cancel.ns_each()}}};
  });
}

/// What even those take part in with whom nothing fires: arming, cancelling, pushing on.
template <class Contestant>
void add_touching(const std::string& who, std::size_t largest = 1'000'000) {
  if (largest == 1'000'000) {
    add_arm_and_cancel<Contestant>("arm_and_cancel_fifo", who, largest, cancel_order::of_arming);
  }
  for (const std::size_t n : populations) {
    if (n > largest) break;
    add_arm_and_cancel<Contestant>("arm_and_cancel", who, n, cancel_order::random);
    add(named("churn", who, n), [n] { return single("pair_ns", measure_churn<Contestant>(n)); });
    add(named("push_on", who, n), [n] { return single("push_ns", measure_push_on<Contestant>(n)); });
  }
  add(named("percentiles", who, 100'000), [] { return spread(measure_percentiles<Contestant>(100'000)); });
  add(named("live_percentiles", who, 100'000),
      [] { return spread(measure_live_percentiles<Contestant>(100'000)); });
}

/// How far each operation of add_touching() stays what it is while live timers double, to ten million of
/// them.
template <class Contestant>
void add_doublings(const std::string& who) {
  for (std::size_t n = 10'000; n <= 10'240'000; n *= 2) {
    add_arm_and_cancel<Contestant>("doubled_arm_and_cancel", who, n, cancel_order::random);
    add(named("doubled_churn", who, n), [n] { return single("pair_ns", measure_churn<Contestant>(n)); });
    add(named("doubled_push_on", who, n), [n] { return single("push_ns", measure_push_on<Contestant>(n)); });
  }
}

/// What live timers hold.
template <class Contestant>
void add_memory(const std::string& who) {
  // What grows by doubling holds least at a power of two, so a size between two of them stands beside it.
  for (const std::size_t n : {std::size_t{65'536}, std::size_t{100'000}}) {
    add(named("memory", who, n), [n]() -> outcome {
      const memory m = measure_memory<Contestant>(n);
      return {0, m.checksum, m.expected, {{"timer_bytes", m.timer_bytes}}};
    });
  }
}

/// Ten thousand timers in a tick, without a budget, and with one where the contestant knows any.
template <class Contestant>
void add_clustered(const std::string& who) {
  constexpr std::size_t n = 100'000;
  add(named("clustered", who, n), []() -> outcome {
    const clustered m = measure_clustered<Contestant>(n);
    return {m.seconds, m.checksum, m.expected, {{"worst_poll_ns", m.worst_ns}}};
  });
  if constexpr (requires(Contestant& c) { c.advance_within(0, 1, [](std::uint64_t) {}); }) {
    add(named("clustered_within", who, n), []() -> outcome {
      const clustered m = measure_clustered_within<Contestant>(n, time_of_poll{});
      return {m.seconds,
              m.checksum,
              m.expected,
              {{"worst_poll_ns", m.worst_ns},
               {"poll_p50_ns", m.exhausted.p50},
               {"poll_p999_ns", m.exhausted.p999}}};
    });
  }
}

/// The workloads in which every timer's own millisecond does not matter. `largest`: of the populations, for
/// one so slow that it would take the others' time.
template <class Contestant>
void add_coarse_contestant(const std::string& who, std::size_t largest = 1'000'000) {
  add_touching<Contestant>(who, largest);
  for (const std::size_t n : populations) {
    if (n > largest) break;
    const std::size_t rounds = n < 200'000 ? 2 : 1;
    add(named("expire", who, n), [=] { return single("timer_ns", measure_expire<Contestant>(n, rounds)); });
  }
  add_memory<Contestant>(who);
  for (const std::size_t n : {populations[0], populations[1]}) {
    if constexpr (requires(const Contestant& c) { c.next_wakeup(); }) {
      add(named("next_wakeup", who, n),
          [n] { return single("call_ns", measure_next_wakeup<Contestant>(n)); });
    }
    add(named("empty_tick", who, n), [n] { return single("poll_ns", measure_empty_tick<Contestant>(n, 2)); });
    add(named("jump", who, n),
        [n] { return single("timer_ns", measure_jump<Contestant>(n, rounds_for(n))); });
  }
  add_clustered<Contestant>(who);
}

/// All workloads.
template <class Contestant>
void add_contestant(const std::string& who) {
  add_coarse_contestant<Contestant>(who);
  for (const bool by_push_on : {false, true}) {
    add(named(by_push_on ? "conn300k_push_on" : "conn300k", who, 300'000), [by_push_on]() -> outcome {
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

}  // namespace pinion::timer::bench
