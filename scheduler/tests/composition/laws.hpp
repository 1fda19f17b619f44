// SPDX-License-Identifier: Apache-2.0
//
// laws: the laws of the composition as plain functions from a factory of compositions to what broke, or to
// nothing.
//
// C1  One way to go on. A task that waited goes on in its executor's run alone, in a slice; a coroutine
//     without an executor from inside the loop's turn alone. Neither from inside a call that asks, cancels or
//     wakes.
// C2  One way to stop. One slot for waits of all parts, any number of them; requested from inside anything,
//     and again. Each wait ends once, with one error, unless it had ended by itself.
// C3  Deadlines are points. However long a turn ran, a timer is late by what its store declares plus the time
//     until the loop comes round.
// C4  Messages leave. What was handed over in a turn has left by that turn's end, whatever the policy and
//     however busy the sender is afterwards.
// C5  What is made works: wakes end waits and slices end in time; or it is refused when it is made.
// C6  Idle is one call. An idle turn is one enter, a busy one with nothing to say none, a wake or a timer
//     tick one.
// C7  Nobody starves. Completions, timers, wakes and ready tasks are each bounded a turn, and each served
//     every turn, under any load of the others.
//
// A law has several clauses, each a function. They know no test framework, so the same code proves a
// composition and kills a mutant.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "composition.hpp"
#include "law.hpp"

namespace pinion::scheduler::testing {

using pinion::testing::broken;
using pinion::testing::in_words;
using pinion::testing::violation;

/// Which parts a clause speaks of.
enum class needed : std::uint32_t {
  nothing = 0,
  timers = 1,
  channel = 2,
  io = 4,
  slices = 8,
  calm = 16,     ///< enters that don't fail: what is counted or must be in time
  refused = 32,  ///< a pair that does not work
  no_spin = 64,  ///< a turn that waits as soon as it has nothing to do
};
constexpr needed operator|(needed a, needed b) noexcept {
  return static_cast<needed>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
constexpr bool has(needed all, needed one) noexcept {
  return (static_cast<std::uint32_t>(all) & static_cast<std::uint32_t>(one)) != 0;
}

struct clause {
  const char* law;   ///< "C1"
  const char* name;  ///< what holds, as a test is named
  violation (*check)(const composition_factory&);
  needed needs = needed::nothing;
};
[[nodiscard]] bool is_for(const clause& c, const composition_factory& factory);

[[nodiscard]] std::vector<clause> one_way_to_go_on();      // C1
[[nodiscard]] std::vector<clause> one_way_to_stop();       // C2
[[nodiscard]] std::vector<clause> an_end();                // C2
[[nodiscard]] std::vector<clause> deadlines_are_points();  // C3
[[nodiscard]] std::vector<clause> messages_leave();        // C4
[[nodiscard]] std::vector<clause> what_is_made_works();    // C5
[[nodiscard]] std::vector<clause> idle_is_one_call();      // C6
[[nodiscard]] std::vector<clause> nobody_starves();        // C7

/// All of them.
[[nodiscard]] const std::vector<clause>& laws();

/// Compositions that a law is tried on together: one test for a clause and all of them.
struct family {
  std::string name;
  std::vector<composition_factory> members;
  std::uint64_t seed = 1;
};
/// The first member that breaks it, and how. Each is given a seed of its own, and the ways to break a clause
/// are divided among them. With PINION_TEST_COMPOSITION, those alone whose description has that in it, in
/// every way.
[[nodiscard]] violation check_clause(const clause& c, const family& of);

/// What check_clause() has done in this process.
struct tally {
  std::uint64_t compositions = 0;  ///< that clauses were run on, each time
  std::uint64_t ns = 0;
};
[[nodiscard]] tally& done_so_far() noexcept;

}  // namespace pinion::scheduler::testing
