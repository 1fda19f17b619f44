// SPDX-License-Identifier: Apache-2.0
//
// Every workload as a benchmark of one contestant. A benchmark is named <workload>/<contestant>/<n>; what n
// counts is the workload's: looks, slices, or the length of a slice in microseconds.
//
//   add_looks<made<ticker_source>>("ticker_source");
//   add_hog<yields_if_needed, made<ticker_source>>("ticker_source", 1'000);
#pragma once

#include <bench/program/program.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "contestants.hpp"
#include "workloads/delivery.hpp"
#include "workloads/hog.hpp"
#include "workloads/looks.hpp"
#include "workloads/slices.hpp"

namespace pinion::preempt::bench {

using pinion::bench::add;
using pinion::bench::named;
using pinion::bench::outcome;
using pinion::bench::single;

inline constexpr std::size_t looks_each = 10'000'000;
inline constexpr std::size_t hog_units = 40'000;  // 0.4 s
inline constexpr std::size_t idle_times = 300;

/// A slice that goes on for longer than it is looked at.
template <class Made, class Work>
measured in_a_slice(Work work) {
  Made made;
  const instant now = monotonic_clock::now();
  made.source.begin(now, now + far_ahead);
  const measured result = work(made.source.word());
  made.source.rest();
  return result;
}

template <class Form, class Made>
void add_awaited(const char* workload, const char* quantity, const std::string& who) {
  add(named(workload, who, looks_each), [quantity] {
    return single(quantity, in_a_slice<Made>([](const word& looked_at) {
                    return measure_awaited<Form>(looked_at, looks_each);
                  }));
  });
}

/// Not due, in each form.
template <class Made>
void add_looks(const std::string& who) {
  add(named("check", who, looks_each), [] {
    return single("check_ns", in_a_slice<Made>([](const word& looked_at) {
                    return measure_looks(word_pointer{&looked_at}, looks_each);
                  }));
  });
  add_awaited<each_time, Made>("yield_if_needed", "await_ns", who);
  add_awaited<by_promise, Made>("yield_by_promise", "await_ns", who);
  add_awaited<each_64th, Made>("yield_every", "await_ns", who);
  add_awaited<each_element, Made>("for_each", "await_ns", who);
}

/// A look of somebody else's.
template <class Look>
void add_check(const std::string& who) {
  add(named("check", who, looks_each), [] { return single("check_ns", measure_looks(Look{}, looks_each)); });
}

/// The loops alone.
inline void add_empty() {
  add_check<nothing>("empty");
  for (const char* const workload : {"yield_if_needed", "yield_by_promise", "yield_every", "for_each"}) {
    add_awaited<empty_await, made<never_due>>(workload, "await_ns", "empty");
  }
}

/// What slices cost their owner.
template <class Made>
void add_slices(const std::string& who) {
  constexpr std::size_t slices = 1'000'000;
  add(named("begin_again", who, slices), [] {
    Made made;
    return single("begin_ns", measure_begin_again(made.source, slices));
  });
  add(named("begin_and_rest", who, slices), [] {
    Made made;
    return single("begin_ns", measure_begin_and_rest(made.source, slices));
  });
  constexpr std::size_t first = 200;
  add(named("first_begin", who, first), []() -> outcome {
    Made made;
    const first_slices m = measure_first(made.source, first);
    return {
        m.seconds, m.checksum, m.expected, {{"begin_p50_ns", m.spread.p50}, {"begin_p99_ns", m.spread.p99}}};
  });
}

/// By sources that know time; n is the length of a slice.
template <class Made>
void add_delivery(const std::string& who) {
  for (const std::size_t length_us : {std::size_t{100}, std::size_t{1'000}}) {
    add(named("delivery", who, length_us), [length_us]() -> outcome {
      const duration length{length_us * 1'000};
      const std::size_t slices = length_us == 100 ? 1'500 : 250;
      Made made = make<Made>(length);
      const deliveries m = measure_delivery(made.source, length, slices);
      return {m.seconds,
              m.checksum,
              m.expected,
              {{"late_p50_ns", m.late.p50},
               {"late_p99_ns", m.late.p99},
               {"late_worst_ns", m.late_worst},
               {"early_count", static_cast<double>(m.early)},
               {"stolen_ns", m.stolen_ns}},
              m.fault};
    });
  }
}

inline outcome shown(const beside_hog& m) {
  const auto units = static_cast<double>(m.units);
  return {m.wall_seconds,
          m.checksum,
          m.expected,
          {{"late_p50_ns", m.lateness.p50},
           {"late_p99_ns", m.lateness.p99},
           {"late_worst_ns", m.lateness_worst},
           {"times_count", static_cast<double>(m.times)},
           {"unit_ns", m.wall_seconds * 1e9 / units},
           {"unit_cpu_ns", m.cpu_seconds * 1e9 / units},
           {"slices_count", static_cast<double>(m.slices)},
           {"stolen_ns", m.stolen_ns}}};
}

/// The timed task and the hog, which is written in that form; n is the quantum. In `timer` the loop knows
/// when the timed task is to run, in `wake` it does not.
template <class Form, class Made>
void add_hog(const char* workload, const std::string& who, std::size_t quantum_us) {
  const bool knows_timer = std::string_view{workload} == "timer";
  add(named(workload, who, quantum_us), [quantum_us, knows_timer] {
    const host_terms terms{.quantum = duration{quantum_us * 1'000}, .knows_timer = knows_timer};
    Made made = make<Made>(terms.quantum);
    return shown(measure_beside_hog<Form>(made.source, terms, hog_units));
  });
}

/// What they are compared with.
inline void add_each_alone(std::size_t quantum_us) {
  add(named("timer", "each_alone", quantum_us),
      [] { return shown(measure_each_alone(hog_units, idle_times)); });
}

}  // namespace pinion::preempt::bench
