// SPDX-License-Identifier: Apache-2.0
//
// The waker queue of design 004 P5: the explorer finds each of its four defects, and none in the queue
// without them, within the bounds.
#include <gtest/gtest.h>

#include <iostream>
#include <pinion/sim/explored_sync.hpp>

#include "explored_scenarios.hpp"
#include "p5_inbox.hpp"
#include "to_the_end.hpp"

namespace pinion::waker::testing {
namespace {

constexpr sim::limits usual{.executions_max = 60'000, .random_executions = 20'000};

template <unsigned Defects>
sim::exploration explored(int senders, int each) {
  using inbox = p5_inbox<sim::explored_sync, Defects>;
  sim::exploration found =
      sim::explore(letters_to_a_sleeper<sim::explored_sync, inbox>(senders, each), usual);
  std::cout << found.executions << " executions: " << (found ? "nothing broke" : found.violation) << '\n';
  return found;
}

void expect_lost_wake(const sim::exploration& found) {
  EXPECT_EQ(found.violation.rfind("lost wake", 0), 0U) << found.report();
}

TEST(p5, WithoutItsDefectsNothingBreaksWithinTheBounds) {
  using inbox = p5_inbox<sim::explored_sync, as_it_should_be>;
  const auto from = [](int senders, int each) {
    return letters_to_a_sleeper<sim::explored_sync, inbox>(senders, each);
  };

  EXPECT_EQ(sim::testing::what_breaks_to_the_end("three from one", from(1, 3), 3), "");
  EXPECT_EQ(sim::testing::what_breaks_to_the_end("two each from two", from(2, 2), 2), "");
}

TEST(p5, NeverAsksAgainAndSoIsNotifiedOnce) { expect_lost_wake(explored<never_asks_again>(1, 2)); }

TEST(p5, CountsAfterPushingAndSoWraps) { expect_lost_wake(explored<counts_after_pushing>(2, 1)); }

TEST(p5, LooksWithoutAFenceAndSoBothMiss) { expect_lost_wake(explored<looks_without_fence>(1, 1)); }

TEST(p5, DropsTheOldestOnOverflow) { expect_lost_wake(explored<drops_on_overflow>(3, 1)); }

}  // namespace
}  // namespace pinion::waker::testing
