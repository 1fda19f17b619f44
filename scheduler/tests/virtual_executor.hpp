// SPDX-License-Identifier: Apache-2.0
//
// virtual_executor: an executor in virtual time, whose slices end by that time and whose kernel answers
// nothing.
#pragma once

#include <chrono>
#include <coroutine>
#include <pinion/base/executor.hpp>
#include <pinion/base/resumption.hpp>
#include <pinion/preempt/word.hpp>
#include <pinion/scheduler/executor.hpp>
#include <pinion/sim/virtual_clock.hpp>
#include <pinion/sim/virtual_ring.hpp>

namespace pinion::scheduler::testing {

/// Reads the virtual clock at each look.
class virtual_source : preempt::asking_word {
 public:
  static constexpr preempt::source_traits traits{.asks = true};
  explicit virtual_source(const sim::virtual_clock& clock) noexcept
      : basic_asking_word(&is_over), clock_(clock) {}
  [[nodiscard]] const preempt::word& word() const noexcept { return *this; }
  void begin(instant, instant until) noexcept { until_ = until; }
  void rest() noexcept {
    until_ = never;
    ++rests_;
  }

  /// When the slice that runs is over.
  [[nodiscard]] instant until() const noexcept { return until_; }
  /// How often nothing was to run.
  [[nodiscard]] int rests() const noexcept { return rests_; }

 private:
  static bool is_over(basic_asking_word& self) noexcept {
    const auto& mine = static_cast<virtual_source&>(self);
    return mine.clock_.time() >= mine.until_;
  }
  const sim::virtual_clock& clock_;
  instant until_ = never;
  int rests_ = 0;
};

template <class Cell>
using virtual_executor_by = basic_executor<
    parts<timer::call_wheel, waker::tagged_inbox, waker::eventfd_notifier, iosubmit::batch_or_idle,
          sim::virtual_ring, virtual_source, slab_frames, sim::virtual_clock::view, Cell>>;
using virtual_executor = virtual_executor_by<default_cell>;

/// Of a kernel that nobody writes to: a watch is never answered.
inline sim::virtual_ring quiet_ring(sim::virtual_clock& clock) {
  sim::virtual_ring made{clock};
  made.serve([](const ring_entry&, instant) { return sim::virtual_answer{.at = never}; });
  return made;
}

/// A wait under no slot, which a test ends by `who`.
struct bell {
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> at) noexcept {
    who = resumption{at};
  }
  static void await_resume() noexcept {}
  resumption who;
  instant rung = never;
};

/// A wait for so long, whatever is requested.
struct under_no_slot : task_timer {
  explicit under_no_slot(std::chrono::nanoseconds its_length)
      : task_timer([](task_timer& due) { static_cast<under_no_slot&>(due).who.go_on(); }),
        length(its_length) {}
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> at) {
    who = resumption{at};
    executor_base& by = executor_of(at.promise());
    by.arm(*this, by.deadline(length));
  }
  static void await_resume() noexcept {}
  std::chrono::nanoseconds length;
  resumption who;
};

}  // namespace pinion::scheduler::testing
