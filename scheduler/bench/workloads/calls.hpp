// SPDX-License-Identifier: Apache-2.0
//
// How often a loop calls the kernel: in a round that is busy and has nothing to say, for a timer's tick, and
// for a wake while it sleeps. Counted by the kernel's tracing (traced_calls.hpp), all calls of the loop's
// thread alike.
//
//   calls_each m = count_calls<turn_over<uring_ring, eventfd_notifier>>(100);
//
// A loop that is to be counted is made without arguments, and has
//
//   void round();                 // one round; it sleeps where `tasks` has nothing ready
//   stub_tasks tasks;             // what it runs
//   timers_type timers;           // what it polls: a timer_queue of timer_calls
//   bell_type bell();             // for another thread: bell.ring() makes a task ready, and wakes the loop
//
// What is counted runs in a child process: its time says nothing.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <pinion/base/time.hpp>
#include <pinion/timer.hpp>
#include <string>
#include <thread>

#include "../../../base/tests/traced_calls.hpp"
#include "../../../waker/bench/workloads/sleeper.hpp"
#include "stub_tasks.hpp"

namespace pinion::scheduler::bench::inline PINION_MODE {

struct calls_each {
  double busy = 0, tick = 0, wake = 0;  ///< calls of one
  std::uint64_t checksum = 0;           ///< which of the three were done right
  std::uint64_t expected = 0b111;
  std::string refusal{};  ///< why nothing was counted
};

/// A timer that is armed anew whenever it fires.
template <class Timers>
class beat {
 public:
  explicit beat(Timers& timers) : timers_(timers) { arm(); }
  beat(const beat&) = delete;
  beat& operator=(const beat&) = delete;
  ~beat() { timers_.cancel(call_); }

  [[nodiscard]] std::size_t count() const noexcept { return count_; }

 private:
  void arm() { timers_.after(duration{2'000'000}, call_); }
  static void fired(timer::timer_call& call) {
    auto& mine = *static_cast<beat*>(call.context);
    ++mine.count_;
    mine.arm();
  }
  Timers& timers_;
  timer::timer_call call_{&fired, this};
  std::size_t count_ = 0;
};

/// What is done once is done here: the first rounds, and the first waits.
template <class Loop>
void go_round_first(Loop& loop) {
  const beat first{loop.timers};
  while (first.count() < 3) loop.round();
}

template <class Loop>
testing::traced_calls count_busy_rounds(std::size_t times) {
  return testing::trace([times] {
    Loop loop;
    go_round_first(loop);
    loop.tasks.is_ready = true;
    testing::begin_counting();
    for (std::size_t k = 0; k < times; ++k) loop.round();
    testing::end_counting();
    return loop.tasks.runs == times;
  });
}

template <class Loop>
testing::traced_calls count_ticks(std::size_t times) {
  return testing::trace([times] {
    Loop loop;
    go_round_first(loop);
    const beat ticks{loop.timers};
    testing::begin_counting();
    while (ticks.count() < times) loop.round();
    testing::end_counting();
    return ticks.count() == times;
  });
}

/// One wake at a time, each when the kernel says that the loop sleeps, and each makes a task ready.
template <class Loop>
testing::traced_calls count_wakes(std::size_t times) {
  return testing::trace([times] {
    Loop loop;
    go_round_first(loop);
    // Memory ordering: release and acquire, so that what is pushed is the sender's again.
    std::atomic<std::size_t> heard{0};
    std::thread other{[&, bell = loop.bell(), watched = ::gettid()]() mutable {
      const waker::bench::sleeper owner{watched};
      for (std::size_t k = 0; k < times; ++k) {
        waker::bench::wait_until("a wake", [&] { return heard.load(std::memory_order_acquire) == k; });
        waker::bench::wait_until("the loop to sleep", [&] { return owner.is_asleep(); });
        bell.ring();
      }
    }};
    testing::begin_counting();
    while (loop.tasks.runs < times) {
      loop.round();
      heard.store(loop.tasks.runs, std::memory_order_release);
    }
    testing::end_counting();
    other.join();
    return loop.tasks.runs == times;
  });
}

template <class Loop>
calls_each count_calls(std::size_t times) {
  const testing::traced_calls busy = count_busy_rounds<Loop>(times);
  const testing::traced_calls tick = count_ticks<Loop>(times);
  const testing::traced_calls wake = count_wakes<Loop>(times);
  const auto each = [times](const testing::traced_calls& seen) {
    return static_cast<double>(seen.all()) / static_cast<double>(times);
  };
  return {.busy = each(busy),
          .tick = each(tick),
          .wake = each(wake),
          .checksum = (busy.is_right ? 1U : 0U) | (tick.is_right ? 2U : 0U) | (wake.is_right ? 4U : 0U),
          .refusal = busy.refusal};
}

}  // namespace pinion::scheduler::bench::inline PINION_MODE
