// SPDX-License-Identifier: Apache-2.0
//
// parts, default_parts, executor_parts: what an executor is made of.
#pragma once

#include <concepts>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
#include <pinion/iosubmit/concept.hpp>
#include <pinion/iosubmit/default_policy.hpp>
#include <pinion/iosubmit/default_ring.hpp>
#include <pinion/preempt/concept.hpp>
#include <pinion/preempt/default_source.hpp>
#include <pinion/scheduler/cell.hpp>
#include <pinion/scheduler/default_cell.hpp>
#include <pinion/scheduler/frames/concept.hpp>
#include <pinion/scheduler/frames/default_frames.hpp>
#include <pinion/timer/calling_queue.hpp>
#include <pinion/timer/timer_call.hpp>
#include <pinion/timer/timer_queue.hpp>
#include <pinion/waker/concept.hpp>
#include <pinion/waker/default_inbox.hpp>

namespace pinion::scheduler::inline PINION_MODE {

/// What an executor is made of.
template <class Timers, class Inbox, class Notifier, class Policy, class Ring, class Source,
          class Frames = default_frames, class Clock = monotonic_clock, class Cell = default_cell>
struct parts {
  using timers = Timers;      ///< a store of timers that call
  using inbox = Inbox;        ///< of wake_calls
  using notifier = Notifier;  ///< that can be attached to the submission
  using policy = Policy;      ///< of submission
  using ring = Ring;          ///< that open_ring() opens
  using source = Source;      ///< of slices
  using frames = Frames;      ///< where its tasks' frames come from
  using clock = Clock;        ///< what all of them go by
  using cell = Cell;          ///< by which it reaches what its tasks share
};
/// What a build recommends.
using default_parts = parts<timer::call_wheel, waker::default_inbox, waker::default_notifier,
                            iosubmit::default_policy, iosubmit::default_ring, preempt::default_source>;

namespace executor_detail {
/// A store of timer_calls, or of values that a function of one word can be.
template <class Queue>
concept timers_that_call = timer::queue_of_callbacks<Queue> ||
                           requires { requires std::same_as<typename Queue::hook_type, timer::timer_call>; };
}  // namespace executor_detail

/// That the parts are there, and are what they are to be.
template <class P>
concept executor_parts =
    executor_detail::timers_that_call<timer::timer_queue<typename P::timers, typename P::clock>> &&
    waker::inbox_core<typename P::inbox> && waker::notifier<typename P::notifier> &&
    iosubmit::submit_policy<typename P::policy> && iosubmit::ring<typename P::ring> &&
    preempt::preempt_source<typename P::source> && frame_allocator<typename P::frames> &&
    executor_cell<typename P::cell> && requires(typename P::clock& clock) {
      { clock.now() } -> std::same_as<instant>;
    };

}  // namespace pinion::scheduler::inline PINION_MODE
