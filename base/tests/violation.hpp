// SPDX-License-Identifier: Apache-2.0
//
// violation: what the laws of a part return, which are plain functions and know no test framework.
//
//   if (!channel.has_wakes()) return in_words("after ", pushes, " pushes there are no wakes (seed ", seed, ')');
//   return {};
#pragma once

#include <sstream>
#include <string>
#include <utility>

namespace pinion::testing {

/// What broke, in words with the numbers and the seed; empty when the law holds.
class violation {
 public:
  violation() = default;
  explicit violation(std::string what) : what_(std::move(what)) {}
  [[nodiscard]] explicit operator bool() const noexcept { return !what_.empty(); }
  [[nodiscard]] const std::string& what() const noexcept { return what_; }

 private:
  std::string what_;
};

/// A violation from words and numbers. Out of line: it stands behind hundreds of checks in code that is
/// compiled for each backend, and most of what the compiler would do there is to put a stream into each.
template <class... Words>
[[nodiscard, gnu::cold, gnu::noinline]] violation in_words(const Words&... words) {
  std::ostringstream text;
  (text << ... << words);
  return violation{text.str()};
}

}  // namespace pinion::testing
