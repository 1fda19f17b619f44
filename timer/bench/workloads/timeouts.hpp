// SPDX-License-Identifier: Apache-2.0
//
// Timeouts that hardly ever fire: pushed on one by one, and the three that each connection of a server has.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "deadlines.hpp"

namespace pinion::timer::bench {

/// n idle timeouts, `pushes` times one of them is pushed on to 30 to 60 s from now; a microsecond passes each
/// time.
template <class Contestant, class Meter = stopwatch>
measured measure_push_on(std::size_t n, std::size_t pushes = 1'000'000) {
  random_numbers random{77};
  std::vector<std::uint64_t> delays(65'536);
  for (std::uint64_t& d : delays) d = 30 * second + random.below(30 * second);
  Contestant timers{0};
  std::vector<name_of<Contestant>> names;
  names.reserve(n);
  for (std::size_t k = 0; k < n; ++k) names.push_back(timers.arm(30 * second + random.below(30 * second), k));
  const std::vector<std::uint32_t> victims = picks(pushes, n, 5);

  measured result{.operations = pushes};
  const Meter watch;
  for (std::size_t k = 0; k < pushes; ++k) {
    const std::uint64_t now = k * 1'000;
    auto& victim = names[victims[k]];
    victim = timers.push_on(victim, now + delays[k % delays.size()], victims[k]);
    if (k % 1'000 == 0) timers.advance(now, [&](std::uint64_t) { ++result.checksum; });
  }
  result.seconds = watch.seconds();

  // All are still there: none fires in the first second, and each comes back with the payload it was given.
  for (const auto& h : names) result.checksum += timers.cancel(h);
  result.expected = n * (n - 1) / 2;
  return result;
}

struct conn300k {
  measured requests;            ///< an operation is one request: three re-arms
  double worst_advance_ns = 0;  ///< wall time
  double worst_batch_ns = 0;    ///< wall time of 100 requests
};

/// 100,000 connections, each with a read, a write and a keep-alive timeout, all three re-armed by every
/// request; a million requests, 10 us apart. `by_push_on`: by the contestant's own re-arm, else by cancel and
/// arm.
template <class Contestant>
conn300k measure_conn300k(bool by_push_on) {
  constexpr std::size_t connections = 100'000;
  constexpr std::size_t requests = 1'000'000;
  constexpr std::size_t batch = 100;
  constexpr std::uint64_t delays[] = {30 * second, 10 * second, 60 * second};
  random_numbers random{11};
  Contestant timers{0};
  std::vector<name_of<Contestant>> names;
  names.reserve(3 * connections);
  for (std::size_t c = 0; c < connections; ++c) {
    for (const std::uint64_t delay : delays) {
      names.push_back(timers.arm(delay / 2 + random.below(delay / 2), names.size()));
    }
  }
  std::vector<std::uint32_t> order(requests);
  for (std::uint32_t& c : order) c = static_cast<std::uint32_t>(random.below(connections));

  conn300k result{.requests = {.operations = requests, .expected = 138}};
  std::uint64_t now = 0;
  std::uint64_t worst_batch = 0;
  std::uint64_t worst_advance = 0;
  const stopwatch watch;
  for (std::size_t r = 0; r < requests; r += batch) {
    const std::uint64_t begun = ticks();
    for (std::size_t k = r; k < r + batch; ++k) {
      now += 10'000;
      for (std::size_t t = 0; t < 3; ++t) {
        const std::size_t slot = std::size_t{order[k]} * 3 + t;
        if (by_push_on) {
          names[slot] = timers.push_on(names[slot], now + delays[t], slot);
        } else {
          timers.cancel(names[slot]);
          names[slot] = timers.arm(now + delays[t], slot);
        }
      }
    }
    const std::uint64_t worked = ticks();
    timers.advance(now, [&](std::uint64_t) { ++result.requests.checksum; });
    worst_batch = std::max(worst_batch, worked - begun);
    worst_advance = std::max(worst_advance, ticks() - worked);
  }
  result.requests.seconds = watch.seconds();
  result.worst_batch_ns = static_cast<double>(worst_batch) * ns_per_tick();
  result.worst_advance_ns = static_cast<double>(worst_advance) * ns_per_tick();
  return result;
}

}  // namespace pinion::timer::bench
