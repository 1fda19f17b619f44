// SPDX-License-Identifier: Apache-2.0
//
// jemalloc_frames: each frame from an arena of jemalloc's that the allocator has for itself. For programs
// that live on jemalloc already: its profiles and statistics tell the frames of each executor apart.
//
//   jemalloc_frames frames;
//   void* const block = frames.allocate(200);
//   frames.deallocate(block, 200);
//
// There in builds with PINION_WITH_JEMALLOC=ON. A program that links jemalloc may have all of its memory from
// there: Debian's library has malloc() and free() under their own names.
//
// The owner has a cache of its own, and takes and frees without a lock nearly always. Another thread that
// frees takes a lock of the arena. What is free goes back to the system when jemalloc thinks so (its
// `dirty_decay_ms`), or by trim(). The arena goes with the last block.
#pragma once

#include <cstddef>
#include <pinion/base/export.hpp>
#include <pinion/scheduler/detail/counted_frames.hpp>
#include <utility>

namespace pinion::scheduler::inline PINION_MODE {

namespace frames_detail {
/// An arena, and the cache of whoever owns it.
class PINION_EXPORT jemalloc_arena {
 public:
  static constexpr frame_traits traits{.allocates_each = true, .takes_locks = true};

  /// Throws std::bad_alloc where jemalloc has no more of them (4,094), or no memory.
  jemalloc_arena();
  jemalloc_arena(jemalloc_arena&& from) noexcept
      : arena_(std::exchange(from.arena_, none)), cache_(std::exchange(from.cache_, none)) {}
  jemalloc_arena& operator=(jemalloc_arena&&) = delete;
  /// No block is left.
  ~jemalloc_arena();

  void* allocate(std::size_t bytes) const;
  void deallocate(void* block, std::size_t bytes, bool is_owner) const noexcept;
  void trim() const noexcept;
  [[nodiscard]] unsigned number() const noexcept { return arena_; }

 private:
  static constexpr unsigned none = ~0U;
  [[nodiscard]] int flags(bool is_owner) const noexcept;
  unsigned arena_;
  unsigned cache_ = none;
};
}  // namespace frames_detail

/// Laws F1, F2, F4 and F6 hold.
class jemalloc_frames : public frames_detail::counted_frames<frames_detail::jemalloc_arena> {
 public:
  /// The calling thread is the owner. Throws std::bad_alloc.
  jemalloc_frames() : counted_frames(frames_detail::jemalloc_arena{}) {}
};
static_assert(frame_allocator<jemalloc_frames>);

}  // namespace pinion::scheduler::inline PINION_MODE
