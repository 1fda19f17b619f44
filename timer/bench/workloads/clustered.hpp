// SPDX-License-Identifier: Apache-2.0
//
// Timers that cluster: thousands due in one tick, as after a burst of connections with one timeout. Without a
// budget all of them are one long poll; with one, polls are to be of one length.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "deadlines.hpp"
#include "percentiles.hpp"

namespace pinion::timer::bench {

inline constexpr std::size_t cluster_size = 10'000;
inline constexpr std::size_t cluster_budget = 64;

/// n timers in clusters of 10,000: each within one microsecond, a second apart.
inline std::vector<std::uint64_t> clustered_deadlines(std::size_t n) {
  random_numbers random{42};
  std::vector<std::uint64_t> all(n);
  for (std::size_t k = 0; k < n; ++k) all[k] = (k / cluster_size + 1) * second + random.below(1'000);
  shuffle(all, 43);
  return all;
}

/// Wall time of the polls of a run, a poll at each millisecond.
struct clustered {
  double seconds = 0;
  double worst_ns = 0;      ///< of all polls
  percentiles exhausted{};  ///< of the polls that spent their budget
  std::size_t exhausted_count = 0;
  std::uint64_t checksum = 0;
  std::uint64_t expected = 0;
};

/// Every poll does all that is due.
template <class Contestant>
clustered measure_clustered(std::size_t n) {
  const std::vector<std::uint64_t> when = clustered_deadlines(n);
  clustered result{.expected = sum_of(when)};
  Contestant timers{0};
  arm_all(timers, when);
  std::uint64_t worst = 0;
  const stopwatch watch;
  for (std::uint64_t ms = 1; ms <= 12'000; ++ms) {
    const std::uint64_t begun = ticks();
    timers.advance(ms * millisecond, [&](std::uint64_t payload) { result.checksum += payload; });
    worst = std::max(worst, ticks() - begun);
  }
  result.seconds = watch.seconds();
  result.worst_ns = static_cast<double>(worst) * ns_per_tick();
  return result;
}

/// Every poll does 64 timers at most, and is followed by another at the same time while there is more. `cost`
/// is asked what each poll that spent its budget has cost: the ticks it took are given, and the contestant.
template <class Contestant, class Cost>
clustered measure_clustered_within(std::size_t n, Cost cost) {
  const std::vector<std::uint64_t> when = clustered_deadlines(n);
  clustered result{.expected = sum_of(when)};
  Contestant timers{0};
  arm_all(timers, when);
  std::vector<double> exhausted;
  exhausted.reserve(n / cluster_budget * 2);
  std::uint64_t worst = 0;
  const stopwatch watch;
  for (std::uint64_t ms = 1; ms <= 12'000; ++ms) {
    for (bool more = true; more;) {
      cost.begin(timers);
      const std::uint64_t begun = ticks();
      more = timers.advance_within(ms * millisecond, cluster_budget,
                                   [&](std::uint64_t payload) { result.checksum += payload; });
      const std::uint64_t took = ticks() - begun;
      worst = std::max(worst, took);
      if (more) exhausted.push_back(cost.end(timers, took));
    }
  }
  result.seconds = watch.seconds();
  result.worst_ns = static_cast<double>(worst) * ns_per_tick();
  result.exhausted_count = exhausted.size();
  result.exhausted = percentiles_of(exhausted);
  return result;
}

/// Counts a poll's wall time.
struct time_of_poll {
  template <class Contestant>
  void begin(const Contestant&) const noexcept {}
  template <class Contestant>
  double end(const Contestant&, std::uint64_t took) const {
    return static_cast<double>(took) * ns_per_tick();
  }
};

/// Counts the words and entries that a poll touched, in a checked build.
struct work_of_poll {
  std::uint64_t before = 0;
  template <class Contestant>
  void begin(const Contestant& timers) noexcept {
    before = timers.work();
  }
  template <class Contestant>
  double end(const Contestant& timers, std::uint64_t) const noexcept {
    return static_cast<double>(timers.work() - before);
  }
};

}  // namespace pinion::timer::bench
