// SPDX-License-Identifier: Apache-2.0
//
// A part that a task awaits where it makes it has no frame of its own where the compiler leaves it out: clang
// does, where it sees the part's body; g++ 12 does not.
#include <gtest/gtest.h>

#include <coroutine>
#include <cstddef>
#include <pinion/scheduler.hpp>

#include "sanitized.hpp"

namespace pinion::scheduler {
namespace {

using the_executor = scheduler::executor;

std::size_t frames_now() {
  return static_cast<the_executor&>(*executor_base::current()).frames().statistics().blocks;
}
task<std::size_t> yields() {
  co_await yield();
  const std::size_t count = frames_now();
  co_await yield();
  co_return count;
}
task<std::size_t> awaits() {
  const std::size_t count = co_await yields();
  co_return count;
}

#if defined(__clang__) && defined(__OPTIMIZE__)
constexpr bool leaves_frames_out = !pinion::testing::is_sanitized;
#else
constexpr bool leaves_frames_out = false;
#endif

TEST(elided_frames, APartIsPutIntoTheFrameThatAwaitsItWhereTheCompilerDoesThat) {
  const auto counts = [](std::size_t& one, std::size_t& two) -> task<> {
    const std::size_t before = frames_now();
    const std::size_t part = co_await yields();
    one = part - before;
    const std::size_t part_of_a_part = co_await awaits();
    two = part_of_a_part - before;
  };
  std::size_t one = 0, two = 0;
  the_executor loop;

  loop.run(counts(one, two));

  EXPECT_EQ(one, leaves_frames_out ? 0U : 1U);
  EXPECT_EQ(two, leaves_frames_out ? 0U : 2U);
}

}  // namespace
}  // namespace pinion::scheduler
