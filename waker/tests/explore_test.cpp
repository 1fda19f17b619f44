// SPDX-License-Identifier: Apache-2.0
//
// The shipped inboxes under every interleaving of two or three threads, with every stale value that their orders allow.
//
// What each exploration went through is printed: executions, whether that was all within the limits, and the longest one.
#include <gtest/gtest.h>

#include <iostream>
#include <pinion/sim/explored_sync.hpp>

#include "explored_scenarios.hpp"

namespace pinion::waker::testing {
namespace {

using sim::explored_sync;

constexpr sim::limits usual{.executions_max = 60'000, .random_executions = 10'000};

template <class Inbox>
void expect_nothing_breaks(const char* inbox, int deepest) {
  for (const auto& each : scenarios<explored_sync, Inbox>(deepest)) {
    const sim::exploration found = sim::explore(each.what, usual);
    std::cout << inbox << ", " << each.name << ": " << found.executions << " executions, "
              << (found.is_complete ? "complete" : "not complete") << ", longest " << found.longest << '\n';
    EXPECT_TRUE(found) << each.name << ":\n" << found.report();
  }
}

TEST(explored, NothingBreaksATaggedInbox) {
  expect_nothing_breaks<basic_tagged_inbox<explored_sync>>("tagged_inbox", 3);
}

TEST(explored, NothingBreaksABoundedInbox) {
  expect_nothing_breaks<basic_bounded_inbox<explored_sync, 2>>("bounded_inbox<2>", 4);
}

}  // namespace
}  // namespace pinion::waker::testing
