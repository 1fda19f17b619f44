// SPDX-License-Identifier: Apache-2.0
//
// traced_calls: what a body really asks of the kernel, counted by the kernel's own tracing and not by any
// seam of ours.
//
// The body runs in a child of fork(), watched through ptrace. Between begin_counting() and end_counting()
// each call of the thread that said so is counted, by its number; the two are system calls themselves, which
// nothing else here makes.
//
//   const traced_calls seen = trace([] { begin_counting(); …; end_counting(); return true; });
//   if (!seen.refusal.empty()) GTEST_SKIP() << seen.refusal;
//   EXPECT_EQ(seen.of(SYS_write), 0U);
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace pinion::testing {

struct traced_calls {
  std::string refusal;                 ///< why nothing could be traced
  bool is_right = false;               ///< what the body said of its own work
  std::map<long, std::size_t> counts;  ///< by the call's number

  [[nodiscard]] std::size_t of(long call) const {
    const auto found = counts.find(call);
    return found == counts.end() ? 0 : found->second;
  }
  [[nodiscard]] std::size_t all() const;
  /// "write 3, futex 1", by number
  [[nodiscard]] std::string to_string() const;
};

/// From the calling thread's next call on, up to its end_counting().
void begin_counting() noexcept;
void end_counting() noexcept;

/// Runs the body in a child and counts. To be called where there is one thread. The body's threads are to
/// have ended when it returns.
[[nodiscard]] traced_calls trace(const std::function<bool()>& body);

}  // namespace pinion::testing
