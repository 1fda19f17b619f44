// SPDX-License-Identifier: Apache-2.0
//
// A task that is to run every millisecond, beside one that keeps the core: how late the one is, and what the
// other loses.
//
//   beside_hog m = measure_beside_hog<yields_if_needed>(source, {.quantum = ceil(1ms)}, 40'000);
//   beside_hog m = measure_each_alone(40'000, 300);     // the hog, and nothing else; then the timed task, and nothing else
//
// Lateness is wall time, from when the timed task was to run until it does. It sleeps for another millisecond
// from there on; where the host does not know its timer, for 0.5 to 1.5 ms, drawn at random, so that no slice
// happens to end with it. The checksum is the hog's.
#pragma once

#include <algorithm>
#include <bench/program/clock.hpp>
#include <bench/program/cores.hpp>
#include <bench/program/percentiles.hpp>
#include <bench/program/random_numbers.hpp>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <pinion/preempt.hpp>
#include <pinion/preempt/chunks.hpp>
#include <pinion/preempt/for_each.hpp>
#include <vector>

#include "hog_work.hpp"
#include "host.hpp"
#include "stolen_time.hpp"

namespace pinion::preempt::bench::inline PINION_MODE {

// The forms that a hog is written in.

/// 100 ms without a look; then it lets others run, whatever the word says.
struct never_looks {
  template <class Host>
  static task<Host> hog(Host& on, hog_work& work) {
    constexpr std::size_t units = 10'000;
    while (!work.is_done()) {
      for (std::size_t k = std::min(units, work.left()); k != 0; --k) work.do_unit();
      co_await yield_now(on);
    }
  }
};

/// After each unit.
struct yields_if_needed {
  template <class Host>
  static task<Host> hog(Host& on, hog_work& work) {
    while (!work.is_done()) {
      work.do_unit();
      co_await yield_if_needed(on);
    }
  }
};

/// Looks at each 8th unit.
struct yields_each_8th {
  template <class Host>
  static task<Host> hog(Host& on, hog_work& work) {
    auto pace = yield_every<8>(on);
    while (!work.is_done()) {
      work.do_unit();
      co_await pace;
    }
  }
};

/// After each piece of 8 units.
struct in_chunks {
  template <class Host>
  static task<Host> hog(Host& on, hog_work& work) {
    for (const auto chunk : chunks<8>(work.numbers())) {
      for (auto k = chunk.size(); k != 0; --k) work.do_unit();
      co_await yield_if_needed(on);
    }
  }
};

/// A function for each unit.
struct for_each_unit {
  template <class Host>
  static task<Host> hog(Host& on, hog_work& work) {
    co_await for_each(on, work.numbers(), [&](std::size_t) { work.do_unit(); });
  }
};

struct beside_hog {
  pinion::bench::percentiles lateness{};  ///< of the timed task, in ns
  double lateness_worst = 0;
  std::size_t times = 0;    ///< that it ran
  std::size_t units = 0;    ///< of the hog
  double wall_seconds = 0;  ///< until the hog had ended
  double cpu_seconds = 0;   ///< of the whole process: a source's thread is in it
  double stolen_ns = 0;
  std::uint64_t slices = 0;
  std::uint64_t checksum = 0;
  std::uint64_t expected = 0;
};

/// What the timed task is told.
struct timed_terms {
  const hog_work& beside;
  std::size_t times_least;  ///< it ends when the hog has ended, and not before it ran so often
  bool is_even;
};

template <class Host>
task<Host> each_millisecond(Host& on, timed_terms terms, std::vector<double>& late) {
  constexpr duration millisecond{1'000'000};
  pinion::bench::random_numbers random{9};
  do {
    const duration period =
        terms.is_even ? millisecond : duration{millisecond.ns / 2 + random.below(millisecond.ns)};
    const instant then = monotonic_clock::now() + period;
    co_await on.sleep_until(then);
    late.push_back(static_cast<double>((monotonic_clock::now() - then).ns));
  } while (!terms.beside.is_done() || late.size() < terms.times_least);
}

/// What of the two there is. The source is made before, where its thread may have another core.
template <class Form, preempt_source Source>
beside_hog measure_on_host(Source& source, const host_terms& terms, std::size_t units, bool is_timed,
                           std::size_t times_least = 1) {
  const pinion::bench::on_core place{0};
  using host_type = host<Source>;
  host_type on{source, terms};
  hog_work work{units};
  std::vector<double> late;
  late.reserve(10'000);
  const auto hog = Form::hog(on, work);
  const timed_terms told{.beside = work, .times_least = times_least, .is_even = terms.knows_timer};
  const auto timed = each_millisecond(on, told, late);
  beside_hog result{.units = units, .expected = hog_work::expected(units)};

  const stolen_time stolen;
  const instant begin = monotonic_clock::now();
  const pinion::bench::process_stopwatch watch;
  on.run(units != 0 ? hog.handle() : nullptr, is_timed ? timed.handle() : nullptr);
  result.cpu_seconds = watch.seconds();
  result.wall_seconds = static_cast<double>((on.hog_ended() - begin).ns) * 1e-9;
  result.stolen_ns = stolen.ns();

  result.checksum = work.checksum();
  result.slices = on.slice_count();
  result.times = late.size();
  result.lateness = pinion::bench::percentiles_of(late);
  result.lateness_worst = late.empty() ? 0 : late.back();
  return result;
}

template <class Form, preempt_source Source>
beside_hog measure_beside_hog(Source& source, const host_terms& terms, std::size_t units) {
  return measure_on_host<Form>(source, terms, units, true);
}

/// What the others are compared with: what the units cost, and how late a task is that the kernel wakes.
inline beside_hog measure_each_alone(std::size_t units, std::size_t times) {
  const host_terms terms{.quantum = quantum_max};
  never_due source;
  beside_hog result = measure_on_host<never_looks>(source, terms, units, false);
  const beside_hog timed = measure_on_host<never_looks>(source, terms, 0, true, times);
  result.lateness = timed.lateness;
  result.lateness_worst = timed.lateness_worst;
  result.times = timed.times;
  result.stolen_ns += timed.stolen_ns;
  return result;
}

}  // namespace pinion::preempt::bench::inline PINION_MODE
