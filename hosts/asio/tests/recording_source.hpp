// SPDX-License-Identifier: Apache-2.0
//
// A source that writes down what it is told, and is due when the test says so.
#pragma once

#include <pinion/base/time.hpp>
#include <pinion/preempt/concept.hpp>
#include <pinion/preempt/word.hpp>
#include <string>

namespace pinion::asio::testing {

class recording_source {
 public:
  static constexpr preempt::source_traits traits{.counts = true, .may_be_early = true};

  [[nodiscard]] const preempt::word& word() const noexcept { return word_; }
  void begin(instant now, instant until) noexcept {
    told += 'b';
    length = until - now;
    word_.begin();
  }
  void rest() noexcept {
    told += 'r';
    word_.begin();
  }
  /// The slice that runs is over.
  void end() noexcept { word_.end_now(); }

  std::string told;  // a 'b' for each slice that began, an 'r' for each rest
  duration length;   // of the last slice

 private:
  preempt::slice_word word_;
};

static_assert(preempt::preempt_source<recording_source>);

}  // namespace pinion::asio::testing
