// SPDX-License-Identifier: Apache-2.0
//
// Every order that the inboxes write down, made weaker one at a time: the explorer has to see each.
//
// What it can't see stands in a list with the reason why the order is written all the same.
#include <gtest/gtest.h>

#include <string>

#include "explored_scenarios.hpp"
#include "needed_orders.hpp"
#include "sanitized.hpp"
#include "weakening_sync.hpp"

namespace pinion::waker::testing {
namespace {

constexpr sim::limits usual{.executions_max = 60'000, .random_executions = 10'000};

using pinion::testing::is_sanitized;
using sim::testing::expect_each_order_is_needed;
using sim::testing::reasons;
using sim::testing::weakening_sync;

class weakened : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!is_checked)
      GTEST_SKIP() << "a mutant may break the ring itself: only a checked build says so before it crashes";
    if (is_sanitized) GTEST_SKIP() << "a sanitizer sees nothing here, and takes minutes";
  }
};

template <class Sync, class Inbox>
void expect_all_seen(int deepest, const reasons& invisible) {
  const auto what = scenarios<Sync, Inbox>(deepest);
  expect_each_order_is_needed<Sync>(
      [&what]() -> std::string {
        for (const auto& each : what) {
          const sim::exploration found = sim::explore(each.what, usual);
          if (!found) return std::string{each.name} + ": " + found.report();
        }
        return {};
      },
      invisible);
}

TEST_F(weakened, EachOrderOfTheTaggedInboxIsNeeded) {
  using sync = weakening_sync<struct tagged>;

  expect_all_seen<sync, basic_tagged_inbox<sync>>(3, {});
}

TEST_F(weakened, EachOrderOfTheBoundedInboxIsNeeded) {
  using sync = weakening_sync<struct bounded>;

  expect_all_seen<sync, basic_bounded_inbox<sync, 2>>(
      4, {{"chain: compare_exchange 1, acq_rel weakened to release",
           "matters where the same node is in the same cell again two laps after the look: more than three "
           "threads and "
           "these letters can bring about"}});
}

}  // namespace
}  // namespace pinion::waker::testing
