// SPDX-License-Identifier: Apache-2.0
//
// Tasks that wait, again and again: what suspending and going on costs, for each thing that a task can wait
// for.
//
//   measured m = measure_waits<sleeping, by_run_queue>(100, 1'000);   // 100 tasks, each 1,000 times
//
// In a round every task's wait is ended, by what ends such waits in a loop: a poll, a drain, a completion.
// Then the tasks run, and all of them wait again. An operation is one wait of one task: suspended, its wait
// begun and ended, gone on. The checksum counts what went on.
#pragma once

#include <bench/program/clock.hpp>
#include <bench/program/program.hpp>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <pinion/base/resumption.hpp>
#include <pinion/base/time.hpp>
#include <pinion/iosubmit.hpp>
#include <pinion/preempt.hpp>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>
#include <vector>

#include "../executors.hpp"
#include "../skipped_time.hpp"
#include "task.hpp"

namespace pinion::scheduler::bench::inline PINION_MODE {

using pinion::bench::measured;
using pinion::bench::stopwatch;

/// A coroutine that suspends, and a loop that resumes it by its handle: the floor.
class suspending {
 public:
  explicit suspending(std::size_t tasks) : waiting_(tasks) {}

  auto wait(bare_resume& /*on*/, std::size_t which) noexcept {
    struct awaiter {
      std::coroutine_handle<>& here;
      [[nodiscard]] static bool await_ready() noexcept { return false; }
      void await_suspend(std::coroutine_handle<> task) const noexcept { here = task; }
      static void await_resume() noexcept {}
    };
    return awaiter{waiting_[which]};
  }
  void end_waits() {
    for (const std::coroutine_handle<> each : waiting_) each.resume();
  }

 private:
  std::vector<std::coroutine_handle<>> waiting_;
};

/// The same with a resumption in place of the handle: what every awaitable adds to its own work.
class resuming {
 public:
  explicit resuming(std::size_t tasks) : waiting_(tasks) {}

  struct awaiter {
    resumption& here;
    [[nodiscard]] static bool await_ready() noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> task) const noexcept {
      here = resumption{task};
    }
    static void await_resume() noexcept {}
  };
  template <class On>
  awaiter wait(On& /*on*/, std::size_t which) noexcept {
    return {waiting_[which]};
  }
  void end_waits() {
    for (resumption& each : waiting_) each.go_on();
  }

 private:
  std::vector<resumption> waiting_;
};

/// co_await yield_now(executor): nothing ends it but that the others have run.
class yielding {
 public:
  explicit yielding(std::size_t /*tasks*/) {}

  template <class On>
  auto wait(On& on, std::size_t /*which*/) noexcept {
    return preempt::yield_now(on);
  }
  static void end_waits() noexcept {}
};

/// co_await sleep_until(timers, deadline): armed, and ended by a poll.
class sleeping {
 public:
  explicit sleeping(std::size_t /*tasks*/) {}

  template <class On>
  auto wait(On& /*on*/, std::size_t /*which*/) noexcept {
    return timer::sleep_until(timers_, timers_.latest() + duration{1'000'000});
  }
  void end_waits() {
    time_.skipped = time_.skipped + duration{3'000'000};
    timers_.run();
  }

 private:
  skipped_time time_;
  timer::timer_queue<timer::call_wheel, skipping_clock<standing_clock>> timers_{
      skipping_clock<standing_clock>{time_}};
};

/// co_await awaiting(io, entries::nop()): all that is asked for goes in one enter, which brings the answers.
class asking {
 public:
  explicit asking(std::size_t tasks) : tasks_(tasks) {}

  template <class On>
  auto wait(On& /*on*/, std::size_t /*which*/) noexcept {
    return iosubmit::awaiting(io_, iosubmit::entries::nop());
  }
  void end_waits() noexcept {
    for (std::size_t answered = 0; answered < tasks_;) answered += io_.park(never);
  }

 private:
  std::size_t tasks_;
  iosubmit::submission<iosubmit::default_policy, iosubmit::uring_ring> io_{iosubmit::uring_ring{{}}};
};

/// co_await event.wait(): pushed by this thread, to an owner that is awake, and ended by a drain.
class being_woken {
 public:
  explicit being_woken(std::size_t tasks) {
    for (std::size_t k = 0; k < tasks; ++k) events_.emplace_back(channel_);
  }

  template <class On>
  auto wait(On& /*on*/, std::size_t which) noexcept {
    return events_[which].wait();
  }
  void end_waits() {
    for (auto& each : events_) sender_.push(each);
    channel_.drain(waker::call_wakes);
  }

 private:
  using channel = waker::wake_channel<waker::tagged_inbox, waker::futex_notifier>;
  channel channel_;
  channel::sender_type sender_ = channel_.sender();
  std::deque<waker::wake_event<channel>> events_;
};

template <class On, class What>
task<On> wait_again(On& on, What& what, std::size_t which, std::size_t times, std::uint64_t& gone_on) {
  for (std::size_t k = 0; k < times; ++k) {
    if constexpr (std::same_as<What, asking>) {
      const auto answer = co_await what.wait(on, which);
      gone_on += answer ? 1U : 0U;
    } else {
      co_await what.wait(on, which);
      ++gone_on;
    }
  }
}

template <class What, class On, class Meter = stopwatch>
measured measure_waits(std::size_t tasks, std::size_t times) {
  On on;
  What what{tasks};
  std::uint64_t gone_on = 0;
  std::deque<job<On>> jobs;
  for (std::size_t which = 0; which < tasks; ++which) {
    on.begin(jobs.emplace_back(wait_again(on, what, which, times, gone_on)));
  }
  on.run();
  measured result{.operations = tasks * times, .expected = tasks * times};

  const Meter watch;
  for (std::size_t k = 0; k < times; ++k) {
    what.end_waits();
    on.run();
  }
  result.seconds = watch.seconds();

  result.checksum = gone_on;
  return result;
}

}  // namespace pinion::scheduler::bench::inline PINION_MODE
