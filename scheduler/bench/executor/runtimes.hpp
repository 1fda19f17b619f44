// SPDX-License-Identifier: Apache-2.0
//
// by_executor: pinion's executors, as the workloads of tasks name what they measure.
//
//   const measured m = measure_spawns<by_executor<executor>, stopwatch>(1'000, 1'000);
//
// A runtime has, as static members:
//
//   template <class T> using task = …;          // its coroutines
//   T run(task<T>);                             // on a loop of its own, until that is over
//   auto spawn(task<T>);                        // in a task: awaited, the handle gives the T; once
//   auto yield();                               // awaited: others have run
//   auto sleep_for(std::chrono::milliseconds);  // awaited; where a workload asks for it
//   std::size_t frame_bytes();                  // in a task: what all frames have taken; where that is known
#pragma once

#include <chrono>
#include <cstddef>
#include <pinion/scheduler.hpp>
#include <utility>

namespace pinion::scheduler::bench::inline PINION_MODE {

template <class Executor>
struct by_executor {
  template <class T>
  using task = scheduler::task<T>;

  template <class T>
  static T run(task<T> what) {
    Executor loop;
    return loop.run(std::move(what));
  }
  template <class T>
  static auto spawn(task<T>&& what) {
    return scheduler::spawn(std::move(what));
  }
  static auto yield() { return scheduler::yield(); }
  static auto sleep_for(std::chrono::milliseconds time) { return scheduler::sleep_for(time); }
  static std::size_t frame_bytes() {
    return static_cast<Executor&>(*executor_base::current()).frames().statistics().bytes_in_use;
  }
};

struct parts_with_malloc : default_parts {
  using frames = malloc_frames;
};
/// The same executor, its frames by operator new.
using executor_with_malloc = basic_executor<parts_with_malloc>;

}  // namespace pinion::scheduler::bench::inline PINION_MODE
