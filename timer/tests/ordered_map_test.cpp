// SPDX-License-Identifier: Apache-2.0
//
// What ordered_map adds to the laws: refusals with a reason, the strong guarantee, and values that come back
// to the store from their destructors.
#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <pinion/timer.hpp>
#include <string>
#include <utility>
#include <vector>

#include "allocations.hpp"

namespace pinion::timer {
namespace {

TEST(ordered_map, TrySchedulingForThePastIsRefusedAndKeepsTheValue) {
  ordered_map<std::unique_ptr<int>> store{instant{100}};
  auto value = std::make_unique<int>(7);

  const expected<handle> now = store.try_schedule(instant{100}, std::move(value));
  const expected<handle> ahead = store.try_schedule(instant{101}, std::move(value));

  ASSERT_FALSE(now);
  EXPECT_EQ(now.error(), errc::deadline_passed);
  EXPECT_TRUE(ahead);
  EXPECT_EQ(value, nullptr);
  EXPECT_EQ(store.size(), 1U);
}

TEST(ordered_map, TryCancelTellsAStaleHandleFromAForeignOne) {
  ordered_map<int> store{instant{0}};
  const handle h = store.schedule(instant{5}, 7);

  const expected<int> first = store.try_cancel(h);
  const expected<int> again = store.try_cancel(h);
  const expected<int> none = store.try_cancel(handle{});

  ASSERT_TRUE(first);
  EXPECT_EQ(*first, 7);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error(), errc::not_found);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error(), errc::invalid_handle);
}

TEST(ordered_map, SchedulingIsAllOrNothingWhenMemoryRunsOut) {
  // Each allocation that arming can make fails once, at every size at which a container grows.
  for (std::size_t population : {0U, 1U, 2U, 4U, 8U, 16U, 32U, 64U, 128U}) {
    for (std::size_t n = 1; n <= 4; ++n) {
      ordered_map<std::unique_ptr<int>> store{instant{0}};
      for (std::size_t k = 0; k < population; ++k) store.schedule(instant{k}, std::make_unique<int>(1));
      auto value = std::make_unique<int>(7);

      bool threw = false;
      testing::fail_allocation(n);
      try {
        store.schedule(instant{1'000}, std::move(value));
      } catch (const std::bad_alloc&) {
        threw = true;
      }
      testing::fail_allocation(0);

      EXPECT_EQ(threw, value != nullptr) << population << " timers, allocation " << n;
      EXPECT_EQ(store.size(), population + (threw ? 0 : 1));
      std::size_t fired = 0;
      store.poll(instant{1'000}, [&](handle, instant, std::unique_ptr<int>&& v) {
        if (v != nullptr) ++fired;
      });
      EXPECT_EQ(fired, population + (threw ? 0 : 1));
    }
  }
}

TEST(ordered_map, AValueMayComeBackToTheStoreFromItsDestructor) {
  struct canceller {
    ordered_map<std::shared_ptr<canceller>>* store;
    handle other;
    ~canceller() {
      store->cancel(other);
      store->schedule(instant{9}, nullptr);
    }
  };
  ordered_map<std::shared_ptr<canceller>> store{instant{0}};
  std::vector<handle> handles;
  for (std::size_t k = 0; k < 10; ++k) handles.push_back(store.schedule(instant{k}, nullptr));
  for (std::size_t k = 0; k < 10; ++k) {
    store.schedule(instant{k}, std::make_shared<canceller>(&store, handles[k]));
  }

  store.clear();

  EXPECT_EQ(store.size(), 10U) << "what the destructors armed is armed, everything else is gone";
}

TEST(ordered_map, ACheckedStoreRefusesToDieInsideItsOwnSink) {
  if (!is_checked) GTEST_SKIP() << "expects a contract violation: only in a checked build";
  EXPECT_DEATH(
      {
        auto store = std::make_unique<ordered_map<int>>(instant{0});
        store->schedule(instant{1}, 7);
        store->poll(instant{1}, [&](handle, instant, int&&) { store.reset(); });
      },
      "a store was destroyed inside its own sink");
}

}  // namespace
}  // namespace pinion::timer
