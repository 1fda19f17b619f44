// SPDX-License-Identifier: Apache-2.0
//
// Rounds of a loop of all four parts: busy ones that have nothing to say, idle ones, a timer's tick, and a
// wake.
//
//   measured m = measure_busy<in_turn, monotonic_clock>(100'000);
//
// The checksum counts what was run, and how often the loop waited: a round that waits when it should not, or
// the other way round, is wrong.
#pragma once

#include <bench/program/clock.hpp>
#include <bench/program/program.hpp>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <pinion/base/executor.hpp>
#include <pinion/base/time.hpp>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>

#include "../contestants.hpp"
#include "stub_tasks.hpp"
#include "task.hpp"

namespace pinion::scheduler::bench::inline PINION_MODE {

using pinion::bench::measured;
using pinion::bench::stopwatch;

/// So much was run, in so many waits.
inline std::uint64_t run_and_waited(std::uint64_t run, std::uint64_t waits) noexcept {
  return run + (waits << 32U);
}

/// A timer that is far ahead, so that the timers have something to look at and nothing to do.
template <class Timers>
class far_timer {
 public:
  explicit far_timer(Timers& timers) : timers_(timers) { timers_.after(duration{60'000'000'000}, call_); }
  far_timer(const far_timer&) = delete;
  far_timer& operator=(const far_timer&) = delete;
  ~far_timer() { timers_.cancel(call_); }

 private:
  Timers& timers_;
  timer::timer_call call_{[](timer::timer_call&) {}, nullptr};
};

// What is done once (the channel's watch, the first enter) is done before.
template <class Loop, class Parts>
void settle(Loop& loop, Parts& parts) {
  stub_tasks none;
  parts.time.passes = false;
  for (int k = 0; k < 3; ++k) loop(none);
  parts.time.passes = true;
}

/// Rounds in which tasks are ready, and nothing else is to be done. They wait nowhere.
template <template <class> class Loop, class Real, class Meter = stopwatch>
measured measure_busy(std::size_t rounds) {
  loop_parts<Real> parts;
  const far_timer timer{parts.timers};
  Loop<loop_parts<Real>> loop{parts};
  settle(loop, parts);
  stub_tasks tasks{.is_ready = true};
  const std::uint64_t waits_before = parts.time.waits;
  measured result{.operations = rounds, .expected = run_and_waited(rounds, 0)};

  const Meter watch;
  for (std::size_t k = 0; k < rounds; ++k) loop(tasks);
  result.seconds = watch.seconds();

  result.checksum = run_and_waited(tasks.runs, parts.time.waits - waits_before);
  return result;
}

/// Rounds with nothing to do. Each waits, and the wait ends early: what ends it is not charged.
template <template <class> class Loop, class Real, class Meter = stopwatch>
measured measure_idle(std::size_t rounds) {
  loop_parts<Real> parts;
  const far_timer timer{parts.timers};
  Loop<loop_parts<Real>> loop{parts};
  settle(loop, parts);
  stub_tasks tasks;
  parts.time.passes = false;
  const std::uint64_t waits_before = parts.time.waits;
  measured result{.operations = rounds, .expected = run_and_waited(0, rounds)};

  const Meter watch;
  for (std::size_t k = 0; k < rounds; ++k) loop(tasks);
  result.seconds = watch.seconds();

  result.checksum = run_and_waited(tasks.runs, parts.time.waits - waits_before);
  return result;
}

/// A timer that fires each 100 us and is armed anew, in a loop that has nothing else. An operation is one
/// tick: its wait, the round in which it fires, and its arming.
template <template <class> class Loop, class Real, class Meter = stopwatch>
measured measure_ticks(std::size_t ticks) {
  loop_parts<Real> parts;
  Loop<loop_parts<Real>> loop{parts};
  settle(loop, parts);
  struct ticker {
    typename loop_parts<Real>::timers_type& timers;
    std::uint64_t count = 0;
    timer::timer_call call{&ticked, this};
    void arm() { timers.after(duration{100'000}, call); }
    static void ticked(timer::timer_call& self) {
      auto& mine = *static_cast<ticker*>(self.context);
      ++mine.count;
      mine.arm();
    }
  } ticking{parts.timers};
  stub_tasks none;
  ticking.arm();
  measured result{.operations = ticks, .expected = ticks};

  const Meter watch;
  while (ticking.count < ticks) loop(none);
  result.seconds = watch.seconds();

  parts.timers.cancel(ticking.call);
  result.checksum = ticking.count;
  return result;
}

/// What a task is woken by each time the loop sleeps, as another thread would.
template <class Channel>
struct waking {
  typename Channel::sender_type sender;
  waker::wake_event<Channel>& event;
  static void push(void* self) noexcept {
    auto& mine = *static_cast<waking*>(self);
    mine.sender.push(mine.event);
  }
};

template <class Channel>
task<run_queue> count_wakes(run_queue& /*on*/, waker::wake_event<Channel>& event, std::size_t wakes,
                            std::uint64_t& count) {
  while (count != wakes) {
    co_await event.wait();
    ++count;
  }
}

/// A task that is woken each time the loop sleeps, and waits again. An operation is one wake: the push and
/// its signal, the wait that it ends, the drain, and the task's slice.
template <template <class> class Loop, class Real, class Meter = stopwatch>
measured measure_wakes(std::size_t wakes) {
  loop_parts<Real> parts;
  const far_timer timer{parts.timers};
  Loop<loop_parts<Real>> loop{parts};
  settle(loop, parts);
  using channel = typename loop_parts<Real>::channel_type;
  waker::wake_event<channel> event{parts.channel};
  waking<channel> by{parts.channel.sender(), event};
  run_queue tasks;
  std::uint64_t count = 0;
  job<run_queue> one{count_wakes(tasks, event, wakes, count)};
  tasks.ready(one);
  loop(tasks);
  parts.time.passes = false;
  parts.time.before_wait = {.function = &waking<channel>::push, .context = &by};
  const std::uint64_t waits_before = parts.time.waits;
  measured result{.operations = wakes, .expected = run_and_waited(wakes, wakes)};

  const Meter watch;
  while (count < wakes) loop(tasks);
  result.seconds = watch.seconds();

  parts.time.before_wait = {};  // its end waits, too
  result.checksum = run_and_waited(count, parts.time.waits - waits_before);
  return result;
}

}  // namespace pinion::scheduler::bench::inline PINION_MODE
