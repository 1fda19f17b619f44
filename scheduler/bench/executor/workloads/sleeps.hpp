// SPDX-License-Identifier: Apache-2.0
//
// 100,000 tasks that are asleep at once, each for 1 to 1,000 ms: what all of it takes, how late they wake,
// and what a task that sleeps holds.
//
//   asleep m = measure_asleep<by_executor<executor>>(100'000);
//
// Each runtime's clock is the system's, and a task looks at it when it begins to sleep and when it goes on.
// The checksum is the sum of the times in milliseconds. One that wakes early is counted, and fails the run.
#pragma once

#include <sys/prctl.h>

#include <bench/program/clock.hpp>
#include <bench/program/percentiles.hpp>
#include <bench/program/program.hpp>
#include <bench/program/random_numbers.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <pinion/config.hpp>
#include <vector>

#include "../../../../timer/bench/workloads/memory.hpp"
#include "../../workloads/tasks.hpp"

namespace pinion::scheduler::bench::inline PINION_MODE {

/// How long each sleeps.
inline std::vector<std::chrono::milliseconds> sleep_times(std::size_t tasks) {
  pinion::bench::random_numbers random{3};
  std::vector<std::chrono::milliseconds> times;
  times.reserve(tasks);
  for (std::size_t k = 0; k < tasks; ++k) times.emplace_back(1 + random.below(1000));
  return times;
}

/// What tasks that sleep tell. Room is made beforehand.
struct sleepers {
  explicit sleepers(std::size_t tasks) : times(sleep_times(tasks)), late_ns(tasks) {
    for (const auto& each : times) expected += static_cast<std::uint64_t>(each.count());
  }

  std::vector<std::chrono::milliseconds> times;
  std::vector<double> late_ns;
  std::size_t begun = 0;
  std::uint64_t expected = 0;

  static std::chrono::steady_clock::time_point now() { return std::chrono::steady_clock::now(); }
  /// That one has slept since then.
  std::uint64_t woke(std::size_t which, std::chrono::steady_clock::time_point since) {
    const std::chrono::duration<double, std::nano> slept = now() - since;
    late_ns[which] = slept.count() - static_cast<double>(times[which].count()) * 1e6;
    return static_cast<std::uint64_t>(times[which].count());
  }
};

/// All of it as rows of the page. CPU time is the process's.
inline pinion::bench::outcome shown(sleepers& all, double seconds, std::uint64_t checksum) {
  const pinion::bench::percentiles late = pinion::bench::percentiles_of(all.late_ns);
  pinion::bench::outcome row{
      seconds,
      checksum,
      all.expected,
      {{"cpu_ns", seconds * 1e9}, {"late_p50_ns", late.p50}, {"late_p99_ns", late.p99}}};
  if (all.late_ns.front() < 0) row.fault = "a task woke before its time";
  return row;
}

/// What the process holds while all sleep, over their number; and that without the blocks of their frames.
class held_by_tasks {
 public:
  held_by_tasks() { prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }
  void all_sleep(std::size_t tasks, std::size_t frame_bytes = 0) {
    const double held = static_cast<double>(timer::bench::held_bytes()) - static_cast<double>(before_);
    each_ = held / static_cast<double>(tasks);
    frame_ = static_cast<double>(frame_bytes) / static_cast<double>(tasks);
  }
  [[nodiscard]] pinion::bench::outcome shown(std::uint64_t checksum, std::uint64_t expected) const {
    pinion::bench::outcome row{1e-3, checksum, expected, {{"task_bytes", each_}}};
    if (frame_ != 0) row.figures.push_back({"beside_frame_bytes", each_ - frame_});
    return row;
  }

 private:
  std::size_t before_ = timer::bench::held_bytes();
  double each_ = 0;
  double frame_ = 0;  // 0: not known
};

template <class Runtime>
task_of<Runtime, std::uint64_t> sleeps(sleepers& all, std::size_t which) {
  ++all.begun;
  const auto begin = sleepers::now();
  co_await Runtime::sleep_for(all.times[which]);
  co_return all.woke(which, begin);
}

/// All of them, side by side; `all_sleep` is called when they do. The sum of their times.
template <class Runtime, class AllSleep>
task_of<Runtime, std::uint64_t> sleeps_of_all(sleepers& all, AllSleep all_sleep) {
  std::vector<handle_of<Runtime, std::uint64_t>> handles;
  handles.reserve(all.times.size());
  for (std::size_t which = 0; which < all.times.size(); ++which)
    handles.push_back(Runtime::spawn(sleeps<Runtime>(all, which)));
  while (all.begun != all.times.size()) co_await Runtime::yield();
  all_sleep();
  std::uint64_t sum = 0;
  for (auto& each : handles) sum += co_await each;
  co_return sum;
}

template <class Runtime>
pinion::bench::outcome measure_asleep(std::size_t tasks) {
  sleepers all{tasks};
  const pinion::bench::process_stopwatch watch;
  const std::uint64_t sum = Runtime::run(sleeps_of_all<Runtime>(all, [] {}));
  return shown(all, watch.seconds(), sum);
}

/// The handles are among what is held, and the main task's frame among the frames.
template <class Runtime>
pinion::bench::outcome measure_held(std::size_t tasks) {
  sleepers all{tasks};
  held_by_tasks held;
  const std::uint64_t sum =
      Runtime::run(sleeps_of_all<Runtime>(all, [&] { held.all_sleep(tasks, Runtime::frame_bytes()); }));
  return held.shown(sum, all.expected);
}

}  // namespace pinion::scheduler::bench::inline PINION_MODE
