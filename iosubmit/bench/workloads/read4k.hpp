// SPDX-License-Identifier: Apache-2.0
//
// Reads of 4 KB at places of a cached file that are drawn at random, so many in flight all the time.
//
//   submitted m = measure_read4k<contestant>(64, 100'000);   // 64 in flight
//
// Each answer asks for the next one; nothing else is left to run. First comes a course in which nothing but
// the CPU time is taken, and then a shorter one in which each operation is timed, from when it was asked for
// until its handler is told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <pinion/base/time.hpp>
#include <span>
#include <utility>
#include <vector>

#include "engine.hpp"
#include "scratch_file.hpp"

namespace pinion::iosubmit::bench {

/// How many blocks the file has.
inline constexpr std::size_t read4k_blocks = 8'192;

/// Which blocks are read, in the order in which they are asked for.
class drawn_blocks {
 public:
  std::size_t next() noexcept { return random_.below(read4k_blocks); }

 private:
  random_numbers random_{4'096};
};

/// What tells one block from any other: its first word and its last.
inline std::uint64_t sum_of_block(const std::byte* block) noexcept {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::memcpy(&first, block, sizeof first);
  std::memcpy(&last, block + block_bytes - sizeof last, sizeof last);
  return first + last;
}

/// The same, of what stands there.
inline std::uint64_t expected_sum(std::size_t block) noexcept {
  return scratch_file::content(block, 0) + scratch_file::content(block, scratch_file::words_each - 1);
}

/// One contestant's reads.
template <class Contestant>
class closed_reads {
  using engine = typename Contestant::template engine<closed_reads>;
  struct slot_type : engine::slot {
    std::uint64_t begin = 0;
    std::uint64_t expected = 0;
  };

 public:
  closed_reads(const scratch_file& file, std::size_t depth)
      : file_(file), engine_(*this, depth), slots_(numbered_slots<slot_type>(depth)),
        buffers_(new(std::align_val_t{block_bytes}) std::byte[depth * block_bytes]) {}
  closed_reads(const closed_reads&) = delete;
  closed_reads& operator=(const closed_reads&) = delete;
  ~closed_reads() { ::operator delete[](buffers_, std::align_val_t{block_bytes}); }

  void answered(typename engine::slot& done, std::int32_t result) noexcept {
    auto& each = static_cast<slot_type&>(done);
    if (samples_ != nullptr) samples_->push_back(static_cast<double>(pinion::bench::ticks() - each.begin));
    const std::uint64_t sum =
        result == static_cast<std::int32_t>(block_bytes) ? sum_of_block(buffer_of(each)) : 0;
    if (sum != each.expected) ++wrong_;
    checksum_ += sum;
    --unanswered_;
    if (end_ != never && unasked_ != 0 && monotonic_clock::now() >= end_)
      unanswered_ -= std::exchange(unasked_, 0);
    if (unasked_ != 0) ask(each);
  }

  /// Nothing, until then.
  void rest(instant until) {
    while (monotonic_clock::now() < until) engine_.park(until);
  }
  /// As many reads as are done by then.
  void run_until(instant end, std::vector<double>& samples) {
    end_ = end;
    run(std::numeric_limits<std::size_t>::max(), &samples);
    end_ = never;
  }
  /// So many reads; their latencies in ticks, if they are wanted.
  void run(std::size_t reads, std::vector<double>* samples) {
    samples_ = samples;
    unasked_ = unanswered_ = reads;
    for (slot_type& each : slots_) {
      if (unasked_ != 0) ask(each);
    }
    while (unanswered_ != 0) engine_.park();
  }

  /// Reads that brought something else than what stands there.
  [[nodiscard]] std::uint64_t wrong() const noexcept { return wrong_; }
  [[nodiscard]] std::uint64_t checksum() const noexcept { return checksum_; }
  [[nodiscard]] kernel_calls counted() noexcept { return engine_.counted(); }

 private:
  [[nodiscard]] std::byte* buffer_of(const slot_type& each) const noexcept {
    return buffers_ + each.index * block_bytes;
  }

  void ask(slot_type& each) {
    --unasked_;
    if (samples_ != nullptr) each.begin = pinion::bench::ticks();
    const std::size_t block = blocks_.next();
    each.expected = expected_sum(block);
    engine_.read(each, file_.descriptor(), {buffer_of(each), block_bytes}, block * block_bytes);
  }

  const scratch_file& file_;
  engine engine_;
  std::vector<slot_type> slots_;
  std::byte* buffers_;
  drawn_blocks blocks_;
  std::vector<double>* samples_ = nullptr;
  std::size_t unasked_ = 0;
  std::size_t unanswered_ = 0;
  std::uint64_t checksum_ = 0;
  std::uint64_t wrong_ = 0;
  instant end_ = never;
};

/// `reads` of them, and a fourth as many that are timed, by an owner that has these members of closed_reads.
template <class Owner>
submitted measure_reads(Owner& owner, std::size_t reads) {
  const std::size_t timed = reads / 4;
  std::vector<double> samples;
  samples.reserve(timed);
  submitted result{.work = {.operations = reads}};

  const kernel_calls before = owner.counted();
  const wall_stopwatch wall;
  const process_stopwatch watch;
  owner.run(reads, nullptr);
  result.work.seconds = watch.seconds();
  result.wall_seconds = wall.seconds();
  result.counted = owner.counted() - before;

  owner.run(timed, &samples);
  for (double& each : samples) each *= pinion::bench::ns_per_tick();
  result.latency = percentiles_of(samples);

  result.work.checksum = owner.checksum();
  drawn_blocks blocks;
  for (std::size_t k = 0; k < reads + timed; ++k) {
    result.work.expected += expected_sum(blocks.next());
  }
  return result;
}

template <class Contestant>
submitted measure_read4k(std::size_t depth, std::size_t reads) {
  const scratch_file file{read4k_blocks};
  closed_reads<Contestant> owner{file, depth};
  return measure_reads(owner, reads);
}

}  // namespace pinion::iosubmit::bench
