// SPDX-License-Identifier: Apache-2.0
//
// malloc_frames: each frame by operator new. What executors do that have no allocator of their own, and what
// to take where a sanitizer is to watch each frame.
//
//   malloc_frames frames;
//   void* const block = frames.allocate(200);
//   frames.deallocate(block, 200);
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <pinion/scheduler/detail/counted_frames.hpp>

namespace pinion::scheduler::inline PINION_MODE {

namespace frames_detail {
struct by_operator_new {
  static constexpr frame_traits traits{.allocates_each = true, .takes_locks = true};
  // Some of them, jemalloc's, align a block to its size where that is smaller.
  static constexpr std::size_t at_least(std::size_t bytes) noexcept {
    return std::max(bytes, alignof(std::max_align_t));
  }
  static void* allocate(std::size_t bytes) { return ::operator new(at_least(bytes)); }
  static void deallocate(void* block, std::size_t bytes, bool /*is_owner*/) noexcept {
    ::operator delete(block, at_least(bytes));
  }
};
}  // namespace frames_detail

/// Laws F1, F2, F4 and F6 hold.
class malloc_frames : public frames_detail::counted_frames<frames_detail::by_operator_new> {
 public:
  /// The calling thread is the owner.
  malloc_frames() : counted_frames(frames_detail::by_operator_new{}) {}
};
static_assert(frame_allocator<malloc_frames>);

}  // namespace pinion::scheduler::inline PINION_MODE
