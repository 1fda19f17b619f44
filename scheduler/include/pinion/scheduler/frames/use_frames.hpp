// SPDX-License-Identifier: Apache-2.0
//
// use_frames, frame_allocated: coroutine frames from an allocator of frames.
//
// A promise that derives from frame_allocated has its frames from the allocator that the calling thread uses,
// or from malloc where it uses none. An executor holds a use_frames while it runs.
//
//   struct promise : frame_allocated {
//     task get_return_object() noexcept;
//     …
//   };
//
//   slab_frames frames;
//   const use_frames here{frames};
//   task t = work();                       // its frame lies in `frames`
//
// A frame may be destroyed on any thread, with or without a use_frames, also after its allocator is gone: the
// allocator's origin stands in 8 bytes behind the frame.
//
// A compiler that elides a frame (HALO) calls none of this. Frames are aligned to alignof(std::max_align_t),
// as the language has it: what a coroutine keeps that needs more is to be kept elsewhere.
#pragma once

#include <cstddef>
#include <pinion/base/export.hpp>
#include <pinion/scheduler/frames/concept.hpp>

namespace pinion::scheduler::inline PINION_MODE {

/// Room for a frame. Throws std::bad_alloc.
[[nodiscard]] PINION_EXPORT void* allocate_frame(std::size_t bytes);
/// Any thread: gives it back to where it came from; with the same number of bytes.
PINION_EXPORT void free_frame(void* frame, std::size_t bytes) noexcept;

/// While it lives, frames of the calling thread come from an allocator. The innermost one counts; they end in
/// the opposite order, on that thread.
class PINION_EXPORT use_frames {
 public:
  /// The calling thread owns `frames`, which stay until this ends.
  template <frame_allocator Frames>
  explicit use_frames(Frames& frames) noexcept : use_frames(frames.origin()) {}
  /// The same, of an allocator with this origin.
  explicit use_frames(frame_origin& origin) noexcept;
  use_frames(const use_frames&) = delete;
  use_frames& operator=(const use_frames&) = delete;
  /// The thread uses what it used before.
  ~use_frames();

 private:
  frame_origin* mine_;
  frame_origin* before_;
};

/// A base for promises.
struct frame_allocated {
  /// A frame's memory.
  [[nodiscard]] static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
  /// A frame's end.
  static void operator delete(void* frame, std::size_t bytes) noexcept { free_frame(frame, bytes); }
};

}  // namespace pinion::scheduler::inline PINION_MODE
