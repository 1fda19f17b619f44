// SPDX-License-Identifier: Apache-2.0
//
// What going on after a wait, and a round of a loop, may cost in instructions. The kernel's are not counted.
// `./check budget` compares with bench/budget/scheduler.toml.
#include <bench/budget/budget.hpp>
#include <cstddef>
#include <string>

#include "contestants.hpp"
#include "executor/floor_tasks.hpp"
#include "executor/runtimes.hpp"
#include "executors.hpp"
#include "workloads/frames.hpp"
#include "workloads/rounds.hpp"
#include "workloads/tasks.hpp"
#include "workloads/waits.hpp"

namespace pinion::scheduler::bench {
namespace {

using meter = pinion::bench::instruction_meter;
constexpr std::size_t times = 10'000;

/// One task alone. In a round with more of them each costs less.
template <class On>
void count_waits(pinion::bench::budget& counted, const std::string& who) {
  counted.instructions(who, "resumption", measure_waits<resuming, On, meter>(1, times));
  counted.instructions(who, "sleep", measure_waits<sleeping, On, meter>(1, times));
  counted.instructions(who, "nop", measure_waits<asking, On, meter>(1, times));
  counted.instructions(who, "wake", measure_waits<being_woken, On, meter>(1, times));
}

template <template <class> class Loop>
void count_rounds(pinion::bench::budget& counted, const std::string& who) {
  counted.instructions(who, "busy_round", measure_busy<Loop, standing_clock, meter>(times));
  counted.instructions(who, "idle_round", measure_idle<Loop, standing_clock, meter>(times));
  counted.instructions(who, "tick", measure_ticks<Loop, standing_clock, meter>(times));
  counted.instructions(who, "wake", measure_wakes<Loop, standing_clock, meter>(times));
}

template <class Source>
void count_frames(pinion::bench::budget& counted, const std::string& who) {
  counted.instructions(who, "one_frame", measure_one_frame<Source, meter>(times));
  const many_frames many = measure_many_frames<Source, meter>(times);
  counted.instructions(who, "allocate", many.allocate);
  counted.instructions(who, "free", many.deallocate);
}

template <class Runtime>
void count_tasks(pinion::bench::budget& counted, const std::string& who) {
  counted.instructions(who, "spawn_run_and_join", measure_spawns<Runtime, meter>(1'000, 10));
  counted.instructions(who, "yield_alone", measure_yields<Runtime, meter>(1, times));
  counted.instructions(who, "yield_of_100", measure_yields<Runtime, meter>(100, times / 100));
}

}  // namespace
}  // namespace pinion::scheduler::bench

int main() {
  using namespace pinion::scheduler;
  pinion::bench::budget counted;
  counted.instructions(
      "handle", "suspend_and_resume",
      bench::measure_waits<bench::suspending, bench::bare_resume, bench::meter>(1, bench::times));
  bench::count_waits<bench::bare_resume>(counted, "bare_resume");
  bench::count_waits<bench::by_run_queue>(counted, "run_queue");
  counted.instructions(
      "run_queue", "yield_now",
      bench::measure_waits<bench::yielding, bench::by_run_queue, bench::meter>(1, bench::times));
  bench::count_rounds<bench::by_hand>(counted, "by_hand");
  bench::count_rounds<bench::in_turn>(counted, "turn");
  counted.instructions(
      "turn_without_timers", "busy_round",
      bench::measure_busy<bench::in_turn_without_timers, bench::standing_clock, bench::meter>(bench::times));
  bench::count_frames<bench::by_allocator<slab_frames>>(counted, "slab_frames");
  const bench::frames_elsewhere elsewhere =
      bench::measure_frames_elsewhere<slab_frames, bench::meter>(bench::times);
  counted.instructions("slab_frames", "free_elsewhere", elsewhere.deallocate);
  counted.instructions("slab_frames", "collect", elsewhere.collect);
  bench::count_frames<bench::by_promise<slab_frames>>(counted, "frame_in_slab");
  bench::count_frames<bench::by_promise<malloc_frames>>(counted, "frame_by_malloc");
  bench::count_tasks<bench::by_executor<executor>>(counted, "executor");
  bench::count_tasks<bench::floor_tasks>(counted, "floor");
  return counted.exit_status();
}
