// SPDX-License-Identifier: Apache-2.0
//
// balanced: design 004's policy, which follows the latencies of the last 128 operations.
//
// A latency is from being queued to being handed out. By their average it picks a batch; by their P99, every
// 10 ms, a mode:
//
//   P99 above 50 ms                                     low latency: one at a time
//   P99 below 1 ms, and more than 1000 were submitted   high throughput: 64, or an oldest entry of 1000 us,
//     since the last re-adjustment                        and a wait gathers for at most 250 us
//   otherwise                                           balanced, by the average:
//     above 10 ms                                         one at a time
//     below 1 ms, also while nothing is known             32, or 500 us
//     between                                             8, or 200 us
//
// All these numbers are knobs, and the comparisons are the design's. What differs: what was submitted is
// counted from one re-adjustment to the next, and not for ever; a wait is the oldest entry's age, and not the
// time spent in the call; a P99 is believed from so many latencies on that it is not just the worst one; the
// time comes with the question; and a no before a wait is overruled (law S1).
//
// Most of a latency is the device's, which no batch changes: adaptive steers on what batching does change.
//
//   submission<balanced, uring_ring> io{uring_ring{{}}};
//   std::puts(to_string(io.policy()).c_str());
#pragma once

#include <algorithm>
#include <cstdint>
#include <pinion/base/export.hpp>
#include <pinion/iosubmit/concept.hpp>
#include <pinion/iosubmit/detail/latency_window.hpp>
#include <pinion/iosubmit/policy/batch_rule.hpp>
#include <pinion/iosubmit/policy/high_throughput.hpp>
#include <pinion/iosubmit/policy/low_latency.hpp>
#include <pinion/iosubmit/policy/submit_mode.hpp>
#include <string>
#include <utility>

namespace pinion::iosubmit {

/// Every number that balanced decides by. All are design 004's but samples_min and high's gather_max.
struct balanced_options {
  duration readjust_every{10'000'000};  ///< the mode is reconsidered when more than this has passed
  duration p99_slow{50'000'000};        ///< a P99 above it: low latency
  duration p99_fast{1'000'000};         ///< a P99 below it, and
  std::uint64_t busy_submissions =
      1000;                         ///< more submissions than these since the last time: high throughput
  std::uint32_t samples_min = 100;  ///< with fewer latencies the mode stays: the P99 of 99 is their worst

  duration average_slow{10'000'000};  ///< in balanced mode, an average above it: `slow`
  duration average_fast{1'000'000};   ///< below it: `fast`; else `between`
  batch_rule slow{.batch = 1, .wait_max = duration{}};
  batch_rule between{.batch = 8, .wait_max = duration{200'000}};
  batch_rule fast{.batch = 32, .wait_max = duration{500'000}};

  low_latency low = {};  ///< the rule of low latency
  /// The rule of high throughput. What a wait gathers is part of the latency: a longer gather_max than a
  /// fraction of p99_fast would end the mode by what the mode itself adds.
  high_throughput high{.gather_max = duration{250'000}};
  friend constexpr bool operator==(const balanced_options&, const balanced_options&) noexcept = default;
};

/// Follows latencies. A policy that is told them (latency_policy).
class balanced {
 public:
  /// How many latencies it remembers.
  static constexpr std::uint32_t window_size = 128;

  /// Begins in balanced mode, with nothing known.
  balanced() noexcept : balanced(balanced_options{}) {}
  explicit balanced(const balanced_options& options) noexcept : options_(options), rule_(options.fast) {}

  /// The hooks of a policy (concept.hpp).
  bool queued(const queue_state& state) noexcept { return rule_.says_enter(state); }
  void entered(const entered_batch& batch) noexcept {
    // Before it is counted: what comes after a pause belongs to the time after it.
    readjust(batch.now);
    submissions_ += batch.accepted;
  }
  void reaped(const reaped_batch& batch) noexcept {
    readjust(batch.now);
    rule_ = rule();
  }
  void completed(duration latency) noexcept { window_.push(latency); }
  /// Waits for more than one only where throughput is the aim: elsewhere what is gathered would be waited
  /// for, and then be taken for the device's latency.
  park_wait about_to_park(const queue_state& state) noexcept {
    return mode_ == submit_mode::high_throughput ? options_.high.about_to_park(state) : park_wait{};
  }

  /// How it decides now: low_latency, high_throughput or balanced.
  [[nodiscard]] submit_mode mode() const noexcept { return mode_; }
  /// How it came to that.
  [[nodiscard]] const mode_change& last_change() const noexcept { return change_; }
  /// How often the mode has changed.
  [[nodiscard]] std::uint64_t changes() const noexcept { return changes_; }
  /// The batch and the wait it decides by now. They follow the latencies with each reaped().
  [[nodiscard]] const batch_rule& current_rule() const noexcept { return rule_; }
  /// The latencies it remembers.
  [[nodiscard]] const policy_detail::latency_window<window_size>& window() const noexcept { return window_; }
  /// Taken by the kernel since the last re-adjustment.
  [[nodiscard]] std::uint64_t submissions() const noexcept { return submissions_; }
  /// What it was made with.
  [[nodiscard]] const balanced_options& options() const noexcept { return options_; }

  friend bool operator==(const balanced&, const balanced&) noexcept = default;

 private:
  void readjust(instant now) noexcept {
    if (readjusted_ == never) readjusted_ = now;  // a first hook begins the first period
    if (now - readjusted_ <= options_.readjust_every) return;
    readjusted_ = now;
    const std::uint64_t submitted = std::exchange(submissions_, 0);
    if (window_.size() < options_.samples_min) return;
    const duration p99 = window_.percentiles().p99;
    if (p99 > options_.p99_slow) {
      change(submit_mode::low_latency, mode_reason::slow);
    } else if (p99 < options_.p99_fast && submitted > options_.busy_submissions) {
      change(submit_mode::high_throughput, mode_reason::fast_and_busy);
    } else {
      change(submit_mode::balanced, mode_reason::neither);
    }
  }

  void change(submit_mode to, mode_reason reason) noexcept {
    if (to == mode_) return;
    change_ = {.from = mode_, .to = to, .reason = reason, .at = readjusted_};
    ++changes_;
    mode_ = to;
    rule_ = rule();
  }

  [[nodiscard]] batch_rule rule() const noexcept {
    if (mode_ == submit_mode::low_latency) return options_.low.rule;
    if (mode_ == submit_mode::high_throughput) return options_.high.rule;
    const duration average = window_.average();
    if (average > options_.average_slow) return options_.slow;
    return average < options_.average_fast ? options_.fast : options_.between;
  }

  balanced_options options_;
  batch_rule rule_;
  submit_mode mode_ = submit_mode::balanced;
  mode_change change_;
  std::uint64_t changes_ = 0;
  std::uint64_t submissions_ = 0;
  instant readjusted_ = never;
  policy_detail::latency_window<window_size> window_;
};

/// One line for people: the mode and why, the rule, the average and the percentiles. Costs a selection among
/// the window.
PINION_EXPORT [[nodiscard]] std::string to_string(const balanced& policy);

}  // namespace pinion::iosubmit
