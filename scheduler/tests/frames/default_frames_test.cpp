// SPDX-License-Identifier: Apache-2.0
//
// default_frames: it is what the build says, can be made of nothing, and is an allocator of frames.
#include <gtest/gtest.h>

#include <pinion/scheduler.hpp>
#include <string_view>
#include <type_traits>

namespace pinion::scheduler {
namespace {

#define PINION_NAME_OF_TOKEN(token) #token
#define PINION_NAME_OF(macro) PINION_NAME_OF_TOKEN(macro)
constexpr std::string_view chosen = PINION_NAME_OF(PINION_FRAMES_DEFAULT);

// Written out once more, so that a name that means another type is seen.
template <class Frames>
constexpr std::string_view name_of() {
  if constexpr (std::is_same_v<Frames, slab_frames>) return "slab_frames";
  if constexpr (std::is_same_v<Frames, malloc_frames>) return "malloc_frames";
  return "none of the option's values";
}
static_assert(name_of<default_frames>() == chosen);

// Whichever a build chooses, the option's other values would do, too.
template <class Frames>
constexpr bool may_be_chosen = frame_allocator<Frames> && std::is_default_constructible_v<Frames>;
static_assert(may_be_chosen<slab_frames> && may_be_chosen<malloc_frames>);

// What is no allocator of frames.
struct without_an_origin {
  static constexpr frame_traits traits{};
  void* allocate(std::size_t);
  void deallocate(void*, std::size_t) noexcept;
  void collect() noexcept;
  void trim() noexcept;
  [[nodiscard]] frame_statistics statistics() const noexcept;
  void let_go() noexcept;
  void take_over() noexcept;
};
struct whose_free_may_throw : malloc_frames {
  void deallocate(void* block, std::size_t bytes);
};
struct complete : without_an_origin {
  frame_origin& origin() noexcept;
};
static_assert(!frame_allocator<without_an_origin> && !frame_allocator<whose_free_may_throw>);
static_assert(frame_allocator<complete>);

TEST(default_frames, AreAllocatedAndFreed) {
  default_frames frames;
  void* const block = frames.allocate(100);
  EXPECT_EQ(frames.statistics().blocks, 1U);

  frames.deallocate(block, 100);

  EXPECT_EQ(frames.statistics().blocks, 0U);
}

}  // namespace
}  // namespace pinion::scheduler
