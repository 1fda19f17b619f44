// SPDX-License-Identifier: Apache-2.0
//
// What all workloads of timers have in common: the interface of who is measured, the deadlines, and small
// things.
//
// A contestant is a store behind some twenty lines (contestants.hpp, peers/):
//
//   explicit contestant(std::uint64_t start_ns);
//   name arm(std::uint64_t deadline_ns, std::uint64_t payload);
//   std::uint64_t cancel(name);                                            // gives the payload back
//   name push_on(name, std::uint64_t deadline_ns, std::uint64_t payload);  // its own way to re-arm
//   template <class Fired> void advance(std::uint64_t now_ns, Fired);      // calls fired(payload)
//   std::uint64_t next_wakeup() const;
//
// and, where the store has the like of it:
//
//   void reserve(std::size_t n);
//   template <class Fired> bool advance_within(std::uint64_t now_ns, std::size_t budget, Fired);  // is there more?
//   std::uint64_t work() const;                                           // words and entries touched so far
//
// Each workload prepares outside the clock, times its operations by a Meter, which is CPU time of the thread
// unless the caller says otherwise, and returns what it did with the checksum that is right.
#pragma once

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

/// What a contestant names a timer by.
template <class Contestant>
using name_of = decltype(std::declval<Contestant&>().arm(0, 0));

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

template <class T>
void shuffle(std::vector<T>& all, std::uint64_t seed) {
  random_numbers random{seed};
  for (std::size_t i = all.size() - 1; i >= 1; --i) std::swap(all[i], all[random.below(i + 1)]);
}

/// `count` numbers below n.
inline std::vector<std::uint32_t> picks(std::size_t count, std::size_t n, std::uint64_t seed) {
  random_numbers random{seed};
  std::vector<std::uint32_t> all(count);
  for (std::uint32_t& each : all) each = static_cast<std::uint32_t>(random.below(n));
  return all;
}

/// Arms all of them, the deadline being the payload too.
template <class Contestant>
std::vector<name_of<Contestant>> arm_all(Contestant& timers, const std::vector<std::uint64_t>& when) {
  std::vector<name_of<Contestant>> names;
  names.reserve(when.size());
  for (const std::uint64_t d : when) names.push_back(timers.arm(d, d));
  return names;
}

/// Small populations are measured several times over, so that the clock's step doesn't matter.
inline std::size_t rounds_for(std::size_t n) noexcept { return n < 200'000 ? 200'000 / n : 1; }

}  // namespace pinion::timer::bench
