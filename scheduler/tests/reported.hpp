// SPDX-License-Identifier: Apache-2.0
//
// What tests of tasks that do not end share: a wait that nothing ends, and a count of what is reported.
//
//   const reported seen;
//   ...                                  // an executor ends, and leaves a task
//   EXPECT_EQ(reported::count, 1);
#pragma once

#include <coroutine>
#include <pinion/base/diagnostic.hpp>
#include <string>

namespace pinion::scheduler::testing {

/// While it lives, diagnostics are counted, and the last one is kept.
struct reported {
  reported() {
    count = 0;
    last.clear();
  }
  reported(const reported&) = delete;
  reported& operator=(const reported&) = delete;
  ~reported() { set_diagnostic_sink(before); }

  static inline int count = 0;
  static inline std::string last;

 private:
  diagnostic_sink before = set_diagnostic_sink([](const diagnostic& what) noexcept {
    ++count;
    last = what.text;
  });
};

/// Whoever made it knows the coroutine, and destroys it in the end.
struct waits_for_nothing {
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> who) const noexcept { at = who; }
  static void await_resume() noexcept {}
  std::coroutine_handle<>& at;
};

}  // namespace pinion::scheduler::testing
