// SPDX-License-Identifier: Apache-2.0
//
// tsc_budget: slices that end by a clock which the checks themselves read, now and then: no thread, no
// signal, no timer.
//
//   tsc_budget source;
//   source.begin(now, now + quantum);     // one reading
//   const bool is_over = source.word().is_due();  // counts down; each so many checks a reading
//   source.rest();                        // one store
//
// How seldom it reads. The first check of a slice does. From then on each reading shows what the checks since
// the last one took, and the next is planned for when a quarter to a half of what is left has gone by: after
// twice as many checks at most, fewer where they are dear or the end is near, never more than `checks_max`.
//
// How late it is. Where checks go on as they did, by one check. Where they become k times as dear all at
// once, it is late by less than k/2 times what was left at the reading before, and by less than `checks_max`
// of the new checks: 1024 checks that are suddenly 100 us apart are a tenth of a second. Where that may be,
// take a smaller `checks_max`; with 1 each check is a reading. It is never early.
//
// What it can't do: see a slice that doesn't check (law Y3), or know how old the `now` was that begin() was
// given. A slice lasts for `until - now` from the call on.
//
// A check calls it, and writes: a count, on a cache line of its own. What is read is tsc_counter's to say.
#pragma once

#include <algorithm>
#include <cstdint>
#include <pinion/base/export.hpp>
#include <pinion/base/time.hpp>
#include <pinion/preempt/concept.hpp>
#include <pinion/preempt/detail/tsc_clock.hpp>
#include <pinion/preempt/word.hpp>
#include <utility>

namespace pinion::preempt {

/// How seldom it may read.
struct tsc_budget_options {
  std::uint32_t checks_max = 1024;  ///< checks without a reading, at most: 1 to 65536
};

namespace tsc_detail {
// The options; throws a refusal if they are out of range.
PINION_EXPORT [[nodiscard]] tsc_budget_options checked(const tsc_budget_options& options);
}  // namespace tsc_detail

/// Over such a counter.
template <slice_counter Counter>
class alignas(64) basic_tsc_budget : private asking_word {
 public:
  /// What it declares.
  static constexpr source_traits traits{.asks = true};

  /// Throws a refusal (std::system_error, invalid_argument) for options out of range.
  explicit basic_tsc_budget(const tsc_budget_options& options = {}, Counter counter = {})
      : asking_word(&count), options_(tsc_detail::checked(options)), counter_(std::move(counter)) {}
  basic_tsc_budget(const basic_tsc_budget&) = delete;
  basic_tsc_budget& operator=(const basic_tsc_budget&) = delete;

  /// As preempt_source says.
  [[nodiscard]] const preempt::word& word() const noexcept { return *this; }
  void begin(instant now, instant until) noexcept {
    if (until == never) return rest();
    scale_ = counter_.scale();
    read_ = counter_.read(scale_);
    end_ = read_ + scale_.of(until - now);
    phase_ = phase::running;
    step_ = 1;
    left_ = 1;
  }
  void rest() noexcept {
    phase_ = phase::resting;
    left_ = 1;
  }

  /// Which clock the slice that runs is measured by.
  [[nodiscard]] bool is_by_tsc() const noexcept { return scale_.per_ns != 0; }
  /// What it was made with.
  [[nodiscard]] const tsc_budget_options& options() const noexcept { return options_; }

 private:
  enum class phase : std::uint8_t { resting, running, over };

  static bool count(asking_word& self) noexcept {
    auto& mine = static_cast<basic_tsc_budget&>(self);
    if (--mine.left_ != 0) [[likely]]
      return false;
    return mine.look();
  }

  [[gnu::noinline]] bool look() noexcept {
    constexpr std::uint32_t seldom = ~std::uint32_t{0};
    left_ = 1;
    if (phase_ == phase::over) return true;
    if (phase_ == phase::resting) {
      left_ = seldom;
      return false;
    }
    const std::uint64_t now = counter_.read(scale_);
    if (now >= end_) {
      phase_ = phase::over;
      return true;
    }
    // A thread that came to another core may read less than before. That counts as very long, so the next
    // check reads again.
    left_ = step_ = next_step(now - read_, end_ - now);
    read_ = now;
    return false;
  }

  // How many checks take a quarter to a half of what is left, if the last `step_` took so long. By shifts: a
  // division would cost as much as the reading.
  [[nodiscard]] std::uint32_t next_step(std::uint64_t took, std::uint64_t left) const noexcept {
    if (took <= left / 4) return std::min(step_ * 2, options_.checks_max);
    std::uint32_t step = step_;
    for (; step > 1 && took > left / 2; took /= 2) step /= 2;
    return step;
  }

  std::uint32_t left_ = 1;  // checks until it looks
  std::uint32_t step_ = 1;  // checks from the last reading to the next
  std::uint64_t read_ = 0;  // the last reading
  std::uint64_t end_ = 0;
  tsc_scale scale_{};
  phase phase_ = phase::resting;
  tsc_budget_options options_;
  [[no_unique_address]] Counter counter_;
};

/// Over the machine's.
using tsc_budget = basic_tsc_budget<tsc_counter>;

static_assert(preempt_source<tsc_budget> && sizeof(tsc_budget) == 64);

}  // namespace pinion::preempt
