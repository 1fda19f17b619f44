// SPDX-License-Identifier: Apache-2.0
//
// pmr_frames: each frame from a std::pmr::memory_resource of the program's.
//
//   std::pmr::synchronized_pool_resource pool;
//   pmr_frames frames{pool};
//   void* const block = frames.allocate(200);
//   frames.deallocate(block, 200);
//
// Blocks are given to the resource on the thread that frees them. So the resource must be one for several
// threads, unless every block is freed by the owner, and it must live longer than every block.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <pinion/scheduler/detail/counted_frames.hpp>

namespace pinion::scheduler::inline PINION_MODE {

namespace frames_detail {
struct by_resource {
  static constexpr frame_traits traits{.allocates_each = true, .takes_locks = true};
  void* allocate(std::size_t bytes) const { return resource->allocate(bytes); }
  void deallocate(void* block, std::size_t bytes, bool /*is_owner*/) const noexcept {
    resource->deallocate(block, bytes);
  }
  std::pmr::memory_resource* resource;
};
}  // namespace frames_detail

/// Laws F1, F2, F4 and F6 hold where the resource holds its part.
class pmr_frames : public frames_detail::counted_frames<frames_detail::by_resource> {
 public:
  /// From this resource. The calling thread is the owner.
  explicit pmr_frames(std::pmr::memory_resource& resource)
      : counted_frames(frames_detail::by_resource{&resource}) {}
};
static_assert(frame_allocator<pmr_frames>);

}  // namespace pinion::scheduler::inline PINION_MODE
