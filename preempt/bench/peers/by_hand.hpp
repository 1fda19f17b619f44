// SPDX-License-Identifier: Apache-2.0
//
// Looks as others have them, written here for comparison: each with the is_due() of workloads/looks.hpp. None
// is due.
#pragma once

#include <atomic>
#include <cstdint>
#include <pinion/base/time.hpp>

namespace pinion::preempt::bench {

/// A pair of counters that the kernel or a signal moves apart, as Seastar and Glommio have it: a ring's head
/// and tail.
class counter_pair {
 public:
  [[nodiscard]] bool is_due() const noexcept {
    // Relaxed: nothing is published by them.
    return pair_->head.load(std::memory_order_relaxed) != pair_->tail.load(std::memory_order_relaxed);
  }

 private:
  struct two {
    std::atomic<std::uint32_t> head;
    alignas(64) std::atomic<std::uint32_t> tail;  // in a ring they stand on lines of their own
  };
  static inline two shared;
  const two* pair_ = &shared;
};

/// A flag that each look takes down, as design 004 P4 has it.
class exchanged_flag {
 public:
  [[nodiscard]] bool is_due() const noexcept { return flag_->exchange(false, std::memory_order_acquire); }

 private:
  static inline std::atomic<bool> shared{false};
  std::atomic<bool>* flag_ = &shared;
};

/// No word at all: the clock is read, and compared.
class clock_each_time {
 public:
  [[nodiscard]] bool is_due() const noexcept { return end_ <= monotonic_clock::now(); }

 private:
  instant end_ = monotonic_clock::now() + duration{3'600'000'000'000};
};

}  // namespace pinion::preempt::bench
