// SPDX-License-Identifier: Apache-2.0
//
// Entries of slab_wheel while polls with a budget lag behind: what waits to be served is a bucket no longer,
// and its garbage is bounded all the same.
#include <gtest/gtest.h>

#include <pinion/timer.hpp>
#include <string>
#include <vector>

#include "scenario.hpp"

namespace pinion::timer {
namespace {

constexpr auto ignore = [](auto&&...) {};
constexpr instant end_of_time{never.ns - 1};

/// Levels of which most of time lies beyond the last.
using few_digits = slab_wheel<int, nested_levels<1'000, 4, 4, 4>>;

/// Drops no garbage until it must.
struct unpaced_digits : nested_levels<1'000, 8, 8, 8> {
  static constexpr compaction_pace pace{.looks = 0};
};
/// Look at everything each time a bucket needs a chunk.
struct hasty_digits : nested_levels<1'000, 8, 8, 8> {
  static constexpr compaction_pace pace{.chunks_spare = ~std::size_t{0}};
};
struct hasty_rings : overlapping_levels {
  hasty_rings() : overlapping_levels(level_geometry{}) {}
  static constexpr compaction_pace pace{.chunks_spare = ~std::size_t{0}};
};

template <class Wheel>
class slab_wheel_backlog : public ::testing::Test {
 protected:
  // Whole pages of slots: a bound that is exceeded by part of them is exceeded.
  static constexpr std::size_t count = 40 * 1'024;
  static constexpr std::size_t entries_max = 2 * count + 256;

  /// Ticks of the finest level, and the beginning of the n-th.
  [[nodiscard]] duration ticks(std::uint64_t n) const { return timers.lateness_bound(duration{0}) * n; }
  [[nodiscard]] instant tick(std::uint64_t n) const { return instant{0} + ticks(n); }

  void arm(instant deadline) { names.push_back(timers.schedule(deadline, static_cast<int>(names.size()))); }

  /// Moves all timers away, and then nearer and nearer, which leaves an entry behind each time. Says what
  /// does not hold meanwhile.
  [[nodiscard]] std::string moved_ever_nearer() {
    constexpr std::uint64_t far = 200'000;
    for (std::uint64_t round = 0; round < 12; ++round) {
      for (const handle h : names) {
        timers.reschedule(h, timers.now() + ticks(round == 0 ? far : 240 - 15 * round));
        if (timers.entries() > entries_max) return std::to_string(timers.entries()) + " entries";
      }
      if (std::string broken = timers.violated_invariant(); !broken.empty()) return broken;
    }
    return {};
  }

  /// Polls all that is left, and counts how often each fired.
  [[nodiscard]] bool each_has_fired_once() {
    timers.poll(end_of_time, sink());
    return fired == std::vector<int>(names.size(), 1) && timers.size() == 0;
  }
  auto sink() {
    fired.resize(names.size());
    return [this](handle, instant, int&& id) { ++fired[static_cast<std::size_t>(id)]; };
  }

  Wheel timers{instant{0}};
  std::vector<handle> names;
  std::vector<int> fired;
};

using wheels = ::testing::Types<deferred_wheel<int>, two_level_wheel<int>, stationary_wheel<int>, few_digits,
                                slab_wheel<int, unpaced_digits>>;
TYPED_TEST_SUITE(slab_wheel_backlog, wheels);

TYPED_TEST(slab_wheel_backlog, ThatGrowsByATimerEachPollTakesNoMoreRoomThanItsTimers) {
  std::size_t due = 0;

  for (std::uint64_t k = 1; k < 20'000; ++k) {
    this->timers.schedule(this->tick(k), 0);
    this->timers.schedule(this->tick(k), 0);
    due += 2 - this->timers.poll(this->tick(k), 1, ignore).fired;
  }

  EXPECT_EQ(this->timers.violated_invariant(), "");
#if PINION_COUNTED
  EXPECT_EQ(this->timers.statistics().compacted, 0U) << "or chunks were wasted";
#endif
  EXPECT_EQ(this->timers.size(), due);
  EXPECT_EQ(this->timers.poll(this->timers.now(), ignore).fired, due);
}

TYPED_TEST(slab_wheel_backlog, OfOneBucketKeepsNoGarbage) {
  for (std::size_t k = 0; k < this->count; ++k) this->arm(this->tick(10));
  this->timers.poll(this->tick(20), 1, this->sink());

  EXPECT_EQ(this->moved_ever_nearer(), "");

  EXPECT_TRUE(this->each_has_fired_once());
}

TYPED_TEST(slab_wheel_backlog, OfManyBucketsKeepsNoGarbage) {
  for (std::size_t k = 0; k < this->count; ++k) this->arm(this->tick(10 + k % 800));
  this->timers.poll(this->tick(900), 1, this->sink());

  EXPECT_EQ(this->moved_ever_nearer(), "");

  EXPECT_TRUE(this->each_has_fired_once());
}

TYPED_TEST(slab_wheel_backlog, OfArrivalsKeepsNoGarbage) {
  this->timers.poll(this->tick(10), ignore);
  for (std::size_t k = 0; k < this->count; ++k) this->arm(this->tick(5));
  this->timers.poll(this->tick(11), 1, this->sink());

  EXPECT_EQ(this->moved_ever_nearer(), "");

  EXPECT_TRUE(this->each_has_fired_once());
}

TYPED_TEST(slab_wheel_backlog, OfTheEndOfTimeKeepsNoGarbage) {
  for (std::size_t k = 0; k < this->count; ++k) this->arm(end_of_time);
  this->timers.poll(end_of_time, 1, this->sink());

  for (int round = 0; round < 6; ++round) {
    for (const handle h : this->names) {
      this->timers.reschedule(h, round % 2 == 0 ? never : end_of_time);
      ASSERT_LE(this->timers.entries(), this->entries_max);
    }
    ASSERT_EQ(this->timers.violated_invariant(), "");
  }

  EXPECT_TRUE(this->each_has_fired_once());
}

TYPED_TEST(slab_wheel_backlog, OfTheEndOfTimeComesBeforeWhatArrivesLater) {
  for (const bool is_compacted : {false, true}) {
    TypeParam wheel{instant{0}};
    for (int k = 0; k < 10; ++k) wheel.schedule(this->tick(5), 0);
    for (int k = 0; k < 100; ++k) wheel.schedule(end_of_time, 0);
    wheel.poll(end_of_time, 1, ignore);
    if (is_compacted) wheel.compact_all();
    wheel.schedule(instant{5}, 1);
    int before = 0;
    int so_far = 0;

    wheel.poll(end_of_time, [&](handle, instant, int&& is_newcomer) {
      if (is_newcomer == 1) before = so_far;
      ++so_far;
    });

    EXPECT_EQ(before, 109) << "compacted: " << is_compacted;
    EXPECT_EQ(so_far, 110);
  }
}

TYPED_TEST(slab_wheel_backlog, ThatIsGoneIsNoReasonToWakeUp) {
  for (const bool is_last : {false, true}) {
    constexpr std::size_t more_than_eight_chunks = 9 * 15 + 1;
    TypeParam wheel{instant{0}};
    std::vector<handle> second;
    if (!is_last) wheel.schedule(this->tick(200'000), 0);
    for (std::size_t k = 0; k < more_than_eight_chunks; ++k) wheel.schedule(this->tick(10), 1);
    for (std::size_t k = 0; k < more_than_eight_chunks; ++k)
      second.push_back(wheel.schedule(this->tick(11), 2));
    wheel.poll(this->tick(12), more_than_eight_chunks, ignore);
    for (const handle h : second) wheel.cancel(h);
    const instant before = wheel.next_wakeup();

    wheel.compact_all();

    EXPECT_GT(wheel.next_wakeup(), wheel.now());
    if (is_last) {
      EXPECT_EQ(before, never);
    }
    EXPECT_EQ(wheel.violated_invariant(), "");
  }
}

TYPED_TEST(slab_wheel_backlog, LosesNothingWhenASinkMovesEverythingThatWaits) {
  for (std::size_t k = 0; k < this->count; ++k) this->arm(this->tick(10 + k % 3));
  std::string broken;
  bool is_first = true;
  const auto sink = this->sink();

  this->timers.poll(this->tick(900), [&](handle h, instant deadline, int&& id) {
    sink(h, deadline, std::move(id));
    if (std::exchange(is_first, false)) broken = this->moved_ever_nearer();
  });

  EXPECT_EQ(broken, "");
  EXPECT_TRUE(this->each_has_fired_once());
}

TYPED_TEST(slab_wheel_backlog, LosesNothingToTimersThatMoveBetweenCutPolls) {
  testing::random_numbers random{7};
  for (std::size_t k = 0; k < this->count; ++k) this->arm(this->tick(1 + random.below(3'000)));
  const auto sink = this->sink();

  for (std::size_t round = 0; round < 300; ++round) {
    this->timers.poll(this->timers.now() + this->ticks(random.below(30)), 1 + random.below(40), sink);
    const std::uint64_t farthest = round % 3 == 0 ? 3 : 2'000;
    for (int k = 0; k < 3'000; ++k) {
      const handle h = this->names[random.below(this->count)];
      this->timers.reschedule(h, this->timers.now() + this->ticks(random.below(farthest)));
    }
    if (round % 50 == 0) {
      const std::string broken = this->timers.violated_invariant();
      ASSERT_EQ(broken, "");
    }
    ASSERT_LE(this->timers.entries(), this->entries_max);
  }

  EXPECT_TRUE(this->each_has_fired_once());
}

TEST(slab_wheel_pool, ThatHasNoChunkLeftIsRefilledFromGarbageInTheMiddleOfAnything) {
  constexpr std::size_t count = 300;
  slab_wheel<int, hasty_rings> timers{instant{0}};
  const duration tick = timers.lateness_bound(duration{0});
  testing::random_numbers random{3};
  const auto random_deadline = [&] {
    return timers.now() + tick * random.below(random.below(2) == 0 ? 4 : 3'000);
  };
  std::vector<handle> names;
  std::vector<int> fired(count);
  for (std::size_t k = 0; k < count; ++k) {
    names.push_back(timers.schedule(random_deadline(), static_cast<int>(k)));
  }

  for (int round = 0; round < 2'000; ++round) {
    timers.poll(timers.now() + tick * random.below(3), random.below(4), [&](handle, instant, int&& id) {
      ++fired[static_cast<std::size_t>(id)];
      for (int k = 0; k < 3; ++k) timers.reschedule(names[random.below(count)], random_deadline());
    });
    for (int k = 0; k < 6; ++k) timers.reschedule(names[random.below(count)], random_deadline());
    const std::string broken = timers.violated_invariant();
    ASSERT_EQ(broken, "") << "after round " << round;
  }
  timers.poll(end_of_time, [&](handle, instant, int&& id) { ++fired[static_cast<std::size_t>(id)]; });

  EXPECT_EQ(fired, std::vector<int>(count, 1));
}

TEST(slab_wheel_pool, ThatIsRefilledWhileArrivalsAreServedLeavesThoseOfThisPollToTheNext) {
  constexpr int count = 100;
  constexpr int fresh = 1'000;
  constexpr int far = 2'000;
  slab_wheel<int, hasty_digits> timers{instant{10'500}};
  for (int k = 0; k < count; ++k) timers.schedule(instant{11'000}, int{k});
  timers.poll(instant{11'500}, 1, ignore);
  for (int k = 0; k < count; ++k)
    timers.schedule(instant{11'400}, count + k);  // due, and in the middle of a tick
  std::size_t among_this_poll = 0;
  std::string broken;

  const poll_result first = timers.poll(instant{11'900}, [&](handle, instant, int&& id) {
    if (id >= fresh) ++among_this_poll;
    if (id < count) timers.schedule(instant{1}, int{fresh});
    if (id >= count)
      timers.schedule(instant{100'000} + duration{10'000} * static_cast<std::uint64_t>(id), int{far});
    if (broken.empty()) broken = timers.violated_invariant();
    if (timers.next_wakeup() > instant{11'400} && id < 2 * count - 1)
      broken = "it would oversleep an arrival";
  });
  const poll_result second = timers.poll(instant{11'900}, ignore);

  EXPECT_EQ(broken, "");
  EXPECT_EQ(first.fired, 2 * count - 1U);
  EXPECT_EQ(among_this_poll, 0U);
  EXPECT_EQ(second.fired, count - 1U);
  EXPECT_EQ(timers.size(), std::size_t{count});
}

TEST(slab_wheel_pool, ThatIsRefilledAtTheEndOfTimeFiresAllThatWaitedForIt) {
  constexpr std::size_t count = 100;
  slab_wheel<int, hasty_digits> timers{instant{0}};
  for (std::size_t k = 0; k < count; ++k) timers.schedule(end_of_time, 0);
  std::string broken;

  const poll_result first = timers.poll(end_of_time, [&](handle, instant, int&&) {
    timers.schedule(end_of_time, 1);
    if (broken.empty()) broken = timers.violated_invariant();
  });
  const poll_result second = timers.poll(end_of_time, ignore);

  EXPECT_EQ(broken, "");
  EXPECT_EQ(first.fired, count);
  EXPECT_EQ(second.fired, count);
}

}  // namespace
}  // namespace pinion::timer
