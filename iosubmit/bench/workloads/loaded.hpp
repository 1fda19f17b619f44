// SPDX-License-Identifier: Apache-2.0
//
// An owner with a schedule: it reads at random places of a file when it is time to, and has other work to do
// meanwhile.
//
//   const loaded m = measure_latency<contestant>();   // reads and work come at random, the owner is busy 70% of the time
//   const loaded m = measure_busy_burst<contestant>(4);    // 100 ms of nothing, 100 ms in which something is always ready; four times
//   const loaded m = measure_long_turns<contestant>();     // the owner is always busy, in turns in which a device could answer
//
// Other work is done in slices, each of which ends a turn; where there is none, the owner parks until the
// next thing is due. The latency is from when an operation was asked for until its handler is told. Where 64
// bytes of a cached file are read, nearly all of it is how long the read has waited for an enter: what a
// policy decides. A block that is read past the cache is on its way while the owner works, if it was handed
// over before.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "engine.hpp"
#include "schedule.hpp"
#include "scratch_file.hpp"

namespace pinion::iosubmit::bench {

inline constexpr std::size_t small_read_bytes = 64;
inline constexpr std::uint64_t millisecond = 1'000'000;

struct loaded {
  std::vector<double> latencies{};  ///< in nanoseconds, in the order in which the operations were asked for
  std::uint64_t checksum = 0;
  std::uint64_t expected = 0;
  kernel_calls counted{};
  double seconds = 0;  ///< CPU time, the other work included
};

/// One contestant's owner, of reads of so many bytes: of whole blocks, past the cache.
template <class Contestant, std::size_t Bytes = small_read_bytes>
class loaded_owner {
  using engine = typename Contestant::template engine<loaded_owner>;
  struct slot_type : engine::slot {
    std::size_t number = 0;
    std::uint64_t begin = 0;
    alignas(Bytes) std::array<std::byte, Bytes> bytes{};
  };

 public:
  explicit loaded_owner(const schedule& load)
      : load_(load), file_(blocks, Bytes == block_bytes ? reached::on_device : reached::in_cache),
        engine_(*this, slots_max), slots_(numbered_slots<slot_type>(slots_max)),
        latencies_(load.operations.size()) {
    for (slot_type& each : slots_) free_.push_back(&each);
  }

  void answered(typename engine::slot& done, std::int32_t result) noexcept {
    auto& each = static_cast<slot_type&>(done);
    latencies_[each.number] = static_cast<double>(pinion::bench::ticks() - each.begin) * ns_each_;
    if (result == static_cast<std::int32_t>(Bytes)) checksum_ += sum_of_read(each.bytes);
    free_.push_back(&each);
  }

  loaded run() {
    const process_stopwatch watch;
    begin_ = monotonic_clock::now();
    while (asked_ != load_.operations.size() || free_.size() != slots_.size()) {
      const std::uint64_t now = (monotonic_clock::now() - begin_).ns;
      ask_what_is_due(now);
      while (begun_ != load_.others.size() && load_.others[begun_].at <= now) {
        work_left_ += load_.others[begun_++].length;
      }
      if (work_left_ != 0) {
        do_a_slice();
        engine_.turn();
      } else {
        engine_.park(next_due());
      }
    }
    return {std::move(latencies_), checksum_, expected_, engine_.counted(), watch.seconds()};
  }

 private:
  static constexpr std::size_t blocks = 1'024;
  static constexpr std::size_t slots_max = 1'024;

  static std::uint64_t sum_of_read(const std::array<std::byte, Bytes>& bytes) noexcept {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::memcpy(&first, bytes.data(), sizeof first);
    std::memcpy(&last, bytes.data() + Bytes - sizeof last, sizeof last);
    return first + last;
  }

  void ask_what_is_due(std::uint64_t now) {
    constexpr std::size_t places = block_bytes / Bytes;
    constexpr std::size_t words = Bytes / sizeof(std::uint64_t);
    for (; asked_ != load_.operations.size() && load_.operations[asked_] <= now && !free_.empty(); ++asked_) {
      slot_type& each = *free_.back();
      free_.pop_back();
      each.number = asked_;
      const std::size_t block = random_.below(blocks);
      const std::size_t place = random_.below(places);
      expected_ += scratch_file::content(block, place * words) +
                   scratch_file::content(block, place * words + words - 1);
      each.begin = pinion::bench::ticks();
      engine_.read(each, file_.descriptor(), each.bytes, block * block_bytes + place * Bytes);
    }
  }

  void do_a_slice() noexcept {
    const std::uint64_t length = std::min(work_left_, load_.slice);
    work_left_ -= length;
    const std::uint64_t end =
        pinion::bench::ticks() + static_cast<std::uint64_t>(static_cast<double>(length) / ns_each_);
    while (pinion::bench::ticks() < end) {
    }
  }

  [[nodiscard]] instant next_due() const noexcept {
    std::uint64_t next = std::numeric_limits<std::uint64_t>::max();
    if (asked_ != load_.operations.size()) next = load_.operations[asked_];
    if (begun_ != load_.others.size()) next = std::min(next, load_.others[begun_].at);
    return begin_ + duration{next};
  }

  const schedule& load_;
  const scratch_file file_;
  engine engine_;
  std::vector<slot_type> slots_;
  std::vector<slot_type*> free_;
  std::vector<double> latencies_;
  const double ns_each_ = pinion::bench::ns_per_tick();
  random_numbers random_{64};
  instant begin_;
  std::size_t asked_ = 0;
  std::size_t begun_ = 0;
  std::uint64_t work_left_ = 0;
  std::uint64_t checksum_ = 0;
  std::uint64_t expected_ = 0;
};

/// 600 ms: a read in 20 us, and other work of 70 us in 100 us, on the average.
template <class Contestant>
loaded measure_latency() {
  schedule load;
  load.add_operations(0, 600 * millisecond, 20'000);
  load.add_work(0, 600 * millisecond, 100'000, 70'000);
  return loaded_owner<Contestant>{load}.run();
}

/// 600 ms: other work all the time, in slices of 50 us, and a read of a device in 500 us on the average.
inline constexpr std::uint64_t long_slice_us = 50;
template <class Contestant>
loaded measure_long_turns() {
  schedule load;
  load.slice = long_slice_us * 1'000;
  load.others.push_back({0, 600 * millisecond});
  load.add_operations(0, 600 * millisecond, 500'000);
  return loaded_owner<Contestant, block_bytes>{load}.run();
}

/// So often 100 ms in which nothing is due and 100 ms in which there is always other work, and a read in 10
/// us on the average.
inline schedule bursts(std::size_t cycles, std::vector<std::size_t>& first_of_each) {
  schedule load;
  for (std::size_t k = 0; k < cycles; ++k) {
    const std::uint64_t begin = (2 * k + 1) * 100 * millisecond;
    load.others.push_back({begin, 100 * millisecond});
    first_of_each.push_back(load.operations.size());
    load.operations.push_back(begin);
    load.add_operations(begin, begin + 100 * millisecond, 10'000);
  }
  return load;
}

struct burst_latencies {
  loaded all;
  percentiles spread;    ///< of those in the bursts
  double first_p50 = 0;  ///< of the first ones after a pause
};

template <class Contestant>
burst_latencies measure_busy_burst(std::size_t cycles) {
  std::vector<std::size_t> first_of_each;
  const schedule load = bursts(cycles, first_of_each);
  burst_latencies result{.all = loaded_owner<Contestant>{load}.run(), .spread = {}};
  std::vector<double> first;
  for (const std::size_t number : first_of_each) first.push_back(result.all.latencies[number]);
  result.first_p50 = percentiles_of(first).p50;
  result.spread = percentiles_of(result.all.latencies);
  return result;
}

}  // namespace pinion::iosubmit::bench
