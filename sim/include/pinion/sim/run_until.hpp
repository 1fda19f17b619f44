// SPDX-License-Identifier: Apache-2.0
//
// run_until, run_until_idle: sleep and turn, as an executor does, with a virtual clock for the sleep.
//
// What is driven need only say until when it may sleep: a timer store, or an executor whose next_wakeup() is
// the earliest of what its parts say. Each time it is awake, `turn` is called: with a reading of the clock,
// or with nothing if it takes its own, so that each reading counted is the driven code's.
//
//   sim::virtual_clock clock{instant{0} + ceil(1h)};
//   timer::stationary_wheel<job> timers{clock.now()};
//
//   const sim::run_result week =
//       sim::run_until_idle(clock, timers, [&](instant now) { timers.poll(now, fire); });
//
// A sleep is exact. To have it end late, tick() the clock; to have it end early, let it stand_still() for a
// few readings.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <pinion/base/time.hpp>
#include <pinion/sim/virtual_clock.hpp>

namespace pinion::sim {

/// What knows until when it may sleep; `never` if nothing is to come.
template <class Sleeper>
concept sleeper = requires(const Sleeper& view) {
  { view.next_wakeup() } -> std::same_as<instant>;
};

/// What is called for each turn.
template <class Turn> concept turn_function = std::invocable<Turn&, instant> || std::invocable<Turn&>;

/// Why a run ended.
enum class run_end : std::uint8_t {
  idle,     ///< nothing is to come: next_wakeup() says `never`
  time_up,  ///< what comes next comes after the end
  gave_up,  ///< the turns allowed were used up: most likely next_wakeup() names a time at which a turn does nothing
};

/// How a run went.
struct run_result {
  run_end end = run_end::idle;
  std::size_t turns = 0;  ///< calls of `turn`
};

/// The turns a run may take unless it is told otherwise.
inline constexpr std::size_t turns_usual = 1'000'000;

/// Sleeps until next_wakeup(), calls turn(clock.now()) or else turn(), and so on until nothing more is to
/// come up to and at `end`; then the clock stands at `end`, or later if it was. After giving up it stands
/// where it was. What `turn` throws passes through.
template <sleeper Sleeper, turn_function Turn>
run_result run_until(virtual_clock& clock, instant end, const Sleeper& driven, Turn&& turn,
                     std::size_t turns_max = turns_usual);

/// The same without an end: until next_wakeup() says `never`. The clock stands at the last turn.
template <sleeper Sleeper, turn_function Turn>
run_result run_until_idle(virtual_clock& clock, const Sleeper& driven, Turn&& turn,
                          std::size_t turns_max = turns_usual);

// ---- Implementation ----

namespace run_detail {

template <class Sleeper, class Turn>
run_result run(virtual_clock& clock, instant end, const Sleeper& driven, Turn& turn, std::size_t turns_max) {
  for (std::size_t turns = 0;; ++turns) {
    const instant wakeup = driven.next_wakeup();
    if (wakeup == never) return {run_end::idle, turns};
    if (end < wakeup) return {run_end::time_up, turns};
    if (turns == turns_max) return {run_end::gave_up, turns};
    clock.advance_to(wakeup);
    if constexpr (std::invocable<Turn&, instant>) {
      turn(clock.now());
    } else {
      turn();
    }
  }
}

}  // namespace run_detail

template <sleeper Sleeper, turn_function Turn>
run_result run_until(virtual_clock& clock, instant end, const Sleeper& driven, Turn&& turn,
                     std::size_t turns_max) {
  const run_result result = run_detail::run(clock, end, driven, turn, turns_max);
  if (result.end != run_end::gave_up) clock.advance_to(end);
  return result;
}

template <sleeper Sleeper, turn_function Turn>
run_result run_until_idle(virtual_clock& clock, const Sleeper& driven, Turn&& turn, std::size_t turns_max) {
  return run_detail::run(clock, never, driven, turn, turns_max);
}

}  // namespace pinion::sim
