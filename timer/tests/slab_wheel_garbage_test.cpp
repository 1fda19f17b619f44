// SPDX-License-Identifier: Apache-2.0
//
// Entries of slab_wheel: what places none, how many there can be, and that dropping them loses no timer; over
// nested, cascading and stationary levels.
#include <gtest/gtest.h>

#include <pinion/timer.hpp>
#include <vector>

#include "scenario.hpp"

namespace pinion::timer {
namespace {

constexpr auto ignore = [](auto&&...) {};
constexpr instant end_of_time{never.ns - 1};

/// Levels of which most of time lies beyond the last.
using few_digits = slab_wheel<int, nested_levels<1'000, 4, 4, 4>>;

template <class Wheel>
class slab_wheel_garbage : public ::testing::Test {
 protected:
  static constexpr std::size_t count = 1'000;
  // One page of slots is made for them.
  static constexpr std::size_t entries_max = 2 * 1'024 + 256;

  /// Ticks of the finest level, and the beginning of the n-th.
  [[nodiscard]] duration ticks(std::uint64_t n) const { return timers.lateness_bound(duration{0}) * n; }
  [[nodiscard]] instant tick(std::uint64_t n) const { return instant{0} + ticks(n); }

  /// The k-th of twenty times, each before the bucket of the one before it, by every arithmetic here.
  [[nodiscard]] instant ever_nearer(std::uint64_t k) const { return tick(250 - 12 * k); }

  void arm(instant deadline) { names.push_back(timers.schedule(deadline, static_cast<int>(names.size()))); }

  /// Says what does not hold of the wheel now.
  void look(const char* when) {
    if (timers.entries() > entries_max) FAIL() << timers.entries() << " entries " << when;
    const std::string broken = timers.violated_invariant();
    if (!broken.empty()) FAIL() << broken << ' ' << when;
  }

  /// Polls all that is left, and counts how often each fired.
  [[nodiscard]] bool each_fires_once() {
    std::vector<int> fired(names.size());
    timers.poll(end_of_time, [&](handle, instant, int&& id) { ++fired[static_cast<std::size_t>(id)]; });
    return fired == std::vector<int>(names.size(), 1) && timers.size() == 0;
  }

  Wheel timers{instant{0}};
  std::vector<handle> names;
  testing::random_numbers random{1};
};

using wheels = ::testing::Types<deferred_wheel<int>, two_level_wheel<int>, stationary_wheel<int>, few_digits>;
TYPED_TEST_SUITE(slab_wheel_garbage, wheels);

TYPED_TEST(slab_wheel_garbage, PushingOnPlacesNothing) {
  this->arm(this->tick(200));

  for (std::uint64_t k = 0; k < 500; ++k) this->timers.reschedule(this->names[0], this->tick(201 + k));

  EXPECT_EQ(this->timers.entries(), 1U);
  EXPECT_EQ(this->timers.poll(instant{this->tick(700).ns - 1}, ignore).fired, 0U);
  EXPECT_TRUE(this->each_fires_once());
}

TYPED_TEST(slab_wheel_garbage, ATimeoutCancelledAndArmedAgainPlacesNothing) {
  handle h = this->timers.schedule(this->tick(200), 0);

  for (std::uint64_t k = 0; k < 500; ++k) {
    this->timers.cancel(h);
    h = this->timers.schedule(this->tick(201 + k), 0);
  }

  EXPECT_EQ(this->timers.entries(), 1U);
  EXPECT_EQ(this->timers.size(), 1U);
  EXPECT_EQ(this->timers.poll(instant{this->tick(700).ns - 1}, ignore).fired, 0U);
  EXPECT_EQ(this->timers.poll(end_of_time, ignore).fired, 1U);
}

TYPED_TEST(slab_wheel_garbage, IsBoundedWhenTimersGoNearAndFarWhileTheClockStands) {
  for (std::size_t k = 0; k < this->count; ++k) this->arm(this->tick(50'000));

  for (std::size_t k = 0; k < 60'000; ++k) {
    this->timers.reschedule(this->names[this->random.below(this->count)],
                            this->tick(1 + this->random.below(k % 2 == 0 ? 900 : 90'000)));
    ASSERT_LE(this->timers.entries(), this->entries_max);
    if (k % 500 == 0) this->look("after going near and far");
  }

  EXPECT_TRUE(this->each_fires_once());
}

TYPED_TEST(slab_wheel_garbage, IsBoundedWhenTimersArePulledForwardAgainAndAgain) {
  for (std::size_t k = 0; k < this->count; ++k) this->arm(this->tick(900));

  for (std::uint64_t k = 0; k < 20; ++k) {
    for (const handle h : this->names) this->timers.reschedule(h, this->ever_nearer(k));
    this->look("after pulling all forward");
  }

  EXPECT_GT(this->timers.entries(), this->count) << "or there was no garbage";
  EXPECT_TRUE(this->each_fires_once());
}

TYPED_TEST(slab_wheel_garbage, IsBoundedWithOneEntryInEachBucket) {
  for (std::size_t k = 0; k < this->count; ++k) this->arm(this->tick(2'000 + k));

  for (std::uint64_t by = 1; by < 40; ++by) {
    for (std::size_t k = 0; k < this->count; ++k) {
      this->timers.reschedule(this->names[k], this->tick(2'000 + (k * 7 + by * 13) % 1'000 - 45 * by));
    }
    this->look("after scattering");
  }

  EXPECT_TRUE(this->each_fires_once());
}

TYPED_TEST(slab_wheel_garbage, IsBoundedAmongWhatIsDueAndAtTheEndOfTime) {
  for (std::size_t k = 0; k < this->count; ++k) this->arm(this->tick(500));
  const instant places[] = {instant{0}, end_of_time, never, this->tick(400)};

  for (std::size_t k = 0; k < 40'000; ++k) {
    this->timers.reschedule(this->names[this->random.below(this->count)], places[this->random.below(4)]);
    ASSERT_LE(this->timers.entries(), this->entries_max);
    if (k % 500 == 0) this->look("among the due and the last");
  }
  for (const handle h : this->names) this->timers.reschedule(h, this->tick(400));

  EXPECT_TRUE(this->each_fires_once());
}

TYPED_TEST(slab_wheel_garbage, IsNoReasonToWakeUp) {
  const handle near = this->timers.schedule(this->tick(5), 0);
  const handle mid = this->timers.schedule(this->tick(300), 0);
  const handle far = this->timers.schedule(this->tick(900), 0);
  const instant with_near = this->timers.next_wakeup();
  this->timers.cancel(near);
  const instant without_near = this->timers.next_wakeup();
  this->timers.reschedule(far, this->tick(5));
  const instant with_far_near = this->timers.next_wakeup();
  this->timers.cancel(far);
  const instant again = this->timers.next_wakeup();
  this->timers.cancel(mid);

  EXPECT_EQ(with_near, this->tick(5));
  EXPECT_GT(without_near, this->tick(5));
  EXPECT_EQ(with_far_near, this->tick(5));
  EXPECT_EQ(again, without_near);
  EXPECT_EQ(this->timers.next_wakeup(), never);
  EXPECT_GT(this->timers.entries(), 0U) << "the entries are still there";
}

TYPED_TEST(slab_wheel_garbage, IsDroppedByCompactAllAndTimersAreNot) {
  for (std::size_t k = 0; k < 100; ++k) this->arm(this->tick(900));
  for (const handle h : this->names) this->timers.reschedule(h, this->tick(5));
  const handle extra = this->timers.schedule(this->tick(10), 0);
  this->timers.cancel(extra);
  const std::size_t before = this->timers.entries();

  this->timers.compact_all();
  const std::size_t after = this->timers.entries();
  this->timers.compact_all();

  EXPECT_EQ(before, 201U);
  EXPECT_EQ(after, 100U);
  EXPECT_EQ(this->timers.entries(), 100U);
  this->look("after compacting all");
  EXPECT_TRUE(this->each_fires_once());
}

TYPED_TEST(slab_wheel_garbage, IsDroppedByCompactAllInTheMiddleOfACompaction) {
  for (std::size_t k = 0; k < this->count; ++k) this->arm(this->tick(900));
  int times = 0;
  std::size_t last = 0;
  for (std::size_t k = 0; times < 20 && k < 20'000; ++k) {
    this->timers.reschedule(this->names[k % this->count], this->ever_nearer(k / this->count));
    // Fewer entries than before: a compaction has begun, and looked at a part.
    if (this->timers.entries() < last) {
      this->timers.compact_all();
      ++times;
      this->look("after compacting all in the middle of it");
    }
    last = this->timers.entries();
  }

  EXPECT_EQ(times, 20) << "or no compaction went on";
  EXPECT_TRUE(this->each_fires_once());
}

TYPED_TEST(slab_wheel_garbage, IsDroppedFromABucketThatAPollTakesInTheMiddleOfThat) {
  for (std::size_t more = 0; more < 120; more += 4) {
    TypeParam wheel{instant{0}};
    std::vector<handle> handles;
    wheel.schedule(this->tick(10), 0);
    wheel.schedule(this->tick(10), 0);
    for (int k = 0; k < 900; ++k) handles.push_back(wheel.schedule(this->tick(900), 1));
    std::size_t left = more;
    for (std::size_t k = 0, last = 0; left != 0 && k < 20'000; ++k) {
      wheel.reschedule(handles[k % 900], this->ever_nearer(k / 1'000));
      if (wheel.entries() < last || left != more) --left;
      last = wheel.entries();
    }

    wheel.poll(this->tick(950), 1, ignore);
    const std::string broken = wheel.violated_invariant();
    for (int k = 0; k < 100; ++k) handles.push_back(wheel.schedule(this->tick(2'000), 1));
    for (std::uint64_t k = 0; k < 3'000; ++k)
      wheel.reschedule(handles[900 + k % 100], this->tick(2'000 - 30 * (k / 100)));

    ASSERT_EQ(broken, "") << "after " << more << " more were moved";
    ASSERT_EQ(wheel.violated_invariant(), "");
    EXPECT_EQ(wheel.poll(end_of_time, ignore).fired, 1'001U);
  }
}

TYPED_TEST(slab_wheel_garbage, IsDroppedWhileBudgetsCutPollsShort) {
  for (std::size_t k = 0; k < this->count; ++k) this->arm(this->tick(900));
  std::vector<int> fired(this->count);
  const auto sink = [&](handle, instant, int&& id) { ++fired[static_cast<std::size_t>(id)]; };

  for (std::size_t round = 0; this->timers.size() != 0; ++round) {
    ASSERT_LT(round, 20'000U) << this->timers.size() << " timers are left";
    for (int k = 0; k < 100; ++k) {
      const instant ahead = this->timers.now() + this->ticks(1 + this->random.below(k % 2 == 0 ? 60 : 1'500));
      this->timers.reschedule(this->names[this->random.below(this->count)], ahead);
    }
    this->timers.poll(this->timers.now() + this->ticks(3 + this->random.below(10)), 40, sink);
    if (round % 7 == 0) this->look("after a poll cut short");
  }

  EXPECT_EQ(fired, std::vector<int>(this->count, 1));
}

TEST(slab_wheel_arrivals, SurviveACompactionThatTheirPollCutsShort) {
  // What arrives during a poll with a backlog is looked at by that poll and put back. A compaction may have
  // been at it.
  constexpr std::uint64_t tick = std::uint64_t{1} << 20;
  for (int more = 0; more < 120; more += 3) {
    deferred_wheel<int> timers{instant{100 * tick}};
    std::vector<handle> names;
    for (int k = 0; k < 400; ++k) timers.schedule(instant{105 * tick}, -1);
    for (int k = 0; k < 400; ++k) names.push_back(timers.schedule(instant{300 * tick}, int{k}));
    const auto leave_and_arrive = [&](std::size_t k) {
      timers.reschedule(names[k % 100 * 2], instant{(290 - k / 100) * tick});
      timers.reschedule(names[k % 100 * 2], instant{1});
    };
    timers.poll(instant{106 * tick}, 10, ignore);

    bool is_first = true;
    timers.poll(instant{106 * tick}, [&](handle, instant, int&&) {
      if (!std::exchange(is_first, false)) return;
      for (const handle h : names) timers.reschedule(h, instant{1});
      int left = more;
      for (std::size_t k = 0; left >= 0; ++k) {
        leave_and_arrive(k);
        if (timers.entries() >= 1'600) --left;
      }
    });
    const std::string after_poll = timers.violated_invariant();
    for (std::size_t k = 0; k < 3'000; ++k) leave_and_arrive(k);
    std::size_t fired = 0;
    timers.poll(instant{1'000 * tick}, [&](handle, instant, int&& id) { fired += id >= 0 ? 1U : 0U; });

    EXPECT_EQ(after_poll, "");
    ASSERT_EQ(fired, 400U) << "with " << more << " more arrivals after the compaction began";
  }
}

}  // namespace
}  // namespace pinion::timer
