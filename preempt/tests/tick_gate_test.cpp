// SPDX-License-Identifier: Apache-2.0
//
// The gate without a thread: for whom it wakes a sleeper, and when nobody goes to sleep. What happens where
// two meet is explore_test's.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <pinion/preempt.hpp>
#include <utility>

namespace pinion::preempt {
namespace {

// A wait is what the test does meanwhile.
struct played_sync : std_sync {
  static inline std::function<void()> meanwhile;
  static inline int waits = 0;
  static inline int wakes = 0;

  static void futex_wait(const std::atomic<std::uint32_t>&, std::uint32_t, instant) {
    ++waits;
    meanwhile();
  }
  static void futex_wake(const std::atomic<std::uint32_t>&, std::uint32_t) { ++wakes; }
};

class TickGateTest : public ::testing::Test {
 protected:
  void SetUp() override { played_sync::waits = played_sync::wakes = 0; }

  // What it wakes for, asleep until then.
  void sleep_until(instant until, std::function<void()> meanwhile) {
    played_sync::meanwhile = std::move(meanwhile);
    gate_.wait(until, [](instant) { return true; });
  }

  basic_tick_gate<played_sync> gate_;
};

TEST_F(TickGateTest, WakesASleeperForAnEarlierEndAndForNoOther) {
  sleep_until(instant{100}, [this] {
    gate_.opened(instant{100});
    EXPECT_EQ(played_sync::wakes, 0);
    gate_.opened(instant{99});
    EXPECT_EQ(played_sync::wakes, 1);
  });
  sleep_until(never, [this] { gate_.opened(instant{100}); });

  EXPECT_EQ(played_sync::waits, 2);
  EXPECT_EQ(played_sync::wakes, 2);
}

TEST_F(TickGateTest, CallsNobodyWhoIsAwake) {
  sleep_until(never, [] {});

  gate_.opened(instant{0});

  EXPECT_EQ(played_sync::wakes, 0);
}

TEST_F(TickGateTest, LetsNobodySleepWhoWasCalledOrWouldSleepTooLong) {
  gate_.call();
  sleep_until(never, [] {});
  EXPECT_EQ(played_sync::waits, 0) << "called before";

  gate_.wait(instant{100}, [](instant until) { return until != instant{100}; });
  EXPECT_EQ(played_sync::waits, 0) << "an end comes before that";

  sleep_until(instant{100}, [] {});
  EXPECT_EQ(played_sync::waits, 1);
}

}  // namespace
}  // namespace pinion::preempt
