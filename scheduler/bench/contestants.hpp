// SPDX-License-Identifier: Apache-2.0
//
// in_turn, by_hand: a turn of all four parts, and the same parts called by hand in the same order. What the
// turn takes beyond that is its own.
//
//   loop_parts<monotonic_clock> parts;
//   in_turn loop{parts};
//   loop(tasks);                                   // one round
#pragma once

#include <cstddef>
#include <cstdint>
#include <pinion/iosubmit.hpp>
#include <pinion/preempt.hpp>
#include <pinion/scheduler.hpp>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>

#include "skipped_time.hpp"

namespace pinion::scheduler::bench::inline PINION_MODE {

/// The parts of one loop, by whichever clock.
template <class Real>
struct loop_parts {
  using clock_type = skipping_clock<Real>;
  using timers_type = timer::timer_queue<timer::call_wheel, clock_type>;
  using io_type = iosubmit::submission<iosubmit::default_policy, hurried_ring, clock_type>;
  using channel_type = waker::wake_channel<waker::tagged_inbox, waker::eventfd_notifier>;
  using slices_type = preempt::slicer<preempt::ticker_source>;

  skipped_time time{};
  clock_type clock{time};
  timers_type timers{clock};
  io_type io{hurried_ring{time}, {}, clock};
  channel_type channel{io};
  slices_type slices{};
};

template <class Parts>
class in_turn {
 public:
  explicit in_turn(Parts& of) : loop_{of.timers, of.channel, of.io, of.slices, {}, of.clock} {}

  template <class Tasks>
  void operator()(Tasks& tasks) {
    loop_(tasks);
  }

 private:
  turn<typename Parts::timers_type, typename Parts::channel_type, typename Parts::io_type,
       typename Parts::slices_type, typename Parts::clock_type>
      loop_;
};

/// Where the timers' share of a round is seen: without them.
template <class Parts>
class in_turn_without_timers {
 public:
  explicit in_turn_without_timers(Parts& of) : loop_{absent, of.channel, of.io, of.slices, {}, of.clock} {}

  template <class Tasks>
  void operator()(Tasks& tasks) {
    loop_(tasks);
  }

 private:
  turn<nothing, typename Parts::channel_type, typename Parts::io_type, typename Parts::slices_type,
       typename Parts::clock_type>
      loop_;
};

/// As it is written without a turn, for these parts and no others: no round can throw, and a channel is never
/// closed.
template <class Parts>
class by_hand {
 public:
  explicit by_hand(Parts& of)
      : of_(of), attached_(of.channel.notifier().attach(of.io)), queue_(of.slices.add({}).value()) {
    of.io.own();
  }

  template <class Tasks>
  void operator()(Tasks& tasks) {
    const std::size_t drained = of_.channel.drain(waker::call_wakes);
    const auto polled = of_.timers.run(timers_a_round);
    if (tasks.has_ready()) {
      of_.slices.begin(queue_, {.now = of_.clock.now(),
                                .others_ready = polled.more,
                                .next_timer = of_.timers.next_wakeup(),
                                .waits_for_others = true});
      tasks.run();
      const instant now = of_.clock.now();
      of_.slices.end(now);
      of_.io.turn(now);
    } else if (drained == 0 && polled.fired == 0 && !polled.more && attached_.renew() &&
               of_.channel.try_arm()) {
      of_.slices.rest();
      of_.io.park(of_.timers.next_wakeup(), [this]() noexcept { of_.channel.disarm(); });
    } else {
      of_.io.turn(of_.clock.now());
    }
  }

 private:
  static constexpr std::size_t timers_a_round = 256;

  Parts& of_;
  waker::ring_watch<typename Parts::io_type> attached_;
  preempt::slice_rule::queue queue_;
};

}  // namespace pinion::scheduler::bench::inline PINION_MODE
