// SPDX-License-Identifier: Apache-2.0
//
// Every workload as a benchmark of one contestant. A benchmark is named <workload>/<contestant>/<n>; what n
// counts is the workload's: senders, items, wakes.
//
//   add_queue<channel_contestant<tagged_inbox, eventfd_notifier>>("tagged_inbox");
//   add_sleeper<channel_contestant<tagged_inbox, eventfd_notifier>>("tagged_eventfd");
#pragma once

#include <bench/program/program.hpp>
#include <cstddef>
#include <string>

#include "workloads/actors.hpp"
#include "workloads/alone.hpp"
#include "workloads/latency.hpp"
#include "workloads/ping_pong.hpp"
#include "workloads/push.hpp"
#include "workloads/sleeper.hpp"

namespace pinion::waker::bench {

using pinion::bench::add;
using pinion::bench::named;
using pinion::bench::outcome;
using pinion::bench::single;

template <class Contestant>
void add_push(const std::string& who, std::size_t senders) {
  add(named("push", who, senders), [senders]() -> outcome {
    const pushes m = measure_push<Contestant>(senders, 60 / senders);
    const double item_ns = m.wall_seconds * 1e9 / static_cast<double>(m.push.operations);
    return {m.push.seconds,
            m.push.checksum,
            m.push.expected,
            {{"push_ns", m.push.ns_each()}, {"item_ns", item_ns}},
            m.fault};
  });
}

template <class Contestant>
void add_batch(const std::string& who) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{16}, std::size_t{200}}) {
    add(named("batch", who, n), [n] { return single("item_ns", measure_batch<Contestant>(n, 400'000 / n)); });
  }
}

template <class Contestant>
void add_polled(const std::string& who) {
  constexpr std::size_t n = 20'000;
  add(named("polled", who, n), []() -> outcome {
    const latencies m = measure_polled<Contestant>(n);
    return {m.seconds,
            m.checksum,
            m.expected,
            {{"latency_p50_ns", m.spread.p50}, {"latency_p99_ns", m.spread.p99}}};
  });
}

/// What is measured of a queue whose owner stays awake.
template <class Contestant>
void add_queue(const std::string& who) {
  for (const std::size_t senders : {std::size_t{1}, std::size_t{2}, std::size_t{4}}) {
    add_push<Contestant>(who, senders);
  }
  add_batch<Contestant>(who);
  add_polled<Contestant>(who);
}

/// Waking what is queued already, of contestants that know this.
template <class Contestant>
void add_queued_again(const std::string& who) {
  constexpr std::size_t n = 64;
  add(named("queued_again", who, n),
      [] { return single("wake_ns", measure_queued_again<Contestant>(n, 1'000'000)); });
}

/// What each wake of an owner takes that always sleeps, and system calls for 100,000 of them.
template <class Contestant>
void add_parked(const std::string& who) {
  constexpr std::size_t sleeps = 2'000;
  add(named("parked", who, sleeps), []() -> outcome {
    const latencies m = measure_parked<Contestant>(sleeps);
    return {m.seconds,
            m.checksum,
            m.expected,
            {{"latency_p50_ns", m.spread.p50},
             {"latency_p99_ns", m.spread.p99},
             {"signals_count", m.signals * (100'000.0 / sleeps)}}};
  });
}

/// The same, and system calls to wake an owner that never sleeps.
template <class Contestant>
void add_signals(const std::string& who) {
  constexpr std::size_t rounds = 25;
  constexpr std::size_t wakes = rounds * items_each;
  static_assert(wakes == 100'000);
  add(named("busy", who, wakes), []() -> outcome {
    const pushes m = measure_push<Contestant, signal_meter>(1, rounds);
    return {m.wall_seconds, m.push.checksum, m.push.expected, {{"signals_count", m.push.seconds}}, m.fault};
  });
  add_parked<Contestant>(who);
}

/// Two owners.
template <class Contestant>
void add_conversations(const std::string& who) {
  const auto shown = [](const conversation& m, const char* wall) -> outcome {
    return {m.wall_seconds, m.checksum, m.expected, {{wall, m.wall_ns_each()}, {"cpu_ns", m.cpu_ns_each()}}};
  };
  constexpr std::size_t rounds = 10'000;
  add(named("ping_pong", who, rounds),
      [shown] { return shown(measure_ping_pong<Contestant>(rounds), "round_ns"); });
  constexpr std::size_t actors = 1'000;
  constexpr std::size_t hops = 500;
  add(named("actors", who, actors),
      [shown] { return shown(measure_actors<Contestant>(actors, hops), "message_ns"); });
}

/// What is measured of one whose owner sleeps.
template <class Contestant>
void add_sleeper(const std::string& who) {
  add_signals<Contestant>(who);
  add_conversations<Contestant>(who);
}

}  // namespace pinion::waker::bench
