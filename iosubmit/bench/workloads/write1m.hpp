// SPDX-License-Identifier: Apache-2.0
//
// Sequential writes of 1 MB in place, in a file of 64 of them that is written again and again, so many in
// flight.
//
//   submitted m = measure_write1m<contestant>(4, 256);   // four in flight
//
// The writes go to the page cache; whoever does the copying is charged, also where that is a thread of the
// kernel's that works for the program. Which write stands at each place in the end is read back and checked.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "engine.hpp"
#include "scratch_file.hpp"

namespace pinion::iosubmit::bench {

inline constexpr std::size_t megabyte = std::size_t{1} << 20U;
inline constexpr std::size_t write1m_places = 64;

/// One contestant's writes.
template <class Contestant>
class closed_writes {
  using engine = typename Contestant::template engine<closed_writes>;
  struct slot_type : engine::slot {
    std::uint64_t begin = 0;
  };

 public:
  closed_writes(const scratch_file& file, std::size_t depth)
      : file_(file), engine_(*this, depth), slots_(numbered_slots<slot_type>(depth)),
        buffers_(depth, std::vector<std::byte>(megabyte, std::byte{0x5a})) {}

  void answered(typename engine::slot& done, std::int32_t result) noexcept {
    auto& each = static_cast<slot_type&>(done);
    samples_.push_back(static_cast<double>(pinion::bench::ticks() - each.begin) * ns_each_);
    if (result == static_cast<std::int32_t>(megabyte)) ++written_;
    --unanswered_;
    if (unasked_ != 0) ask(each);
  }

  void run(std::size_t writes) {
    samples_.clear();
    samples_.reserve(writes);
    written_ = next_ = 0;
    unasked_ = unanswered_ = writes;
    for (slot_type& each : slots_) {
      if (unasked_ != 0) ask(each);
    }
    while (unanswered_ != 0) engine_.park();
  }

  [[nodiscard]] std::uint64_t written() const noexcept { return written_; }
  [[nodiscard]] std::vector<double>& samples() noexcept { return samples_; }
  [[nodiscard]] kernel_calls counted() noexcept { return engine_.counted(); }

 private:
  void ask(slot_type& each) {
    --unasked_;
    each.begin = pinion::bench::ticks();
    const std::uint64_t number = next_++;
    std::vector<std::byte>& buffer = buffers_[each.index];
    std::memcpy(buffer.data(), &number, sizeof number);
    engine_.write(each, file_.descriptor(), buffer, number % write1m_places * megabyte);
  }

  const scratch_file& file_;
  engine engine_;
  std::vector<slot_type> slots_;
  std::vector<std::vector<std::byte>> buffers_;
  std::vector<double> samples_;
  const double ns_each_ = pinion::bench::ns_per_tick();
  std::uint64_t written_ = 0;
  std::uint64_t next_ = 0;
  std::size_t unasked_ = 0;
  std::size_t unanswered_ = 0;
};

/// The number of the write that stands at each place, weighed by the place.
inline std::uint64_t sum_of_places(const scratch_file& file) {
  std::uint64_t sum = 0;
  for (std::size_t place = 0; place < write1m_places; ++place) {
    std::uint64_t number = 0;
    if (::pread(file.descriptor(), &number, sizeof number, static_cast<off_t>(place * megabyte)) < 0) {
      give_up("reading back what was written", errno);
    }
    sum += number * (place + 1);
  }
  return sum;
}

/// `writes` of them, a multiple of the file's places.
template <class Contestant>
submitted measure_write1m(std::size_t depth, std::size_t writes) {
  const scratch_file file{write1m_places * megabyte / block_bytes};
  closed_writes<Contestant> owner{file, depth};
  submitted result{.work = {.operations = writes}};
  owner.run(write1m_places);  // the writers of the kernel are there

  const kernel_calls before = owner.counted();
  const wall_stopwatch wall;
  const process_stopwatch watch;
  owner.run(writes);
  result.work.seconds = watch.seconds();
  result.wall_seconds = wall.seconds();
  result.counted = owner.counted() - before;
  result.latency = percentiles_of(owner.samples());

  result.work.checksum = owner.written() * megabyte + sum_of_places(file);
  result.work.expected = writes * megabyte;
  for (std::size_t place = 0; place < write1m_places; ++place) {
    result.work.expected += (writes - write1m_places + place) * (place + 1);
  }
  return result;
}

}  // namespace pinion::iosubmit::bench
