// SPDX-License-Identifier: Apache-2.0
//
// operation_budget: a slice is over after so many operations, whatever time they took. What tokio's tasks
// have.
//
// A check is one operation. What is known to cost more, or less than a check is worth, says so by spend(): a
// channel that hands over an item, a read that was ready at once. It needs no clock, no thread and no signal,
// so it is the same in each run: and a slice is as long as its operations happen to be, a second if each
// takes 10 ms.
//
//   operation_budget source{{.operations = 128}};
//   source.begin(now, now + quantum);         // the whole budget; the time says only that there is an end
//   const bool is_over = source.spend(4);     // what a check asks with 1
//
// A check calls it, and writes: dearer than two loads by that.
#pragma once

#include <cstdint>
#include <pinion/base/assert.hpp>
#include <pinion/base/export.hpp>
#include <pinion/base/time.hpp>
#include <pinion/preempt/concept.hpp>
#include <pinion/preempt/word.hpp>

namespace pinion::preempt {

/// How long a slice is.
struct operation_budget_options {
  std::uint32_t operations = 128;  ///< at least 1, which is due at each check; up to 2^30
};

/// Counts down.
class PINION_EXPORT operation_budget : private asking_word {
 public:
  /// What it declares.
  static constexpr source_traits traits{.asks = true, .counts = true, .may_be_early = true};

  /// Throws a refusal (std::system_error, invalid_argument) for a budget of 0 or more than 2^30.
  explicit operation_budget(const operation_budget_options& options = {});
  operation_budget(const operation_budget&) = delete;
  operation_budget& operator=(const operation_budget&) = delete;

  /// As preempt_source says.
  [[nodiscard]] const preempt::word& word() const noexcept { return *this; }
  void begin(instant /*now*/, instant until) noexcept {
    left_ = until == never ? unlimited : options_.operations;
  }
  void rest() noexcept { left_ = unlimited; }

  /// So many operations more were done. Whether the slice is over.
  bool spend(std::uint32_t operations) noexcept {
    if (left_ == unlimited) return false;
    left_ -= operations < left_ ? operations : left_;
    return left_ == 0;
  }
  /// What is left of this slice's; `unlimited` where it has no end.
  static constexpr std::uint32_t unlimited = ~std::uint32_t{0};
  [[nodiscard]] std::uint32_t left() const noexcept { return left_; }
  /// What it was made with.
  [[nodiscard]] const operation_budget_options& options() const noexcept { return options_; }

 private:
  static bool spend_one(asking_word& self) noexcept { return static_cast<operation_budget&>(self).spend(1); }

  operation_budget_options options_;
  std::uint32_t left_ = unlimited;
};

static_assert(preempt_source<operation_budget>);

}  // namespace pinion::preempt
