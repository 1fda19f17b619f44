// SPDX-License-Identifier: Apache-2.0
//
// explore: runs lock-free code under every interleaving with at most so many preemptions
// (limits::preemptions_max, 3), with every stale value that the C++20 memory model allows.
//
// A scenario is a state that is made anew for each execution, up to three threads (four if need be) that
// share it, and a check when all have ended. What the threads share is made of explored_sync, or of shipped
// code that takes its sync_traits as a template parameter. explore() runs it again and again, each time with
// other choices, until all within the limits are used up or one breaks something; then it says which
// operations in which order did it, and gives a string with which replay() does it again.
//
//   constexpr auto seq_cst = std::memory_order_seq_cst;  // with anything less it finds "both are in"
//   struct flags { sim::explored_sync::atomic<int> left{0}, right{0}; bool saw_none[2]{}; };
//
//   sim::scenario<flags> dekker;
//   dekker.thread("left", [](flags& f) {
//     f.left.store(1, seq_cst);
//     f.saw_none[0] = f.right.load(seq_cst) == 0;
//   });
//   dekker.thread("right", [](flags& f) {
//     f.right.store(1, seq_cst);
//     f.saw_none[1] = f.left.load(seq_cst) == 0;
//   });
//   dekker.finally([](flags& f) { sim::require(!(f.saw_none[0] && f.saw_none[1]), "both are in"); });
//   const sim::exploration found = sim::explore(dekker);
//   EXPECT_TRUE(found) << found.report();
//   EXPECT_TRUE(found.is_complete);                // or the limits ended the search, and a part was not seen
//
// It finds: what require() denies, broken PINION_ASSERTs, exceptions, data races on `plain`, lost wakes (all
// wait and nobody will wake them), words used before their making or after their end is known, and threads
// that do not come to an end.
//
// Bodies must do the same when they are run again: no clock, no random number that is not seeded, nothing
// kept outside the state, no thread of the system. A thread that a violation stops is never resumed nor
// unwound. One exploration at a time in a thread of the system; the stack of a body is 256 KB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <pinion/base/export.hpp>
#include <pinion/sim/explored_sync.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pinion::sim {

/// How far an exploration goes.
struct limits {
  /// Preemptions in one execution: a thread is left although it could go on. Ends, waits and pauses are none.
  std::uint32_t preemptions_max = 3;
  /// Executions of the search in order; beyond them it is random.
  std::uint64_t executions_max = 1'000'000;
  /// Random executions if the search in order did not finish, with any number of preemptions.
  std::uint64_t random_executions = 100'000;
  /// Where the random ones start.
  std::uint64_t seed = 1;
  /// Operations of one execution; more is a violation, "does not end".
  std::uint32_t steps_max = 2'000;
  /// Times that an execution may let a weak compare_exchange fail, or a futex_wait return, without cause.
  std::uint32_t spurious_max = 1;
  /// Times in a row that a thread may go on after pause() although nothing has changed.
  std::uint32_t pauses_max = 1;
};

/// What an exploration found.
struct PINION_EXPORT exploration {
  std::uint64_t executions = 0;         ///< run, the random ones too
  std::uint64_t random_executions = 0;  ///< of these, the random ones
  bool is_complete = false;             ///< every choice within the limits was tried
  std::uint64_t steps = 0;              ///< operations, all executions together
  std::uint32_t longest = 0;            ///< operations of the longest execution
  std::string violation;                ///< what broke; empty if nothing did
  std::string schedule;                 ///< how: one line for each operation
  std::string replay;                   ///< for replay()

  /// Whether nothing broke.
  explicit operator bool() const { return violation.empty(); }
  /// All of it, as text for a failed test or a log.
  [[nodiscard]] std::string report() const;
};

/// Inside an exploration, in a thread's body or in the check: if `holds` is false, the execution ends here
/// and `what` is the violation.
PINION_EXPORT void require(bool holds, std::string_view what) noexcept;

namespace explore_detail {

/// A scenario without its state's type.
struct erased_scenario {
  struct body {
    std::string name;
    std::function<void(void*)> run;
  };
  std::function<std::shared_ptr<void>()> make;
  std::vector<body> threads;
  std::function<void(void*)> check;
};

PINION_EXPORT exploration explore(const erased_scenario& scenario, const limits& limits);
PINION_EXPORT exploration replay(const erased_scenario& scenario, const limits& limits,
                                 std::string_view choices);

}  // namespace explore_detail

/// What is explored: see the top of this file. `State` is destroyed after the check.
template <class State>
class scenario {
 public:
  /// The state is value-initialised.
  scenario()
    requires std::default_initializable<State>
      : scenario([] { return std::make_shared<State>(); }) {}
  /// The state is what `make`, which returns a shared_ptr<State>, makes.
  template <std::invocable Make>
  explicit scenario(Make make) {
    erased_.make = std::move(make);
  }

  /// One more thread; four at most. Its name is for the schedule.
  template <std::invocable<State&> Body>
  scenario& thread(std::string name, Body body) {
    erased_.threads.push_back({std::move(name), erase(std::move(body))});
    return *this;
  }
  /// What is to hold when all threads have ended. What they did has happened before it.
  template <std::invocable<State&> Check>
  scenario& finally(Check check) {
    erased_.check = erase(std::move(check));
    return *this;
  }

 private:
  template <class S>
  friend exploration explore(const scenario<S>& explored, const limits& limits);
  template <class S>
  friend exploration replay(const scenario<S>& explored, std::string_view choices, const limits& limits);

  template <class Body>
  static std::function<void(void*)> erase(Body body) {
    return [body = std::move(body)](void* state) { body(*static_cast<State*>(state)); };
  }

  explore_detail::erased_scenario erased_;
};

/// Runs every execution within the limits, the first that breaks something being the last.
template <class State>
exploration explore(const scenario<State>& explored, const limits& limits = {}) {
  return explore_detail::explore(explored.erased_, limits);
}

/// Runs the one execution that `choices` describes, which is what exploration::replay says after a violation
/// of the same scenario. If the scenario is another one now, the violation says so.
template <class State>
exploration replay(const scenario<State>& explored, std::string_view choices, const limits& limits = {}) {
  return explore_detail::replay(explored.erased_, limits, choices);
}

}  // namespace pinion::sim
