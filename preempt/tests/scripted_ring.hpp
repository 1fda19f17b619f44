// SPDX-License-Identifier: Apache-2.0
//
// scripted_ring: a ring_port in virtual time, for what queues timeouts: an entry counts once it was
// submitted, its end sets the flag, an enter answers it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <pinion/base/kernel.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/base/time.hpp>
#include <pinion/preempt/uring_source.hpp>
#include <utility>
#include <vector>

namespace pinion::preempt::testing {

class scripted_ring {
 public:
  // SINGLE_ISSUER, DEFER_TASKRUN, TASKRUN_FLAG.
  static constexpr std::uint32_t one_issuer = 1U << 12U;
  static constexpr std::uint32_t deferred = 1U << 13U;
  static constexpr std::uint32_t flagged = 1U << 9U;
  static constexpr std::uint32_t setup = one_issuer | deferred | flagged;

  scripted_ring() = default;
  scripted_ring(const scripted_ring&) = delete;
  scripted_ring& operator=(const scripted_ring&) = delete;
  ~scripted_ring() {
    for (const waiting& one : std::exchange(entries_, {})) one.answer->answered(*one.answer, -ECANCELED);
  }

  // The port.
  [[nodiscard]] int descriptor() const noexcept { return 3; }
  [[nodiscard]] bool is_owner() const noexcept { return true; }
  bool queue(const ring_entry& entry, ring_answer& answer) noexcept {
    ++asked;
    if (!has_room) return false;
    if (error_at_once != 0) {
      answer.answered(answer, error_at_once);
      return true;
    }
    entries_.push_back({entry, &answer});
    return true;
  }

  [[nodiscard]] uring_view view() const noexcept { return {.flags = &flags_, .setup = setup}; }

  // Submits, and answers what was waiting.
  void enter() {
    for (waiting& one : entries_) {
      if (one.is_submitted) continue;
      one.is_submitted = true;
      one.end = time_of(one.entry);
    }
    pass(duration{0});
    set(0);
    std::vector<waiting> answered;
    std::copy_if(entries_.begin(), entries_.end(), std::back_inserter(answered),
                 [&](const waiting& one) { return is_due(one); });
    std::erase_if(entries_, [&](const waiting& one) { return is_due(one); });
    for (const waiting& one : answered) one.answer->answered(*one.answer, error != 0 ? error : -ETIME);
  }
  void pass(duration length) {
    now = now + length;
    if (std::any_of(entries_.begin(), entries_.end(), [&](const waiting& one) { return is_due(one); }))
      set(completions_wait);
  }
  // Another operation completes.
  void complete_something() { set(completions_wait); }

  [[nodiscard]] std::size_t under_way() const noexcept { return entries_.size(); }

  instant now{1'000'000'000'000};
  int asked = 0;
  bool has_room = true;
  std::int32_t error = 0;  // what entries are answered, as soon as they are submitted
  std::int32_t error_at_once = 0;

 private:
  static constexpr std::uint32_t completions_wait = 4;

  struct waiting {
    ring_entry entry;
    ring_answer* answer;
    bool is_submitted = false;
    instant end = never;
  };

  [[nodiscard]] bool is_due(const waiting& one) const noexcept {
    return one.is_submitted && (error != 0 || one.end <= now);
  }
  void set(std::uint32_t flags) noexcept { std::atomic_ref{flags_}.store(flags, std::memory_order_relaxed); }
  // As the kernel reads it: when it is submitted.
  static instant time_of(const ring_entry& entry) {
    EXPECT_EQ(entry.operation, 11) << "IORING_OP_TIMEOUT";
    EXPECT_EQ(entry.operation_flags, 1U) << "IORING_TIMEOUT_ABS";
    EXPECT_EQ(entry.length, 1U);
    EXPECT_EQ(entry.offset, 0U) << "no count of completions";
    const auto* at = std::bit_cast<const kernel_time*>(static_cast<std::uintptr_t>(entry.address));
    EXPECT_LT(at->nanoseconds, 1'000'000'000);
    return instant{} + at->length();
  }

  std::vector<waiting> entries_;
  std::uint32_t flags_ = 0;
};

}  // namespace pinion::preempt::testing
