// SPDX-License-Identifier: Apache-2.0
//
// What stores count: in a build with PINION_STATISTICS=ON what they did, in another nothing, at no cost.
#include <gtest/gtest.h>

#include <pinion/timer.hpp>
#include <vector>

#include "owning.hpp"
#include "scenario.hpp"

namespace pinion::timer {
namespace {

template <class Store> concept has_statistics = requires(const Store& store) { store.statistics(); };

static_assert(has_statistics<ordered_map<int>> == is_counted);
static_assert(has_statistics<deferred_wheel<int>> == is_counted);
static_assert(has_statistics<stationary_wheel<int>> == is_counted);
static_assert(has_statistics<bitmap_wheel> == is_counted);

#if PINION_COUNTED

constexpr auto ignore = [](handle, instant, int&&) {};
constexpr std::uint64_t tick = std::uint64_t{1} << 20;

template <class Store>
class statistics : public ::testing::Test {};

using stores = ::testing::Types<ordered_map<int>, two_level_wheel<int>, stationary_wheel<int>,
                                overflow_wheel<int>, deferred_wheel<int>, testing::owning_bitmap_wheel<int>,
                                testing::owning_deferred_hook_wheel<int>>;
TYPED_TEST_SUITE(statistics, stores);

TYPED_TEST(statistics, EachTimerIsArmedStillOrWasCancelledOrHasFired) {
  testing::random_numbers random{1};
  TypeParam timers{instant{0}};
  std::vector<handle> names;
  std::uint64_t armed = 0;
  std::uint64_t fired = 0;
  std::uint64_t rescheduled = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t moved = 0;

  for (int k = 0; k < 20'000; ++k) {
    const instant later = timers.now() + random.any_length(36);
    const handle some = names.empty() ? handle{} : names[random.below(names.size())];
    switch (random.below(5)) {
    case 0:
    case 1:
      names.push_back(timers.schedule(later, int{k}));
      ++armed;
      break;
    case 2: cancelled += timers.cancel(some).has_value() ? 1U : 0U; break;
    case 3: rescheduled += timers.reschedule(some, later) ? 1U : 0U; break;
    default: {
      const poll_result did = timers.poll(timers.now() + random.any_length(30), 16, ignore);
      fired += did.fired;
      moved += did.moved;
    }
    }
  }
  const store_statistics before_clear = timers.statistics();
  const std::size_t left = timers.size();
  timers.clear();

  EXPECT_EQ(before_clear.scheduled, armed);
  EXPECT_EQ(before_clear.fired, fired);
  EXPECT_EQ(before_clear.cancelled, cancelled);
  EXPECT_EQ(before_clear.rescheduled, rescheduled);
  EXPECT_LE(before_clear.rescheduled_in_place, rescheduled);
  EXPECT_EQ(before_clear.scheduled, before_clear.fired + before_clear.cancelled + left);
  EXPECT_GE(before_clear.moved + before_clear.discarded, moved) << "compactions discard besides";
  EXPECT_EQ(timers.statistics().cancelled, cancelled + left);
  EXPECT_GT(fired, 100U) << "or the numbers prove nothing";
  EXPECT_GT(cancelled, 100U);
}

TEST(slab_wheel_statistics, TellWhatAPushOnAndWhatAPullForwardCost) {
  deferred_wheel<int> timers{instant{0}};
  const handle h = timers.schedule(instant{1'000 * tick}, 1);

  timers.reschedule(h, instant{2'000 * tick});
  timers.reschedule(h, instant{5 * tick});
  timers.poll(instant{2'000 * tick}, ignore);

  EXPECT_EQ(timers.statistics(),
            (store_statistics{
                .scheduled = 1, .rescheduled = 2, .rescheduled_in_place = 1, .fired = 1, .discarded = 1}));
}

TEST(slab_wheel_statistics, CountWhatIsPlacedAnewOnItsWayDown) {
  deferred_wheel<int> timers{instant{0}};
  timers.schedule(instant{70'000 * tick}, 1);

  timers.poll(instant{70'000 * tick}, ignore);

  EXPECT_EQ(timers.statistics(), (store_statistics{.scheduled = 1, .fired = 1, .moved = 2}));
}

TEST(slab_wheel_statistics, CountWhatCompactionsLookAtAndDrop) {
  deferred_wheel<int> timers{instant{0}};
  std::vector<handle> names;
  for (int k = 0; k < 100; ++k) names.push_back(timers.schedule(instant{1'000 * tick}, int{k}));
  for (const handle h : names) timers.reschedule(h, instant{5 * tick});

  timers.compact_all();

  EXPECT_EQ(timers.statistics().compacted, 200U);
  EXPECT_EQ(timers.statistics().discarded, 100U);
  EXPECT_EQ(timers.statistics().moved, 0U);
}

TEST(hook_wheel_statistics, CountAHookThatIsDestroyedAsCancelled) {
  bitmap_wheel timers{instant{0}};
  {
    bitmap_wheel::entry one;
    bitmap_wheel::entry other;
    timers.schedule(one, instant{1'000'000});
    timers.schedule(other, instant{9'000'000'000});
    timers.schedule(other, instant{9'500'000'000});

    timers.poll(instant{1'000'000});
  }

  EXPECT_EQ(timers.statistics(),
            (store_statistics{
                .scheduled = 2, .cancelled = 1, .rescheduled = 1, .rescheduled_in_place = 1, .fired = 1}));
}

#else

TEST(statistics, AreNoBytesWhereNothingIsCounted) {
  struct one_word {
    std::uint64_t word = 0;
  };
  struct with_counter {
    [[no_unique_address]] event_counter<store_statistics> events;
    std::uint64_t word = 0;
  };

  EXPECT_EQ(sizeof(with_counter), sizeof(one_word));
}

#endif

}  // namespace
}  // namespace pinion::timer
