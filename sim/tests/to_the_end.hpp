// SPDX-License-Identifier: Apache-2.0
//
// what_breaks_to_the_end: explores a scenario to the end within a bound on preemptions, and then at random
// without one.
//
//   EXPECT_EQ(what_breaks_to_the_end("two wakes", two_wakes<explored_sync>(), 3), "");
//
// So a test says what is proved, "nothing breaks with at most so many preemptions", and a search that is cut
// short fails it. What was gone through is printed.
#pragma once

#include <cstdint>
#include <iostream>
#include <pinion/sim/explore.hpp>
#include <string>

namespace pinion::sim::testing {

/// Far more executions than such a search needs; one that needs them is to have fewer preemptions, or less to
/// do.
inline constexpr std::uint64_t executions_enough = 400'000;

/// What broke in so many executions at random, with any number of preemptions; empty if nothing did.
template <class State>
std::string what_breaks_at_random(const std::string& name, const scenario<State>& explored,
                                  std::uint64_t executions) {
  const exploration found = explore(explored, {.executions_max = 0, .random_executions = executions});
  return found ? "" : name + ", at random: " + found.report();
}

/// What broke, or why it is not known; empty if nothing did.
template <class State>
std::string what_breaks_to_the_end(const std::string& name, const scenario<State>& explored,
                                   std::uint32_t preemptions_max) {
  const exploration all = explore(
      explored,
      {.preemptions_max = preemptions_max, .executions_max = executions_enough, .random_executions = 0});
  std::cout << name << ": " << all.executions << " executions with at most " << preemptions_max
            << " preemptions, " << (all.is_complete ? "complete" : "not complete") << ", longest "
            << all.longest << '\n';
  if (!all) return name + ": " + all.report();
  if (!all.is_complete) return name + ": not explored to the end in " + std::to_string(all.executions);
  return what_breaks_at_random(name, explored, 10'000);
}

}  // namespace pinion::sim::testing
