// SPDX-License-Identifier: Apache-2.0
//
// Coroutine frames from an allocator, and what only slab_frames has.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <memory_resource>
#include <pinion/scheduler.hpp>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace pinion::scheduler {
namespace {

// A coroutine that stops at its beginning, and is destroyed by whoever has it.
struct held {
  struct promise_type : frame_allocated {
    held get_return_object() noexcept { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static std::suspend_always final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    static void unhandled_exception() noexcept { std::terminate(); }
  };
  std::coroutine_handle<promise_type> frame;
};

template <std::size_t Bytes>
held keeps(std::array<unsigned char, Bytes> what, bool* is_whole) {
  co_await std::suspend_always{};
  *is_whole = true;
  for (const unsigned char c : what) *is_whole = *is_whole && c == what.front();
}
template <std::size_t Bytes>
held keeps(unsigned char mark, bool* is_whole) {
  std::array<unsigned char, Bytes> what;
  what.fill(mark);
  return keeps(what, is_whole);
}

/// Ends it, and says whether it held what it was given.
void finish(held task) {
  task.frame.resume();
  task.frame.resume();
  task.frame.destroy();
}

bool is_mapped(void* chunk) { return ::msync(chunk, 4'096, MS_ASYNC) == 0; }
void* chunk_around(void* block) { return frames_detail::chunk_of(block).memory(); }

template <class Frames>
void expect_frames_of_every_size(Frames& frames) {
  bool is_whole[5] = {};
  {
    const use_frames here{frames};
    const held tasks[] = {keeps<1>(1, &is_whole[0]), keeps<40>(2, &is_whole[1]), keeps<500>(3, &is_whole[2]),
                          keeps<1'000>(4, &is_whole[3]), keeps<3'000>(5, &is_whole[4])};
    EXPECT_EQ(frames.statistics().blocks, 5U);
    for (const held& task : tasks) finish(task);
  }

  for (const bool is : is_whole) EXPECT_TRUE(is);
  EXPECT_EQ(frames.statistics().blocks, 0U);
}

TEST(use_frames, TakesFramesOfEverySizeFromTheSlab) {
  slab_frames frames;
  expect_frames_of_every_size(frames);
}
TEST(use_frames, TakesFramesOfEverySizeFromMalloc) {
  malloc_frames frames;
  expect_frames_of_every_size(frames);
}
TEST(use_frames, TakesFramesOfEverySizeFromAResource) {
  std::pmr::unsynchronized_pool_resource pool;
  pmr_frames frames{pool};
  expect_frames_of_every_size(frames);
}

TEST(use_frames, TakesFramesFromMallocWhereThereIsNoAllocator) {
  bool is_whole = false;

  finish(keeps<100>(1, &is_whole));

  EXPECT_TRUE(is_whole);
}

TEST(use_frames, GivesEachFrameBackToWhereItCameFrom) {
  bool is_whole[4] = {};
  slab_frames outer;
  malloc_frames inner;
  std::vector<held> tasks;

  tasks.push_back(keeps<100>(1, &is_whole[0]));
  {
    const use_frames here{outer};
    tasks.push_back(keeps<100>(2, &is_whole[1]));
    {
      const use_frames within{inner};
      tasks.push_back(keeps<100>(3, &is_whole[2]));
    }
    tasks.push_back(keeps<100>(4, &is_whole[3]));
    EXPECT_EQ(outer.statistics().blocks, 2U);
    EXPECT_EQ(inner.statistics().blocks, 1U);
    finish(tasks[2]);
    finish(tasks[0]);
  }
  finish(tasks[1]);
  finish(tasks[3]);

  for (const bool is : is_whole) EXPECT_TRUE(is);
  EXPECT_EQ(outer.statistics().blocks, 0U);
  EXPECT_EQ(inner.statistics().blocks, 0U);
}

TEST(use_frames, LetsFramesOutliveTheirAllocator) {
  bool is_whole[2] = {};
  std::vector<held> tasks;
  {
    slab_frames frames;
    const use_frames here{frames};
    tasks.push_back(keeps<100>(1, &is_whole[0]));
    tasks.push_back(keeps<2'000>(2, &is_whole[1]));
  }
  void* const chunk = chunk_around(tasks[0].frame.address());

  finish(tasks[1]);
  EXPECT_TRUE(is_mapped(chunk));
  std::thread{[&] { finish(tasks[0]); }}.join();

  EXPECT_FALSE(is_mapped(chunk));
  EXPECT_TRUE(is_whole[0] && is_whole[1]);
}

TEST(slab_frames, HoldsNothingBeforeItsFirstBlockAndOneChunkBehindIt) {
  slab_frames frames;
  EXPECT_EQ(frames.statistics().bytes_held, 0U);

  void* const block = frames.allocate(200);

  const frame_statistics seen = frames.statistics();
  EXPECT_EQ(seen.chunks, 1U);
  EXPECT_EQ(seen.chunks_taken, 1U);
  EXPECT_EQ(seen.bytes_in_use, 256U);
  EXPECT_EQ(seen.bytes_held, std::size_t{64} << 10);
  frames.deallocate(block, 200);
}

TEST(slab_frames, TakesWhatIsLargeFromElsewhereAndCountsIt) {
  slab_frames frames;

  void* const large = frames.allocate(slab_frames::slab_bytes_max + 1);
  void* const small = frames.allocate(slab_frames::slab_bytes_max);

  EXPECT_EQ(frames.statistics().large_blocks, 1U);
  EXPECT_EQ(frames.statistics().blocks, 2U);
  std::thread{[&] { frames.deallocate(large, slab_frames::slab_bytes_max + 1); }}.join();
  frames.collect();
  EXPECT_EQ(frames.statistics().large_blocks, 0U);
  EXPECT_EQ(frames.statistics().frees_elsewhere, 1U);
  frames.deallocate(small, slab_frames::slab_bytes_max);
}

TEST(slab_frames, GivesAnEmptyChunkToWhateverSizeAsksNext) {
  slab_frames frames;
  std::vector<void*> blocks(200);
  for (void*& block : blocks) block = frames.allocate(1'000);
  for (void* const block : blocks) frames.deallocate(block, 1'000);
  const frame_statistics before = frames.statistics();
  EXPECT_EQ(before.chunks, 4U);
  EXPECT_EQ(before.empty_chunks, 3U);

  void* const block = frames.allocate(64);

  EXPECT_EQ(frames.statistics().chunks_taken, before.chunks_taken);
  EXPECT_EQ(frames.statistics().empty_chunks, 2U);
  frames.deallocate(block, 64);
}

/// Blocks of 1 KiB, which are 62 a chunk.
struct chunks_of_blocks {
  static constexpr std::size_t each = 62;
  slab_frames& frames;
  std::vector<void*> blocks{};

  void take(std::size_t chunks) {
    for (std::size_t k = 0; k < chunks * each; ++k) blocks.push_back(frames.allocate(1'024));
  }
  void give(std::size_t chunks) {
    for (std::size_t k = 0; k < chunks * each; ++k) {
      frames.deallocate(blocks.back(), 1'024);
      blocks.pop_back();
    }
  }
  ~chunks_of_blocks() { give(blocks.size() / each); }
};
void turn_round(slab_frames& frames, std::size_t times) {
  for (std::size_t k = 0; k < times; ++k) frames.collect();
}

TEST(slab_frames, GivesBackWhatNoCycleOfALoadNeedsAndNothingElse) {
  slab_frames frames;
  chunks_of_blocks load{frames};
  load.take(40);
  load.give(40);

  for (int cycle = 0; cycle < 40; ++cycle) {
    load.take(30);
    turn_round(frames, 50);
    load.give(30);
    turn_round(frames, 50);
  }

  EXPECT_EQ(frames.statistics().chunks_taken, 40U);
  EXPECT_EQ(frames.statistics().chunks, 34U);  // those that a cycle takes, and the reserve
}

TEST(slab_frames, KeepsFourEmptyChunksAlsoWhereTheLoadRisesMeanwhile) {
  slab_frames frames;
  chunks_of_blocks load{frames};
  load.take(11);
  load.give(11);
  turn_round(frames, turns_to_shrink);
  EXPECT_EQ(frames.statistics().empty_chunks, 9U);  // the first of six that are to go is gone

  load.take(8);
  turn_round(frames, 6);

  EXPECT_EQ(frames.statistics().empty_chunks, 2U);
}

TEST(slab_frames, GivesEmptyChunksBackWhenItGoes) {
  void* last = nullptr;
  void* chunk = nullptr;
  frame_origin* origin = nullptr;
  {
    slab_frames frames;
    chunks_of_blocks load{frames};
    last = frames.allocate(100);
    origin = &frames.origin();
    load.take(3);
    chunk = chunk_around(load.blocks.front());
  }

  EXPECT_FALSE(is_mapped(chunk));
  EXPECT_TRUE(is_mapped(chunk_around(last)));
  origin->deallocate(last, 100);
}

TEST(slab_frames, CountsWhatItsNewOwnerFreesAsFreedHere) {
  slab_frames frames;
  void* const block = frames.allocate(100);
  void* const other = frames.allocate(100);

  frames.let_go();
  frames.deallocate(other, 100);
  frames.take_over();
  frames.deallocate(block, 100);
  frames.collect();

  EXPECT_EQ(frames.statistics().frees_elsewhere, 1U);
  EXPECT_EQ(frames.statistics().blocks, 0U);
}

TEST(slab_frames, UnmapsWhatItGivesBack) {
  slab_frames frames;
  void* const block = frames.allocate(200);
  void* const chunk = chunk_around(block);
  frames.deallocate(block, 200);
  EXPECT_TRUE(is_mapped(chunk));

  frames.trim();

  EXPECT_FALSE(is_mapped(chunk));
}

TEST(slab_frames, NeverPutsTwoChunksDescriptionsIntoOneSetOfACacheInARow) {
  slab_frames frames;
  std::vector<void*> blocks(200);
  for (void*& block : blocks) block = frames.allocate(1'000);
  std::array<int, 32> places{};

  for (void* const block : blocks)
    ++places[reinterpret_cast<std::uintptr_t>(&frames_detail::chunk_of(block)) % 2'048 / 64];

  int used = 0;
  for (const int here : places) used += here != 0 ? 1 : 0;
  EXPECT_EQ(used, 4);
  for (void* const block : blocks) frames.deallocate(block, 1'000);
}

class contracts : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!is_checked) GTEST_SKIP() << "contracts are checked in builds with PINION_ASSERT=ON";
    set_violation_handler(
        [](const contract_violation& v) { throw std::logic_error{std::string{v.meaning}}; });
  }
  void TearDown() override { set_violation_handler(nullptr); }
};

TEST_F(contracts, AForeignThreadMayNotAllocate) {
  malloc_frames frames;
  std::string meaning;

  std::thread{[&] {
    try {
      frames.deallocate(frames.allocate(100), 100);
    } catch (const std::logic_error& error) {
      meaning = error.what();
    }
  }}.join();

  EXPECT_EQ(meaning, "a frame was allocated on a thread that does not own the allocator");
}

}  // namespace
}  // namespace pinion::scheduler
