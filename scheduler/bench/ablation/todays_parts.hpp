// SPDX-License-Identifier: Apache-2.0
//
// todays_parts: an executor of the parts that executors have today, and the same with one part of ours.
//
//   basic_executor<todays_parts> loop;
//   basic_executor<with_our_timers> other;
//
// Everything else is equal: the ring, the order of a turn, the queues, the tasks. So the difference between
// two of them is the part's.
#pragma once

#include <pinion/base/inline_function.hpp>
#include <pinion/iosubmit.hpp>
#include <pinion/preempt.hpp>
#include <pinion/scheduler.hpp>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>

#include "pending_flag_inbox.hpp"

namespace pinion::scheduler::bench::inline PINION_MODE {

/// A tree of timers, an eventfd with a pending flag, I/O handed over in batches or when there is nothing to
/// run, no end of a slice, frames by operator new, and checks at whatever tasks share.
using todays_parts = parts<timer::ordered_map<inline_function<void()>>, pending_flag_inbox,
                           waker::eventfd_notifier, iosubmit::batch_or_idle, iosubmit::default_ring,
                           preempt::never_due, malloc_frames, monotonic_clock, checked_cell>;

struct with_our_timers : todays_parts {
  using timers = default_parts::timers;
};
struct with_our_wakes : todays_parts {
  using inbox = default_parts::inbox;
  using notifier = default_parts::notifier;
};
struct with_our_policy : todays_parts {
  using policy = default_parts::policy;
};
struct with_our_source : todays_parts {
  using source = default_parts::source;
};
struct with_our_frames : todays_parts {
  using frames = default_parts::frames;
};
struct with_our_cell : todays_parts {
  using cell = default_parts::cell;
};

}  // namespace pinion::scheduler::bench::inline PINION_MODE
