// SPDX-License-Identifier: Apache-2.0
//
// What other threads may read of a stationary_wheel while its owner works; runs under ThreadSanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <pinion/timer.hpp>
#include <thread>

namespace pinion::timer {
namespace {

TEST(stationary_wheel_threads, NowAndWorkerIdMayBeReadWhileTheOwnerPolls) {
  constexpr std::uint64_t last = 20'000;
  stationary_wheel<int> wheel{instant{1}, 9};
  std::atomic<bool> has_begun{false};
  bool went_back = false;
  bool was_another = false;
  std::thread reader{[&] {
    instant latest{0};
    while (latest < instant{last}) {
      const instant now = wheel.now_from_any_thread();
      went_back = went_back || now < latest;
      was_another = was_another || wheel.worker_id() != 9;
      latest = now;
      // Memory ordering: relaxed; it only makes sure that the two run at the same time.
      has_begun.store(true, std::memory_order_relaxed);
      std::this_thread::yield();  // a call that the compiler knows nothing of, so that each turn reads anew
    }
  }};
  while (!has_begun.load(std::memory_order_relaxed)) std::this_thread::yield();

  for (std::uint64_t now = 2; now <= last; ++now) {
    wheel.cancel(wheel.schedule(instant{now + 5}, 1));
    wheel.schedule(instant{now}, 2);
    wheel.poll(instant{now}, [](auto&&...) {});
  }
  reader.join();

  EXPECT_FALSE(went_back);
  EXPECT_FALSE(was_another);
  EXPECT_EQ(wheel.now_from_any_thread(), wheel.now());
}

TEST(stationary_wheel_threads, WhatOthersReadIsTheLatestNow) {
  stationary_wheel<int> wheel{instant{100}};

  wheel.poll(instant{200}, 0, [](auto&&...) {});
  EXPECT_EQ(wheel.now_from_any_thread(), instant{100}) << "a budget of 0 does not move the clock";
  wheel.poll(instant{200}, [](auto&&...) {});
  wheel.poll(instant{150}, [](auto&&...) {});

  EXPECT_EQ(wheel.now_from_any_thread(), instant{200}) << "nor does a time that goes back";
}

}  // namespace
}  // namespace pinion::timer
