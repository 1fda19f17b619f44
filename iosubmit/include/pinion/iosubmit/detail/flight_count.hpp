// SPDX-License-Identifier: Apache-2.0
//
// flight_count: how many answers the kernel owes a submission, and when it owes none.
//
// Each entry that is taken adds one answer, and its last completion takes one off. Two things are not in that
// count: a watch, which is never answered for good, and what the kernel lost, which may have been answers or
// messages. So where there was either, an end is not the count's 0: it is a cancel of everything that finds
// nothing. After begin_to_stop() a submission puts cancel_of_all() again and again, until is_over().
#pragma once

#include <cerrno>
#include <cstdint>
#include <pinion/base/ring.hpp>
#include <pinion/config.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <utility>

namespace pinion::iosubmit::inline PINION_MODE::submission_detail {

/// Stays where it is while a cancel of all is in flight.
class flight_count : private ring_answer {
 public:
  /// Of none yet.
  flight_count() noexcept : ring_answer{&was_cancelled} {}
  flight_count(const flight_count&) = delete;
  flight_count& operator=(const flight_count&) = delete;

  /// Answers to come; below 0 for a watch that is not handed over yet, and fewer than there are where
  /// messages were lost.
  [[nodiscard]] std::int64_t value() const noexcept { return count_; }
  /// So many entries were taken.
  void add(std::uint32_t entries) noexcept { count_ += entries; }
  /// An answer was the last of its entry.
  void remove_one() noexcept { --count_; }
  /// One that is added, or will be, is a watch.
  void leave_out_watch() noexcept {
    --count_;
    is_exact_ = false;
  }
  /// So many completions were lost so far.
  void leave_out_lost(std::uint32_t so_far) noexcept {
    count_ -= so_far - std::exchange(lost_, so_far);
    is_exact_ = false;
  }

  /// From here on is_over() goes by what cancels find.
  void begin_to_stop() noexcept { found_ = unknown; }
  /// Stops all that the kernel can stop, since Linux 5.19. This is its answer.
  [[nodiscard]] ring_entry cancel_of_all() const noexcept {
    return {.operation = codes::cancel,
            .operation_flags = kernel::cancel_flag::any,
            .user_data = user_data_of(*this, 0)};
  }
  /// Whether nothing is in flight any more, as far as can be known: a kernel that can't cancel all finds
  /// nothing either.
  [[nodiscard]] bool is_over() const noexcept {
    return count_ <= 0 && (is_exact_ || (found_ <= 0 && found_ != unknown));
  }

 private:
  static constexpr std::int32_t unknown = -ECANCELED;  // of a cancel that was not handed over

  static void was_cancelled(ring_answer& self, std::int32_t result) noexcept {
    static_cast<flight_count&>(self).found_ = result;
  }

  std::int64_t count_ = 0;
  std::uint32_t lost_ = 0;
  std::int32_t found_ = unknown;
  bool is_exact_ = true;
};

}  // namespace pinion::iosubmit::inline PINION_MODE::submission_detail
