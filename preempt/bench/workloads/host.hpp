// SPDX-License-Identifier: Apache-2.0
//
// host: the least of a turn loop that a hog and a timed task can share: two queues of one task each, a rule
// that says when a slice of each is over, and one timer.
//
//   host<ticker_source> on{source, {.quantum = ceil(1ms)}};
//   on.run(hog(on, work), timed(on, …));     // until both have ended
//
// A turn: if the timer is due, whoever sleeps is queued; then the timed queue has a slice if it has a task,
// else the hog's; if none has, the loop sleeps. It waits for others all the time, as a server does, so every
// slice has an end, whether or not a timer is near.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <pinion/preempt.hpp>
#include <utility>

#include "slices.hpp"
#include "task.hpp"

namespace pinion::preempt::bench::inline PINION_MODE {

/// How a host is run.
struct host_terms {
  duration quantum;  ///< of both queues, and how long the timed one may wait
  /// The rule is told when the timer is due; else it is like a wake that nobody can foresee.
  bool knows_timer = true;
};

template <preempt_source Source>
class host {
 public:
  host(Source& source, const host_terms& terms)
      : source_(source), knows_timer_(terms.knows_timer),
        hog_{{}, rule_.add({.quantum = terms.quantum}).value()},
        timed_{{}, rule_.add({.quantum = terms.quantum, .latency = terms.quantum}).value()} {}

  // A yielding_executor.
  [[nodiscard]] const preempt::word& preempt_word() const noexcept { return source_.word(); }
  [[nodiscard]] runnable& running() noexcept { return *running_; }
  void ready(runnable& task) noexcept { static_cast<lane&>(task).is_ready = true; }
  [[nodiscard]] preempt::slice_log& slices() noexcept { return log_; }

  /// Awaited by the timed task.
  auto sleep_until(instant then) noexcept {
    struct sleeping {
      host& on;
      instant then;
      [[nodiscard]] static bool await_ready() noexcept { return false; }
      void await_suspend(std::coroutine_handle<> task) const noexcept {
        on.running().where = task;
        on.next_timer_ = then;
      }
      static void await_resume() noexcept {}
    };
    return sleeping{*this, then};
  }

  /// Until both have ended. Each may be missing.
  void run(std::coroutine_handle<> hog, std::coroutine_handle<> timed) {
    for (const auto& [handle, to] : {std::pair{hog, &hog_}, std::pair{timed, &timed_}}) {
      if (!handle) continue;
      to->task = to->where = handle;
      to->is_ready = true;
      ++left_;
    }
    instant now = monotonic_clock::now();
    while (left_ != 0) now = turn(now);
    source_.rest();
  }
  /// When the hog's last line was done.
  [[nodiscard]] instant hog_ended() const noexcept { return hog_ended_; }
  /// How many slices there were.
  [[nodiscard]] std::uint64_t slice_count() const noexcept { return slice_count_; }

 private:
  struct lane : runnable {
    slice_rule::queue queue;
    std::coroutine_handle<> task{};  // where it goes on may be a coroutine that it waits for
    bool is_ready = false;
    queue_slices counted{};
  };

  instant turn(instant now) {
    if (next_timer_ <= now) {
      next_timer_ = never;
      timed_.is_ready = true;
    }
    if (timed_.is_ready) return run_slice(timed_, hog_, now);
    if (hog_.is_ready) return run_slice(hog_, timed_, now);
    source_.rest();
    bench::sleep_until(next_timer_);
    return monotonic_clock::now();
  }

  instant run_slice(lane& of, const lane& other, instant now) {
    source_.begin(now, rule_.end_of(of.queue, {.now = now,
                                               .others_ready = other.is_ready,
                                               .next_timer = knows_timer_ ? next_timer_ : never,
                                               .waits_for_others = true}));
    log_.began(of.counted, now);
    running_ = &of;
    ++slice_count_;
    do {
      of.is_ready = false;
      of.where.resume();
    } while (of.is_ready && !source_.word().is_due());
    const instant end = monotonic_clock::now();
    log_.ended(end);
    if (of.task.done()) {
      --left_;
      if (&of == &hog_) hog_ended_ = end;
    }
    return end;
  }

  Source& source_;
  bool knows_timer_;
  slice_rule rule_;
  lane hog_;
  lane timed_;
  lane* running_ = nullptr;
  instant next_timer_ = never;
  instant hog_ended_{};
  std::size_t left_ = 0;
  std::uint64_t slice_count_ = 0;
  preempt::slice_log log_;
};

}  // namespace pinion::preempt::bench::inline PINION_MODE
