// SPDX-License-Identifier: Apache-2.0
//
// submission_statistics, decision_trace: what a submission has done, and the last decisions one by one.
//
// They are there in a build with PINION_STATISTICS=ON. In another, submission has neither, and recording is
// no code. Everything is counted by the enter and nothing by the operation but how often the policy said no:
// the larger the batches, the less it costs.
//
//   std::puts(to_string(io.statistics()).c_str());      // enters by reason, histograms, errors
//   std::puts(to_string(io.trace()).c_str());           // the last 64 enters: when, why, how much
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <pinion/base/export.hpp>
#include <pinion/base/histogram.hpp>
#include <pinion/base/time.hpp>
#include <pinion/iosubmit/policy/submit_mode.hpp>
#include <string>
#include <string_view>

namespace pinion::iosubmit {

/// Who wanted an enter.
enum class enter_reason : std::uint8_t {
  policy,  ///< the policy said yes
  urgent,  ///< an urgent operation was queued in this turn
  room,    ///< there was none left
  kernel,  ///< it keeps completions back until an enter
  park,    ///< nothing is left to run: all goes, and is waited for
  retry,   ///< the kernel had refused: another wait, and then it is asked again
  stop,    ///< stop()
  submit   ///< submit()
};

/// "policy", "urgent", "room", "kernel", "park", "retry", "stop" or "submit".
PINION_EXPORT [[nodiscard]] std::string_view to_string(enter_reason reason) noexcept;

/// What an enter was answered with, in classes. ETIME is no error.
enum class enter_error : std::uint8_t {
  interrupted,  ///< EINTR: by a signal
  no_memory,    ///< EAGAIN: for requests, just then
  overflow,     ///< EBUSY: completions have to be reaped first
  refused       ///< any other: the ring takes nothing more
};

/// "interrupted", "no memory", "overflow" or "refused".
PINION_EXPORT [[nodiscard]] std::string_view to_string(enter_error error) noexcept;

namespace statistics_detail {
inline constexpr std::size_t enter_reasons = 8;
inline constexpr std::size_t enter_errors = 4;
inline constexpr std::size_t mode_reasons = 5;
// The class of a negative errno of an enter.
PINION_EXPORT [[nodiscard]] enter_error class_of(std::int32_t error) noexcept;
}  // namespace statistics_detail

/// What a submission has done since it was made.
struct submission_statistics {
  std::array<std::uint64_t, statistics_detail::enter_reasons> enters{};  ///< by enter_reason
  std::uint64_t submitted = 0;                                           ///< entries that the kernel took
  std::uint64_t completed = 0;                                           ///< completions handed out
  std::uint64_t dropped = 0;         ///< of them: those with the mark of no sink, or that name no answer
  std::uint64_t said_no = 0;         ///< how often the policy was asked and did not want to enter
  histogram<> submissions_an_enter;  ///< what each took
  histogram<> completions_an_enter;  ///< what was handed out from it to the next one
  histogram<> age_ns;                ///< of the oldest queued, at each enter that found any
  /// By mode_reason, of a policy that has modes.
  std::array<std::uint64_t, statistics_detail::mode_reasons> mode_changes{};
  std::array<std::uint64_t, statistics_detail::enter_errors> errors{};  ///< by enter_error
  friend bool operator==(const submission_statistics&, const submission_statistics&) = default;
};

/// Some lines for people.
PINION_EXPORT [[nodiscard]] std::string to_string(const submission_statistics& statistics);

/// One enter and how it came to be.
struct decision {
  instant at{0};    ///< the turn's time
  duration age{0};  ///< of the oldest queued; 0 if nothing was
  std::uint32_t depth = 0;
  std::uint32_t in_flight = 0;
  std::uint32_t accepted = 0;
  std::uint32_t said_no = 0;  ///< times that the policy did not want to since the last enter
  std::int32_t error = 0;
  enter_reason reason = enter_reason::policy;
  std::optional<submit_mode> mode = std::nullopt;  ///< of a policy that has modes
  friend bool operator==(const decision&, const decision&) = default;
};

/// The last decisions. A value; never allocates.
class decision_trace {
 public:
  /// How many it holds.
  static constexpr std::uint32_t capacity = 64;

  /// Holds another, in the place of the oldest if it is full.
  void push(const decision& latest) noexcept { held_[pushed_++ % capacity] = latest; }
  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(pushed_ < capacity ? pushed_ : capacity);
  }
  /// The k-th of those held, the oldest first.
  [[nodiscard]] const decision& operator[](std::uint32_t k) const noexcept {
    return held_[(pushed_ - size() + k) % capacity];
  }

 private:
  std::array<decision, capacity> held_{};
  std::uint64_t pushed_ = 0;
};

/// One line for a decision, the oldest first.
PINION_EXPORT [[nodiscard]] std::string to_string(const decision_trace& trace);

}  // namespace pinion::iosubmit
