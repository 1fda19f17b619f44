// SPDX-License-Identifier: Apache-2.0
//
// Every order that the word, the board and the gate write down, made weaker one at a time: the explorer sees
// each.
#include <gtest/gtest.h>

#include <string>

#include "explored_scenarios.hpp"
#include "needed_orders.hpp"
#include "sanitized.hpp"
#include "weakening_sync.hpp"

namespace pinion::preempt::testing {
namespace {

constexpr sim::limits usual{.executions_max = 6'000, .random_executions = 2'000};

TEST(weakened, EachOrderIsNeeded) {
  if (pinion::testing::is_sanitized)
    GTEST_SKIP() << "a body that a violation stops lets go of nothing, and the sanitizer calls that a leak";
  using sync = sim::testing::weakening_sync<struct slices>;

  sim::testing::expect_each_order_is_needed<sync>([] {
    return what_breaks<sync>([](const char* name, const auto& scenario) {
      const sim::exploration found = sim::explore(scenario, usual);
      return found ? std::string{} : std::string{name} + ": " + found.report();
    });
  });
}

}  // namespace
}  // namespace pinion::preempt::testing
