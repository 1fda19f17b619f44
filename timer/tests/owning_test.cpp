// SPDX-License-Identifier: Apache-2.0
//
// What owning adds to a store of hooks: values, handles, and values that come back to the store from their
// destructors.
#include <gtest/gtest.h>

#include <memory>
#include <pinion/timer.hpp>
#include <utility>
#include <vector>

#include "owning.hpp"

namespace pinion::timer::testing {
namespace {

constexpr auto ignore = [](auto&&...) {};
constexpr instant ms(std::uint64_t n) { return instant{n * 1'000'000}; }

template <class Value>
using store_of = owning_bitmap_wheel<Value>;

static_assert(timer_store<store_of<int>>);
static_assert(timer_store<store_of<std::unique_ptr<int>>>);
static_assert(store_of<int>::traits.allocates == allocation::beyond_reserve,
              "hooks never allocate, slots do");
static_assert(store_of<int>::traits.order == store_of<int>::hook_store::traits.order);

TEST(owning, HandsTheValueOverWithItsHandleAndDeadline) {
  store_of<std::unique_ptr<int>> store{instant{0}};
  const handle h = store.schedule(ms(5), std::make_unique<int>(7));
  int seen = 0;

  store.poll(ms(5), [&](handle name, instant deadline, std::unique_ptr<int>&& value) {
    EXPECT_EQ(name, h);
    EXPECT_EQ(deadline, ms(5));
    EXPECT_EQ(store.size(), 0U) << "the timer is gone when its sink is called";
    EXPECT_FALSE(store.cancel(h));
    seen = *value;
  });

  EXPECT_EQ(seen, 7);
}

TEST(owning, IsTheStoreOfHooksInAllElse) {
  store_of<int> store{ms(3)};
  const handle h = store.schedule(ms(5), 7);

  EXPECT_EQ(store.now(), ms(3));
  EXPECT_EQ(store.size(), store.hooks().size());
  EXPECT_EQ(store.next_wakeup(), store.hooks().next_wakeup());
  EXPECT_EQ(store.lateness_bound({}), store.hooks().lateness_bound({}));
  EXPECT_TRUE(store.reschedule(h, ms(9)));
  EXPECT_EQ(store.poll(ms(8), ignore).fired, 0U);
  EXPECT_EQ(store.cancel(h), 7);
  EXPECT_EQ(store.hooks().size(), 0U);
  EXPECT_EQ(store.next_wakeup(), never);
}

TEST(owning, AHookStaysWhereItIsAsTheStoreGrows) {
  store_of<std::size_t> store{instant{0}};
  std::vector<handle> names;
  for (std::size_t k = 0; k < 10'000; ++k) names.push_back(store.schedule(ms(1 + k % 1'000), std::size_t{k}));

  for (std::size_t k = 0; k < 10'000; k += 2) ASSERT_EQ(store.cancel(names[k]), k);
  std::size_t fired = 0;
  store.poll(ms(2'000), [&](handle h, instant, std::size_t&& k) {
    EXPECT_EQ(h, names[k]);
    EXPECT_EQ(k % 2, 1U);
    ++fired;
  });

  EXPECT_EQ(fired, 5'000U);
}

TEST(owning, ASlotIsUsedAgainAndItsOldHandleIsRefused) {
  store_of<int> store{instant{0}, {.generation_bits = 4}};
  const handle old = store.schedule(ms(5), 1);
  store.cancel(old);

  for (int k = 0; k < 100; ++k) {
    const handle h = store.schedule(ms(5), int{k});
    EXPECT_FALSE(store.reschedule(old, ms(1)));
    EXPECT_EQ(store.cancel(h), k);
  }

  EXPECT_EQ(store.retired(), 101U / 8);
}

TEST(owning, ASinkMayCancelWhatIsDueInTheSamePoll) {
  store_of<int> store{instant{0}};
  std::vector<handle> names;
  for (int k = 0; k < 10; ++k) names.push_back(store.schedule(ms(5), int{k}));
  std::size_t cancelled = 0;

  const poll_result did = store.poll(ms(5), [&](handle, instant, int&&) {
    for (const handle h : names) cancelled += store.cancel(h) ? 1U : 0U;
  });

  EXPECT_EQ(did.fired, 1U);
  EXPECT_EQ(cancelled, 9U);
}

TEST(owning, AValueMayComeBackToTheStoreFromItsDestructor) {
  struct canceller {
    store_of<std::shared_ptr<canceller>>* store;
    handle other;
    ~canceller() {
      store->cancel(other);
      store->schedule(ms(9), nullptr);
    }
  };
  store_of<std::shared_ptr<canceller>> store{instant{0}};
  std::vector<handle> names;
  for (int k = 0; k < 10; ++k) names.push_back(store.schedule(ms(5), nullptr));
  for (int k = 0; k < 10; ++k) {
    store.schedule(ms(5), std::make_shared<canceller>(&store, names[static_cast<std::size_t>(k)]));
  }

  store.clear();

  EXPECT_EQ(store.size(), 10U) << "what the destructors armed is armed, everything else is gone";
  EXPECT_EQ(store.poll(ms(9), ignore).fired, 10U);
}

TEST(owning, TheDestructorDestroysEveryValueWhereverItsHookIs) {
  const auto alive = std::make_shared<int>(0);
  {
    store_of<std::shared_ptr<int>> store{ms(1)};
    for (const instant when :
         {instant{0}, ms(5), ms(100'000), ms(std::uint64_t{1} << 31), never - duration{1}, never}) {
      store.schedule(when, std::shared_ptr<int>{alive});
    }
    EXPECT_EQ(alive.use_count(), 7);
  }

  EXPECT_EQ(alive.use_count(), 1);
}

}  // namespace
}  // namespace pinion::timer::testing
