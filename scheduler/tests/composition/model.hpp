// SPDX-License-Identifier: Apache-2.0
//
// model: random programs of waits, cancels, wakes, yields and I/O on a composition, against an account of
// what may come of each wait, which shares no code with any part.
//
//   const finding f = play_on({}, 7, 10'000);  // programs 7, 8, …, each on a composition that its seed draws
//   if (f.found) std::cerr << f.found.what() << f.text;     // and the program, as short as it can be had
//
// A program is data: a script for each of some coroutines, of which some have an executor and some have none;
// what another thread pushes when; and when the loop stops its I/O. Each coroutine has an event, which it
// alone awaits and everybody pushes. The account is a list of waits, searched from end to end, with what was
// asked, when, under which slot, and what has happened since:
//
//   a sleep ended by itself   not before its deadline; nor behind a request that came before that
//   a sleep lasts             not through a wait of the loop that ends behind its deadline, and what its
//                             store declares
//   an operation ended        with its result, not before its time; one that can't be cancelled, not as such
//   a wait for a wake ended   no more often than there were pushes
//   any ended as cancelled    under a slot that was requested alone, and always where it was when it began;
//                             an operation also where the I/O was stopped
//   any that is over          goes on within so many rounds, and so many sleeps of the loop
//   at the end                all have ended, and nothing is armed, queued or in flight
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "laws.hpp"

namespace pinion::scheduler::testing {

/// What a coroutine does.
enum class act : std::uint8_t {
  sleep,
  ask,
  io_sleep,
  wait,
  push,
  push_by_port,
  yield,
  compute,
  request,
  reset
};

struct step {
  act what = act::yield;
  duration length{};
  std::size_t which = 0;  ///< an event, or a slot
  std::size_t slot = 0;   ///< that a wait is under: 0 the one of the end, then the program's; `none`
  bool is_urgent = false;
  bool can_be_cancelled = true;

  static constexpr std::size_t none = 9;
  static constexpr std::size_t slots = 3;
};
struct script {
  bool has_executor = true;
  std::vector<step> steps{};
};
struct outside_push {
  duration after{};
  std::size_t event = 0;
};
struct program {
  std::vector<script> scripts{};
  std::vector<outside_push> pushes{};
  duration stops_io_after = forever;  ///< the loop calls stop() of its I/O, and goes on
  std::size_t timers_a_turn = 256;

  /// A line for each script.
  [[nodiscard]] std::string text() const;
};

/// What the seed makes, for a composition with these parts.
[[nodiscard]] program drawn_program(std::uint64_t seed, const composition_factory& factory);
/// The same without one of its pushes or steps, for each of them, or without a whole script.
[[nodiscard]] std::vector<program> shorter(const program& of);
/// What that program broke.
[[nodiscard]] violation played(const program& what, const composition_factory& factory);

struct finding {
  violation found{};
  std::string text{};  ///< seed, composition and program
  std::uint64_t programs = 0;
};
/// So many programs, the first of that seed, the next of the one behind it, up to the first that breaks
/// something. On `factory`, or each on a composition that its seed draws.
[[nodiscard]] finding play_on(const std::optional<composition_factory>& factory, std::uint64_t seed,
                              std::uint64_t programs);

}  // namespace pinion::scheduler::testing
