// SPDX-License-Identifier: Apache-2.0
//
// always_due, never_due, scripted_source: sources for tests and for comparison, which know no time.
//
//   always_due    each check yields: what breaks if a task is left at any check that it has?
//                 (Seastar's debug mode)
//   never_due     no check yields: what the checks themselves cost
//   scripted      the checks that a test lists: "after the third, and after the tenth"
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <pinion/base/time.hpp>
#include <pinion/preempt/concept.hpp>
#include <pinion/preempt/word.hpp>
#include <vector>

namespace pinion::preempt {

/// Due from the beginning of each slice that has an end.
class always_due {
 public:
  /// What it declares.
  static constexpr source_traits traits{.counts = true, .may_be_early = true};

  always_due() = default;
  /// As preempt_source says.
  [[nodiscard]] const preempt::word& word() const noexcept { return word_; }
  void begin(instant /*now*/, instant until) noexcept {
    word_.begin();
    if (until != never) word_.end_now();
  }
  void rest() noexcept { word_.begin(); }

 private:
  slice_word word_;
};

/// Never due.
class never_due {
 public:
  /// What it declares.
  static constexpr source_traits traits{.counts = true};

  never_due() = default;
  /// As preempt_source says, but that nothing comes of it.
  [[nodiscard]] const preempt::word& word() const noexcept { return word_; }
  void begin(instant /*now*/, instant /*until*/) noexcept {}
  void rest() noexcept {}

 private:
  slice_word word_;
};

/// Due at those checks, counted from 1 over all slices that have an end, and from each on until the slice is
/// over.
class scripted_source : private asking_word {
 public:
  /// What it declares.
  static constexpr source_traits traits{.asks = true, .counts = true, .may_be_early = true};

  /// At these; in any order.
  scripted_source(std::initializer_list<std::uint64_t> due_at) : asking_word(&look), due_at_(due_at) {
    std::sort(due_at_.begin(), due_at_.end());
  }
  scripted_source(const scripted_source&) = delete;
  scripted_source& operator=(const scripted_source&) = delete;

  /// As preempt_source says.
  [[nodiscard]] const preempt::word& word() const noexcept { return *this; }
  void begin(instant /*now*/, instant until) noexcept {
    is_over_ = false;
    has_end_ = until != never;
  }
  void rest() noexcept { begin({}, never); }

  /// How many checks there were in slices that have an end.
  [[nodiscard]] std::uint64_t checks() const noexcept { return checks_; }

 private:
  static bool look(asking_word& self) noexcept {
    auto& mine = static_cast<scripted_source&>(self);
    if (!mine.has_end_) return false;
    ++mine.checks_;
    if (std::binary_search(mine.due_at_.begin(), mine.due_at_.end(), mine.checks_)) mine.is_over_ = true;
    return mine.is_over_;
  }

  std::vector<std::uint64_t> due_at_;
  std::uint64_t checks_ = 0;
  bool is_over_ = false;
  bool has_end_ = false;
};

static_assert(preempt_source<always_due> && preempt_source<never_due> && preempt_source<scripted_source>);

}  // namespace pinion::preempt
