// SPDX-License-Identifier: Apache-2.0
//
// told_source: a source of slices that ends them and tells of their stalls when the test says so.
// stalls_told: what a stall_detector told.
#pragma once

#include <cstdint>
#include <pinion/preempt/concept.hpp>
#include <pinion/scheduler/executor.hpp>
#include <pinion/scheduler/function_name.hpp>
#include <pinion/scheduler/stall_detector.hpp>
#include <string>
#include <vector>

namespace pinion::scheduler::testing {

class told_source {
 public:
  static constexpr preempt::source_traits traits{.sees_stalls = true};

  [[nodiscard]] const preempt::word& word() const noexcept { return word_; }
  void begin(instant /*now*/, instant /*until*/) noexcept { word_.begin(); }
  void rest() noexcept { word_.begin(); }
  void watch(preempt::stall_watch watch) { watch_ = watch; }

  /// The slice that runs is over from here on; which one it is.
  std::uint32_t end() noexcept {
    word_.end_now();
    return word_.seen();
  }
  /// Tells of a stall of that slice; any thread, also the one that stalls: the signal comes at once there.
  [[gnu::noinline]] void tell(std::uint32_t slice) {
    watch_.hook({.length = duration{30'000'000}, .lasts = true, .who = this, .slice = slice});
  }
  /// How long after the end of its slice a task is to be told of.
  [[nodiscard]] duration watched_after() const noexcept { return watch_.after; }
  [[nodiscard]] bool is_watched() const noexcept { return static_cast<bool>(watch_.hook); }

 private:
  preempt::slice_word word_;
  preempt::stall_watch watch_{};
};
static_assert(preempt::watchable_source<told_source>);

struct told_parts : default_parts {
  using source = told_source;
};

struct stalls_told {
  struct one {
    duration late;
    std::string task, queue, text;
    std::vector<std::string> stack;  // functions
  };

  [[nodiscard]] callback<const stalled_task&> by() noexcept {
    return {.function =
                [](void* to, const stalled_task& seen) noexcept {
                  one told{.late = seen.late,
                           .task = std::string{seen.task},
                           .queue = std::string{seen.queue},
                           .text = to_string(seen),
                           .stack = {}};
                  for (const void* each : seen.stack) told.stack.push_back(function_name(each));
                  static_cast<stalls_told*>(to)->all.push_back(std::move(told));
                },
            .context = this};
  }

  std::vector<one> all;  // read when the detector has looked
};

}  // namespace pinion::scheduler::testing
