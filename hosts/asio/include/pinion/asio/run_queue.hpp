// SPDX-License-Identifier: Apache-2.0
//
// run_queue: tasks for the turn of an io_context. As base's, but a task that is made ready asks the turn for
// a round.
//
//   pinion::asio::run_queue tasks;
//   pinion::asio::turn loop{context, timers, scheduler::absent, tasks};
//   greet(tasks, timers);  // a coroutine whose promise has an executor(): these tasks
//
// A task may be made ready from anywhere on the context's thread: a handler of Asio's that begins it, a
// callback, another task. An executor of one's own derives from it; its ready() is this one's.
#pragma once

#include <pinion/asio/detail/rounds.hpp>
#include <pinion/base/executor.hpp>
#include <pinion/config.hpp>
#include <utility>

namespace pinion::asio::inline PINION_MODE {

/// An executor that a turn runs. It stays where it is.
class run_queue : pinion::run_queue, public turn_detail::served {
  using base = pinion::run_queue;

 public:
  /// As pinion::run_queue's.
  using base::has_ready, base::run, base::running;
  /// The same, and asks the turn for a round.
  void ready(runnable& task) noexcept {
    base::ready(task);
    ask();
  }
};

static_assert(executor<run_queue>);

}  // namespace pinion::asio::inline PINION_MODE
