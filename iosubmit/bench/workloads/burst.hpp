// SPDX-License-Identifier: Apache-2.0
//
// 100 ms without work, then 100 ms with as much as there is: blocks that are read at random.
//
//   burst_reads m = measure_burst<contestant>();
//
// The first read after the pause is alone, and its latency stands for itself; then 32 are in flight until the
// time is over, and nothing else is to do. How many that are differs from run to run, so the checksum is of
// rounds in which every block was right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine.hpp"
#include "read4k.hpp"
#include "scratch_file.hpp"

namespace pinion::iosubmit::bench {

inline constexpr std::size_t burst_depth = 32;

struct burst_reads {
  submitted all;
  double first_p50 = 0;  ///< nanoseconds of wall time
};

template <class Contestant>
burst_reads measure_burst() {
  constexpr std::size_t rounds = 5;
  constexpr duration each{100'000'000};
  const scratch_file file{read4k_blocks};
  closed_reads<Contestant> owner{file, burst_depth};
  std::vector<double> firsts;
  std::vector<double> samples;
  samples.reserve(std::size_t{1} << 20U);
  burst_reads result{.all = {.work = {.expected = rounds}}};

  const kernel_calls before = owner.counted();
  const process_stopwatch watch;
  for (std::size_t k = 0; k < rounds; ++k) {
    owner.rest(monotonic_clock::now() + each);
    owner.run(1, &firsts);
    owner.run_until(monotonic_clock::now() + each, samples);
    if (owner.wrong() == 0) ++result.all.work.checksum;
  }
  result.all.work.seconds = watch.seconds();
  result.all.counted = owner.counted() - before;
  result.all.work.operations = firsts.size() + samples.size();

  const double ns_each = pinion::bench::ns_per_tick();
  for (double& ticks : firsts) ticks *= ns_each;
  for (double& ticks : samples) ticks *= ns_each;
  result.first_p50 = percentiles_of(firsts).p50;
  result.all.latency = percentiles_of(samples);
  return result;
}

}  // namespace pinion::iosubmit::bench
