// SPDX-License-Identifier: Apache-2.0
//
// slice_log: what an executor notes of its slices, and who holds what must not be held across a yield.
//
// An executor has one, tells it of the beginning and the end of each slice, and hands it to the forms by
// slices(). In a build with PINION_STATISTICS=ON it counts for each queue; in a checked build
// (PINION_ASSERT=ON) it counts no_yield guards. In any other it is empty but for the hook, and each call but
// ended() is no code.
//
//   log.report_above(ceil(25ms), {.function = write_line, .context = &logger});
//
//   log.began(queue.slices, now);
//   run(queue);
//   log.ended(clock.now());         // reports a slice that was too long, law Y3
#pragma once

#include <algorithm>
#include <cstdint>
#include <pinion/base/export.hpp>
#include <pinion/base/histogram.hpp>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
#include <pinion/preempt/stall_watch.hpp>
#include <string>

namespace pinion::preempt::inline PINION_MODE {

/// What one queue's slices were like. Of the owner. slice_log counts in it where PINION_STATISTICS=ON, and
/// elsewhere leaves its five numbers at 0.
struct PINION_EXPORT queue_slices {
  std::uint64_t slices = 0;
  std::uint64_t checks = 0;
  std::uint64_t yields = 0;
  duration total{0};
  duration longest{0};
#if PINION_COUNTED
  /// How many slices were of each length in ns, up to 68 s, to a sixteenth.
  histogram<36, 4, std::uint32_t> by_length;
#endif

  /// Notes one of that length.
  void add(duration length) noexcept;
  /// The length that so many in a thousand were no longer than, rounded up by at most 1/16; beyond 68 s, and
  /// where PINION_STATISTICS=OFF, the longest. 0 if there was none.
  [[nodiscard]] duration quantile(std::uint32_t in_a_thousand) const noexcept;
  /// 99 in 100.
  [[nodiscard]] duration p99() const noexcept { return quantile(990); }
};

/// One line for people: how many, checks and yields a slice, P50, P99, longest.
PINION_EXPORT [[nodiscard]] std::string to_string(const queue_slices& slices);

namespace slice_log_detail {
PINION_EXPORT void tell_of_check_outside() noexcept;
}  // namespace slice_log_detail

/// Of one executor.
class slice_log {
 public:
  /// From here on, a slice that is longer is told to the hook when it ends; `forever`: none.
  void report_above(duration length, stall_hook hook) noexcept {
    above_ = hook ? length : forever;
    hook_ = hook;
  }
  /// Whether a slice runs.
  [[nodiscard]] bool is_slicing() const noexcept { return of_ != nullptr; }
  /// Whether ended() has anybody to tell, or anything to count: a host that would read a clock for it alone
  /// need not.
  [[nodiscard]] bool is_listened_to() const noexcept { return PINION_COUNTED != 0 || above_ != forever; }

  /// A slice of that queue begins.
  void began(queue_slices& of, instant now) noexcept {
    of_ = &of;
    began_ = now;
  }
  /// It is over. `now` is read by the loop anyway: once a slice.
  void ended(instant now) noexcept {
    const duration length = now - began_;
    if (of_ == nullptr) return;
#if PINION_COUNTED
    of_->add(length);
#endif
    if (length > above_) [[unlikely]]
      hook_({.length = length, .lasts = false, .who = of_});
    of_ = nullptr;
  }

  /// By the forms: code looked at the word; code yields. A checked build reports, once, a look while no slice
  /// runs: the code that runs there is never told to stop.
  void checked() noexcept {
    if (is_checked && of_ == nullptr) slice_log_detail::tell_of_check_outside();
    if (is_counted && of_ != nullptr) ++of_->checks;
  }
  void yielded() noexcept {
    if (is_counted && of_ != nullptr) ++of_->yields;
  }

#if PINION_CHECKED
  /// By no_yield: somebody holds what must not be held across a yield; and no more.
  void hold() noexcept { ++held_; }
  void release() noexcept { --held_; }
  [[nodiscard]] bool is_held() const noexcept { return held_ != 0; }
#else
  static void hold() noexcept {}
  static void release() noexcept {}
  [[nodiscard]] static constexpr bool is_held() noexcept { return false; }
#endif

 private:
  queue_slices* of_ = nullptr;
  instant began_{0};
  duration above_ = forever;
  stall_hook hook_{};
#if PINION_CHECKED
  std::uint32_t held_ = 0;
#endif
};

// ---- Implementation ----

inline void queue_slices::add(duration length) noexcept {
  ++slices;
  total = total + length;
  longest = std::max(longest, length);
#if PINION_COUNTED
  by_length.add(length.ns);
#endif
}

}  // namespace pinion::preempt::inline PINION_MODE
