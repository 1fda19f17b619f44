// SPDX-License-Identifier: Apache-2.0
//
// Which allocator a thread uses, and from which one a frame came.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <pinion/base/assert.hpp>
#include <pinion/scheduler/frames/slab_frames.hpp>
#include <pinion/scheduler/frames/use_frames.hpp>

namespace pinion::scheduler::inline PINION_MODE {

namespace {

using slab = frames_detail::slab_heap<std_sync, frames_detail::kernel_memory>;

// What the calling thread uses, and the same where that is slab_frames, the default. Found by one addition in
// a shared library too.
[[gnu::tls_model("initial-exec")]] thread_local constinit frame_origin* used = nullptr;
[[gnu::tls_model("initial-exec")]] thread_local constinit slab* used_slab = nullptr;

slab* slab_of(frame_origin* origin) noexcept {
  return origin != nullptr && origin->is_slab() ? static_cast<slab*>(origin) : nullptr;
}

// Behind each frame: where it came from. At its end, so that the frame keeps its alignment; not in front,
// which would take 16 bytes.
//   even   the slab at this address
//   1      malloc
//   odd    the origin at this address less one
constexpr std::size_t tail_bytes = sizeof(std::uintptr_t);

void* ended(void* frame, std::size_t bytes, std::uintptr_t tail) noexcept {
  std::memcpy(static_cast<std::byte*>(frame) + bytes, &tail, tail_bytes);
  return frame;
}

[[gnu::noinline]] void* allocate_otherwise(std::size_t bytes) {
  const std::size_t all = bytes + tail_bytes;
  if (used_slab != nullptr)
    return ended(used_slab->allocate_slowly(all), bytes, reinterpret_cast<std::uintptr_t>(used_slab));
  return ended(used != nullptr ? used->allocate(all) : ::operator new(all), bytes,
               reinterpret_cast<std::uintptr_t>(used) | 1U);
}

[[gnu::noinline]] void free_otherwise(void* frame, std::size_t bytes, std::uintptr_t tail) noexcept {
  const std::size_t all = bytes + tail_bytes;
  if (tail == 1) {
    ::operator delete(frame, all);
  } else {
    reinterpret_cast<frame_origin*>(tail - 1)->deallocate(frame, all);  // NOLINT(performance-no-int-to-ptr)
  }
}

}  // namespace

void* allocate_frame(std::size_t bytes) {
  if (slab* const from = used_slab; from != nullptr) [[likely]] {
    if (void* const frame = from->allocate_quickly(bytes + tail_bytes); frame != nullptr) [[likely]]
      return ended(frame, bytes, reinterpret_cast<std::uintptr_t>(from));
  }
  return allocate_otherwise(bytes);
}

void free_frame(void* frame, std::size_t bytes) noexcept {
  std::uintptr_t tail = 0;
  std::memcpy(&tail, static_cast<std::byte*>(frame) + bytes, tail_bytes);
  if ((tail & 1U) != 0) [[unlikely]]
    return free_otherwise(frame, bytes, tail);
  reinterpret_cast<slab*>(tail)->deallocate(frame, bytes + tail_bytes);  // NOLINT(performance-no-int-to-ptr)
}

use_frames::use_frames(frame_origin& origin) noexcept : mine_(&origin), before_(used) {
  used = mine_;
  used_slab = slab_of(used);
}

use_frames::~use_frames() {
  PINION_ASSERT(used == mine_, "a use_frames ended on another thread, or before one that was made after it");
  used = before_;
  used_slab = slab_of(used);
}

}  // namespace pinion::scheduler::inline PINION_MODE
