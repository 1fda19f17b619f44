// SPDX-License-Identifier: Apache-2.0
//
// The workloads that timers are measured by: the same work for every backend and every peer, with its result
// checked.
//
// A contestant is a store behind five members, some twenty lines each (contestants.hpp, peers/):
//
//   explicit contestant(std::uint64_t start_ns);
//   name arm(std::uint64_t deadline_ns, std::uint64_t payload);
//   std::uint64_t cancel(name);                                            // gives the payload back
//   name push_on(name, std::uint64_t deadline_ns, std::uint64_t payload);  // its own way to re-arm
//   template <class Fired> void advance(std::uint64_t now_ns, Fired);      // calls fired(payload)
//
// Each workload prepares outside the clock, times its operations in CPU time of the thread, and returns what
// it did.
#pragma once

#include <malloc.h>

#include <algorithm>
#include <bench/program/clock.hpp>
#include <bench/program/program.hpp>
#include <bench/program/random_numbers.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace pinion::timer::bench {

using pinion::bench::measured;
using pinion::bench::ns_per_tick;
using pinion::bench::random_numbers;
using pinion::bench::stopwatch;
using pinion::bench::ticks;

inline constexpr std::uint64_t millisecond = 1'000'000;
inline constexpr std::uint64_t second = 1'000'000'000;
inline constexpr std::uint64_t deadline_span = 59'999'000'000;

/// n deadlines from 1 ms to one minute.
inline std::vector<std::uint64_t> deadlines(std::size_t n, std::uint64_t seed) {
  random_numbers random{seed};
  std::vector<std::uint64_t> all(n);
  for (std::uint64_t& d : all) d = millisecond + random.below(deadline_span);
  return all;
}

inline std::uint64_t sum_of(const std::vector<std::uint64_t>& numbers) noexcept {
  std::uint64_t sum = 0;
  for (const std::uint64_t n : numbers) sum += n;
  return sum;
}

/// Small populations are measured several times over, so that the clock's step doesn't matter.
inline std::size_t rounds_for(std::size_t n) noexcept { return n < 200'000 ? 200'000 / n : 1; }

struct arm_and_cancel {
  measured arm;
  measured cancel;
};

/// n timers armed, then all cancelled in random order.
template <class Contestant>
arm_and_cancel measure_arm_and_cancel(std::size_t n) {
  using name = decltype(std::declval<Contestant&>().arm(0, 0));
  const std::vector<std::uint64_t> when = deadlines(n, 42);
  arm_and_cancel result;
  for (std::size_t round = 0; round < rounds_for(n); ++round) {
    Contestant timers{0};
    std::vector<name> names;
    names.reserve(n);

    const stopwatch arming;
    for (const std::uint64_t d : when) names.push_back(timers.arm(d, d));
    result.arm.seconds += arming.seconds();

    random_numbers random{7 + round};
    for (std::size_t i = n - 1; i >= 1; --i) std::swap(names[i], names[random.below(i + 1)]);

    const stopwatch cancelling;
    for (const name& h : names) result.cancel.checksum += timers.cancel(h);
    result.cancel.seconds += cancelling.seconds();

    result.arm.operations += n;
    result.cancel.operations += n;
    result.cancel.expected += sum_of(when);
  }
  result.arm.checksum = result.cancel.checksum;
  result.arm.expected = result.cancel.expected;
  return result;
}

/// n live, and a million times one of them is cancelled and another armed. Time stands still.
template <class Contestant>
measured measure_churn(std::size_t n) {
  constexpr std::size_t pairs = 1'000'000;
  const std::vector<std::uint64_t> when = deadlines(n, 42);
  const std::vector<std::uint64_t> fresh = deadlines(65'536, 99);
  Contestant timers{0};
  std::vector<decltype(timers.arm(0, 0))> names;
  names.reserve(n);
  for (const std::uint64_t d : when) names.push_back(timers.arm(d, d));
  random_numbers random{5};
  std::vector<std::uint32_t> victims(pairs);
  for (std::uint32_t& v : victims) v = static_cast<std::uint32_t>(random.below(n));

  measured result{.operations = pairs};
  const stopwatch watch;
  for (std::size_t k = 0; k < pairs; ++k) {
    auto& victim = names[victims[k]];
    result.checksum += timers.cancel(victim);
    victim = timers.arm(fresh[k % fresh.size()], fresh[k % fresh.size()]);
  }
  result.seconds = watch.seconds();

  std::vector<std::uint64_t> live = when;
  for (std::size_t k = 0; k < pairs; ++k) {
    result.expected += live[victims[k]];
    live[victims[k]] = fresh[k % fresh.size()];
  }
  return result;
}

/// n timers over a minute, expired millisecond by millisecond.
template <class Contestant>
measured measure_expire(std::size_t n) {
  const std::vector<std::uint64_t> when = deadlines(n, 42);
  measured result;
  for (std::size_t round = 0; round < (n < 200'000 ? 2 : 1); ++round) {
    Contestant timers{0};
    for (const std::uint64_t d : when) timers.arm(d, d);

    const stopwatch watch;
    for (std::uint64_t ms = 1; ms <= 60'001; ++ms) {
      timers.advance(ms * millisecond, [&](std::uint64_t payload) { result.checksum += payload; });
    }
    // A store whose ticks are coarse has a last few left.
    timers.advance(62 * second, [&](std::uint64_t payload) { result.checksum += payload; });
    result.seconds += watch.seconds();

    result.operations += n;
    result.expected += sum_of(when);
  }
  return result;
}

/// n idle timeouts, a million times one of them is pushed on to 30 to 60 s from now; a microsecond passes
/// each time.
template <class Contestant>
measured measure_push_on(std::size_t n) {
  constexpr std::size_t pushes = 1'000'000;
  random_numbers random{77};
  std::vector<std::uint64_t> delays(65'536);
  for (std::uint64_t& d : delays) d = 30 * second + random.below(30 * second);
  Contestant timers{0};
  std::vector<decltype(timers.arm(0, 0))> names;
  names.reserve(n);
  for (std::size_t k = 0; k < n; ++k) names.push_back(timers.arm(30 * second + random.below(30 * second), k));
  random_numbers picks{5};
  std::vector<std::uint32_t> victims(pushes);
  for (std::uint32_t& v : victims) v = static_cast<std::uint32_t>(picks.below(n));

  measured result{.operations = pushes};
  const stopwatch watch;
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
  std::vector<decltype(timers.arm(0, 0))> names;
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

struct memory {
  double timer_bytes = 0;  ///< of the heap, beside the payload
  std::uint64_t checksum = 0;
  std::uint64_t expected = 0;
};

/// What n live timers hold, each.
template <class Contestant>
memory measure_memory(std::size_t n) {
  const std::vector<std::uint64_t> when = deadlines(n, 42);
  std::vector<decltype(std::declval<Contestant&>().arm(0, 0))> names;
  names.reserve(n);
  const auto before = mallinfo2();
  Contestant timers{0};
  for (const std::uint64_t d : when) names.push_back(timers.arm(d, d));
  const auto after = mallinfo2();

  memory result{.expected = sum_of(when)};
  const std::size_t held = (after.uordblks + after.hblkhd) - (before.uordblks + before.hblkhd);
  result.timer_bytes = static_cast<double>(held) / static_cast<double>(n) - sizeof(std::uint64_t);
  for (const auto& h : names) result.checksum += timers.cancel(h);
  return result;
}

}  // namespace pinion::timer::bench
