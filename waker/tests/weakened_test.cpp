// SPDX-License-Identifier: Apache-2.0
//
// Every order that the inboxes write down, made weaker one at a time: the explorer has to see each.
//
// What it can't see stands in a list with the reason why the order is written all the same.
#include <gtest/gtest.h>

#include <iostream>
#include <map>

#include "explored_scenarios.hpp"
#include "sanitized.hpp"
#include "weakening_sync.hpp"

namespace pinion::waker::testing {
namespace {

constexpr sim::limits usual{.executions_max = 60'000, .random_executions = 10'000};

using reasons = std::map<std::string, const char*>;

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
  for (const auto& each : what) {
    const sim::exploration found = sim::explore(each.what, usual);
    ASSERT_TRUE(found) << each.name << ":\n" << found.report();
  }
  const std::vector<order_site> sites = Sync::state.sites;
  std::size_t met = 0;
  for (const weakening& w : weakenings(sites)) {
    const std::string name = name_of(w, sites);
    std::string violation;
    Sync::state.in_force = &w;
    for (const auto& each : what) {
      violation = sim::explore(each.what, usual).violation;
      if (violation.empty()) continue;
      violation = std::string{each.name} + ": " + violation;
      break;
    }
    Sync::state.in_force = nullptr;
    std::cout << "mutant " << name << (violation.empty() ? ": not seen" : ", killed by ") << violation
              << '\n';
    const auto reason = invisible.find(name);
    met += reason != invisible.end() ? 1U : 0U;
    if (reason == invisible.end()) {
      EXPECT_FALSE(violation.empty()) << name << " was not seen";
    } else {
      EXPECT_TRUE(violation.empty()) << name << " is not invisible: " << violation;
    }
  }
  EXPECT_EQ(met, invisible.size()) << "the list of what can't be seen names an order that is not there";
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
