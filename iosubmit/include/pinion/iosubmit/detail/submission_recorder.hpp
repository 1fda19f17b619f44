// SPDX-License-Identifier: Apache-2.0
//
// submission_recorder: what submission tells of itself, where the build says that somebody listens.
//
// In a build with PINION_STATISTICS=ON it counts into submission_statistics and keeps a decision_trace: about
// seventy instructions an enter, and one an operation; so under ten an operation where batches are of 8 or
// more. In another build it is empty, and each call is no code: submission is as large and executes as many
// instructions as without it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <pinion/base/ring.hpp>
#include <pinion/config.hpp>
#include <pinion/iosubmit/concept.hpp>
#include <pinion/iosubmit/statistics.hpp>
#include <utility>

namespace pinion::iosubmit::inline PINION_MODE::submission_detail {

class submission_recorder {
 public:
#if PINION_COUNTED
  /// The policy was asked, and did not want to enter.
  void said_no() noexcept { ++said_no_; }

  /// There was an enter, of a queue that was in that state. Inline: a call would cost a third of it again.
  [[gnu::always_inline]] void entered(enter_reason reason, const queue_state& before,
                                      const ring_entered& done) noexcept {
    ++total_.enters[static_cast<std::size_t>(reason)];
    total_.submitted += done.accepted;
    total_.submissions_an_enter.add(done.accepted);
    if (has_entered_) total_.completions_an_enter.add(std::exchange(since_enter_, 0));
    has_entered_ = true;
    const duration age = before.depth == 0 ? duration{} : before.age();
    if (before.depth != 0) total_.age_ns.add(age.ns);
    if (done.error != 0) ++total_.errors[static_cast<std::size_t>(statistics_detail::class_of(done.error))];
    total_.said_no += said_no_;
    trace_.push({.at = before.now,
                 .age = age,
                 .depth = before.depth,
                 .in_flight = before.in_flight,
                 .accepted = done.accepted,
                 .said_no = std::exchange(said_no_, 0),
                 .error = done.error,
                 .reason = reason,
                 .mode = mode_});
  }

  /// A completion is about to be handed out. Each by itself: its answer may enter.
  void answered() noexcept {
    ++total_.completed;
    ++since_enter_;
  }

  /// It was nobody's.
  void dropped() noexcept { ++total_.dropped; }

  /// A look at a policy's mode, after each hook that may change it.
  template <class Policy>
  void looked_at(const Policy& policy) noexcept {
    if constexpr (has_modes<Policy>) {
      if (policy.changes() == changes_) return;
      changes_ = policy.changes();
      mode_ = policy.mode();
      if (changes_ != 0)
        ++total_.mode_changes[static_cast<std::size_t>(mode_change{policy.last_change()}.reason)];
    }
  }

  /// What it was told so far.
  [[nodiscard]] submission_statistics statistics() const noexcept {
    submission_statistics all = total_;
    all.said_no += said_no_;
    if (has_entered_) all.completions_an_enter.add(since_enter_);
    return all;
  }
  /// The last enters.
  [[nodiscard]] const decision_trace& trace() const noexcept { return trace_; }

 private:
  submission_statistics total_;
  decision_trace trace_;
  std::uint64_t changes_ = std::numeric_limits<std::uint64_t>::max();  // not looked at yet
  std::uint32_t said_no_ = 0;                                          // since the last enter
  std::uint32_t since_enter_ = 0;                                      // completions
  std::optional<submit_mode> mode_;
  bool has_entered_ = false;
#else
  void said_no() noexcept {}
  void entered(enter_reason, const queue_state&, const ring_entered&) noexcept {}
  void answered() noexcept {}
  void dropped() noexcept {}
  template <class Policy>
  void looked_at(const Policy&) noexcept {}
#endif
};

}  // namespace pinion::iosubmit::inline PINION_MODE::submission_detail
