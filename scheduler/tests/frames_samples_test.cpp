// SPDX-License-Identifier: Apache-2.0
//
// The samples of the headers, and what they claim.
#include <gtest/gtest.h>

#include <coroutine>
#include <exception>
#include <memory_resource>
#include <pinion/scheduler.hpp>
#include <utility>

namespace pinion::scheduler {
namespace {

TEST(frames_samples, TheOwnerAllocatesAndAnyThreadFrees) {
  slab_frames frames;
  void* const block = frames.allocate(200);  // the owner
  frames.deallocate(block, 200);             // any thread, with the size that was asked for
  frames.collect();                          // the owner, once a turn

  EXPECT_EQ(frames.statistics().blocks, 0U);
}

TEST(frames_samples, AnOriginTakesBlocksBack) {
  slab_frames frames;
  void* const block = frames.allocate(200);
  frame_origin& origin = frames.origin();  // kept beside the block
  origin.deallocate(block, 200);           // any thread, also when `frames` is gone

  EXPECT_EQ(frames.statistics().blocks, 0U);
}

TEST(frames_samples, TheSlabAndMalloc) {
  {
    slab_frames frames;
    void* const block = frames.allocate(200);
    frames.deallocate(block, 200);
    EXPECT_EQ(frames.statistics().bytes_in_use, 0U);
  }
  {
    malloc_frames frames;
    void* const block = frames.allocate(200);
    frames.deallocate(block, 200);
    EXPECT_EQ(frames.statistics().bytes_in_use, 0U);
  }
}

#if PINION_WITH_JEMALLOC
TEST(frames_samples, AnArenaOfJemallocs) {
  jemalloc_frames frames;
  void* const block = frames.allocate(200);
  frames.deallocate(block, 200);

  EXPECT_EQ(frames.statistics().bytes_in_use, 0U);
}
#endif

TEST(frames_samples, TheDefault) {
  default_frames frames;
  EXPECT_EQ(frames.statistics().blocks, 0U);
}

TEST(frames_samples, AResourceOfTheProgram) {
  std::pmr::synchronized_pool_resource pool;
  pmr_frames frames{pool};
  void* const block = frames.allocate(200);
  frames.deallocate(block, 200);

  EXPECT_EQ(frames.statistics().bytes_in_use, 0U);
}

struct task;
struct promise : frame_allocated {
  task get_return_object() noexcept;
  static std::suspend_always initial_suspend() noexcept { return {}; }
  static std::suspend_always final_suspend() noexcept { return {}; }
  static void return_void() noexcept {}
  static void unhandled_exception() noexcept { std::terminate(); }
};
struct task {
  using promise_type = promise;
  explicit task(std::coroutine_handle<promise> mine) noexcept : frame(mine) {}
  task(const task&) = delete;
  task& operator=(const task&) = delete;
  ~task() { frame.destroy(); }
  std::coroutine_handle<promise> frame;
};
task promise::get_return_object() noexcept {
  return task{std::coroutine_handle<promise>::from_promise(*this)};
}
// Not inlined, or the compiler may elide the frame.
[[gnu::noinline]] task work() { co_return; }

TEST(frames_samples, FramesOfCoroutines) {
  slab_frames frames;
  const use_frames here{frames};
  task t = work();  // its frame lies in `frames`

  EXPECT_EQ(frames.statistics().blocks, 1U);
  EXPECT_EQ(frames_detail::chunk_of(t.frame.address()).in_use(), 1U);
}

}  // namespace
}  // namespace pinion::scheduler
