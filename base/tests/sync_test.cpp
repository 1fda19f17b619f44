// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <pinion/base/sync.hpp>
#include <thread>
#include <type_traits>

namespace pinion {
namespace {

static_assert(std::is_same_v<std_sync::atomic<int>, std::atomic<int>>, "the seam is to cost nothing");
static_assert(sizeof(std_sync::plain<void*>) == sizeof(void*));
static_assert(!sync_traits<std::atomic<int>>);

TEST(std_sync, PlainKeepsWhatIsWrittenEvenIfItOnlyMoves) {
  std_sync::plain<std::unique_ptr<int>> shared;

  shared.write(std::make_unique<int>(3));
  *shared.modify() += 1;

  EXPECT_EQ(*shared.read(), 4);
}

TEST(std_sync, AnEventPostedBeforeTheWaitIsTakenOnce) {
  std_sync::event event;

  event.post();
  event.post();
  event.wait();

  EXPECT_FALSE(event.try_wait());
  event.post();
  EXPECT_TRUE(event.try_wait());
}

TEST(std_sync, AnEventHandsOverWhatWasWrittenBeforeIt) {
  constexpr int rounds = 1000;
  std_sync::event there;
  std_sync::event back;
  std_sync::plain<int> shared{0};

  std::thread other([&] {
    for (int round = 0; round < rounds; ++round) {
      there.wait();
      ++shared.modify();
      back.post();
    }
  });
  for (int round = 0; round < rounds; ++round) {
    ++shared.modify();
    there.post();
    back.wait();
  }
  other.join();

  EXPECT_EQ(shared.read(), 2 * rounds);
}

TEST(std_sync, AFutexWaitEndsAtOnceIfTheWordDiffersOrTheTimeHasPassed) {
  const std_sync::atomic<std::uint32_t> word{1};

  std_sync::futex_wait(word, 0, never);
  std_sync::futex_wait(word, 1, instant{0});

  EXPECT_EQ(word.load(std::memory_order_relaxed), 1U);  // reached: neither waits
}

TEST(std_sync, AFutexWakeEndsAWait) {
  std_sync::atomic<std::uint32_t> word{0};

  std::thread waker([&] {
    word.store(1, std::memory_order_release);
    std_sync::futex_wake(word, 1);
  });
  while (word.load(std::memory_order_acquire) == 0) std_sync::futex_wait(word, 0);
  waker.join();

  EXPECT_EQ(word.load(std::memory_order_relaxed), 1U);
}

}  // namespace
}  // namespace pinion
