// SPDX-License-Identifier: Apache-2.0
//
// jemalloc_frames: frames lie in an arena of their executor's, which goes with the last of them.
#include <gtest/gtest.h>
#include <jemalloc/jemalloc.h>

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <pinion/scheduler.hpp>
#include <set>
#include <thread>
#include <vector>

namespace pinion::scheduler {
namespace {

unsigned arena_of(const void* block) {
  unsigned arena = ~0U;
  std::size_t size = sizeof arena;
  EXPECT_EQ(::mallctl("arenas.lookup", &arena, &size, &block, sizeof block), 0);
  return arena;
}

TEST(jemalloc_frames, EachAllocatorHasAnArenaOfItsOwn) {
  jemalloc_frames first, second;
  void* const one = first.allocate(100);
  void* const two = second.allocate(100);
  void* const again = first.allocate(100);
  const auto other = std::make_unique<int>(1);

  EXPECT_NE(arena_of(one), arena_of(two));
  EXPECT_EQ(arena_of(one), arena_of(again));
  EXPECT_NE(arena_of(one), arena_of(other.get()));

  for (void* const each : {one, again}) first.deallocate(each, 100);
  second.deallocate(two, 100);
}

TEST(jemalloc_frames, TheArenaGoesWithTheLastBlockWhoeverFreesIt) {
  std::optional<jemalloc_frames> frames{std::in_place};
  frame_origin& origin = frames->origin();
  void* const block = frames->allocate(1'000);
  const unsigned arena = arena_of(block);
  frames.reset();
  EXPECT_EQ(arena_of(block), arena) << "it is there";

  std::thread{[&] { origin.deallocate(block, 1'000); }}.join();

  // jemalloc gives the number of an arena that is gone to the next one.
  jemalloc_frames next;
  void* const again = next.allocate(10);
  EXPECT_EQ(arena_of(again), arena);
  next.deallocate(again, 10);
}

TEST(jemalloc_frames, ThousandsComeAndGoOneAfterTheOther) {
  for (int k = 0; k != 10'000; ++k) {
    jemalloc_frames frames;
    void* const block = frames.allocate(200);
    frames.deallocate(block, 200);
    frames.trim();
    ASSERT_EQ(frames.statistics().blocks, 0U);
  }
}

TEST(jemalloc_frames, MoreThanThereCanBeAreRefused) {
  std::vector<std::unique_ptr<jemalloc_frames>> all;
  bool is_refused = false;
  while (!is_refused && all.size() != 5'000) {
    try {
      all.push_back(std::make_unique<jemalloc_frames>());
    } catch (const std::bad_alloc&) {
      is_refused = true;
    }
  }

  EXPECT_TRUE(is_refused);
  EXPECT_GT(all.size(), 4'000U);
  all.clear();
  EXPECT_NO_THROW(jemalloc_frames{});
}

struct parts : default_parts {
  using frames = jemalloc_frames;
};
task<> waits(int rounds, std::set<unsigned>& arenas) {
  arenas.insert(arena_of(&rounds));  // it is in the frame
  for (; rounds != 0; --rounds) co_await yield();
  co_await sleep_for(std::chrono::microseconds{10});
}

TEST(jemalloc_frames, AreTheFramesOfAnExecutor) {
  std::set<unsigned> arenas;
  basic_executor<parts> loop;
  const auto spawns = [](basic_executor<parts>& by, std::set<unsigned>& all) -> task<std::size_t> {
    for (int k = 0; k != 1'000; ++k) spawn(waits(k % 5, all)).detach();
    co_return by.frames().statistics().blocks;
  };
  const std::size_t blocks = loop.run(spawns(loop, arenas));
  loop.run();

  void* const one = loop.frames().allocate(100);
  EXPECT_GE(blocks, 1'000U);
  EXPECT_EQ(arenas, std::set{arena_of(one)});
  loop.frames().deallocate(one, 100);
  EXPECT_EQ(loop.frames().statistics().blocks, 0U);
}

}  // namespace
}  // namespace pinion::scheduler
