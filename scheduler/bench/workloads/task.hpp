// SPDX-License-Identifier: Apache-2.0
//
// job: a task of a benchmark, of the coroutine type that preempt's benchmarks have.
//
//   job<run_queue> one{waits(tasks, …)};   // a coroutine whose promise says run_queue& executor()
//   tasks.ready(one);
#pragma once

#include <pinion/base/executor.hpp>
#include <utility>

#include "../../../preempt/bench/workloads/task.hpp"

namespace pinion::scheduler::bench::inline PINION_MODE {

using preempt::bench::task;

/// The coroutine and its place among those that are ready. It stays where it is while it runs.
template <class Executor>
struct job : runnable {
  explicit job(task<Executor> of) noexcept : body(std::move(of)) { where = body.handle(); }
  task<Executor> body;
};

}  // namespace pinion::scheduler::bench::inline PINION_MODE
