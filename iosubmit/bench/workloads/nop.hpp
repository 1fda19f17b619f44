// SPDX-License-Identifier: Apache-2.0
//
// Batches of operations that do nothing: what it costs to ask and to be told.
//
//   submitted m = measure_nop<contestant>(8, 25'000);   // eight at a time
//
// n are asked for, the owner has nothing else to run until all are answered, and the next n are asked for.
// The latency is that of a batch, over n.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine.hpp"

namespace pinion::iosubmit::bench {

/// One contestant's rounds.
template <class Contestant>
class nop_rounds {
  using engine = typename Contestant::template engine<nop_rounds>;
  using slot = typename engine::slot;

 public:
  explicit nop_rounds(std::size_t batch) : engine_(*this, batch), slots_(numbered_slots<slot>(batch)) {}

  void answered(slot& each, std::int32_t result) noexcept {
    // A wrong result makes a wrong sum.
    checksum_ += each.index + 1 + static_cast<std::uint64_t>(result);
    --unanswered_;
  }

  void round() {
    unanswered_ = slots_.size();
    for (slot& each : slots_) engine_.nop(each);
    while (unanswered_ != 0) engine_.park();
  }

  [[nodiscard]] std::uint64_t checksum() const noexcept { return checksum_; }
  [[nodiscard]] kernel_calls counted() noexcept { return engine_.counted(); }

 private:
  engine engine_;
  std::vector<slot> slots_;
  std::size_t unanswered_ = 0;
  std::uint64_t checksum_ = 0;
};

template <class Contestant, class Meter = process_stopwatch>
submitted measure_nop(std::size_t batch, std::size_t rounds) {
  using pinion::bench::ticks;
  nop_rounds<Contestant> owner{batch};
  owner.round();  // what is done once is not charged
  const double ns_each = pinion::bench::ns_per_tick() / static_cast<double>(batch);
  std::vector<double> samples;
  samples.reserve(rounds);
  submitted result{.work = {.operations = batch * rounds}};
  const std::uint64_t checksum_before = owner.checksum();
  const kernel_calls before = owner.counted();

  const wall_stopwatch wall;
  const Meter watch;
  for (std::size_t k = 0; k < rounds; ++k) {
    const std::uint64_t begin = ticks();
    owner.round();
    samples.push_back(static_cast<double>(ticks() - begin) * ns_each);
  }
  result.work.seconds = watch.seconds();
  result.wall_seconds = wall.seconds();

  result.counted = owner.counted() - before;
  result.latency = percentiles_of(samples);
  result.work.checksum = owner.checksum() - checksum_before;
  result.work.expected = rounds * (batch * (batch + 1) / 2);
  return result;
}

}  // namespace pinion::iosubmit::bench
