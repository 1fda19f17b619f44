// SPDX-License-Identifier: Apache-2.0
//
// frame_allocator: where the frames of an executor's tasks come from.
//
// An allocator has one owner, the thread that made it. The owner allocates; any thread frees. An executor
// calls collect() once a turn.
//
//   slab_frames frames;
//   void* const block = frames.allocate(200);      // the owner
//   frames.deallocate(block, 200);                 // any thread, with the size that was asked for
//   frames.collect();                              // the owner, once a turn
//
// A block may outlive its allocator. The allocator's origin lives as long as any block, and takes blocks
// back:
//
//   frame_origin& origin = frames.origin();        // kept beside the block
//   origin.deallocate(block, 200);                 // any thread, also when `frames` is gone
//
// The syntax is the concept at the end. What syntax cannot say is the laws; tests name the law they prove.
//
// F1  Memory. A block is aligned to alignof(std::max_align_t), has room for the bytes asked for, and overlaps
//     no other block in use. When memory can't be had, std::bad_alloc is thrown and nothing has changed.
// F2  Anywhere, at any time. A block may be freed on any thread, also after its allocator is gone. What the
//     thread did to the block before has happened before the block is handed out again. The memory of an
//     allocator that is gone stays until its last block comes back, and is given back then, on that thread.
// F3  No lock. Freeing on another thread takes no lock that the owner takes, where traits.takes_locks is
//     false.
// F4  Memory goes back. When most blocks were freed, turns_to_shrink calls of collect(), and one more for
//     each 64 KiB that were held, leave at most traits.reserve_bytes beyond the blocks in use, their unused
//     neighbours in a chunk, and the chunk of each size that blocks are taken from. Each call gives back one
//     chunk at most, beside what others freed.
// F5  No allocation for each task. An owner whose blocks in use stay below what they were before takes no
//     memory from the system, unless collect() gave memory back, or traits.allocates_each is set.
// F6  Counted. statistics() tells the blocks and bytes in use. A block that another thread freed may be
//     counted as in use until the next collect().
#pragma once

#include <pinion/config.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace pinion::scheduler {

/// What an allocator declares; the suite tests what is declared.
struct frame_traits {
  /// Each block is asked for from elsewhere: F5 does not hold.
  bool allocates_each = false;
  /// What it asks may take locks: F3 does not hold.
  bool takes_locks = false;
  /// What F4 leaves.
  std::size_t reserve_bytes = 0;
};

/// Calls of collect() after which what a burst has left is given back: F4.
inline constexpr std::uint32_t turns_to_shrink = 512;

/// What an allocator holds and has done.
struct frame_statistics {
  std::size_t bytes_held = 0;         ///< memory taken from the system and not given back
  std::size_t bytes_in_use = 0;       ///< of the blocks, rounded up to what each has taken
  std::size_t blocks = 0;             ///< in use, large ones too
  std::size_t chunks = 0;             ///< held, empty ones too
  std::size_t empty_chunks = 0;       ///< of these, the reserve
  std::size_t large_blocks = 0;       ///< in use; above the largest size of a chunk's blocks
  std::uint64_t chunks_taken = 0;     ///< from the system, since the beginning
  std::uint64_t frees_elsewhere = 0;  ///< by other threads, since the beginning
};

inline namespace PINION_MODE {

/// What blocks come from: outlives the allocator by as long as a block is in use. A base for allocators.
struct frame_origin {
  /// As a function of each allocator's. The first is the owner's.
  using allocate_call = void* (*)(frame_origin&, std::size_t);
  using deallocate_call = void (*)(frame_origin&, void*, std::size_t) noexcept;

  /// By these.
  constexpr frame_origin(allocate_call allocates, deallocate_call frees) noexcept
      : frame_origin(allocates, frees, false) {}
  frame_origin(const frame_origin&) = delete;
  frame_origin& operator=(const frame_origin&) = delete;

  /// The owner, while the allocator lives.
  [[nodiscard]] void* allocate(std::size_t bytes) { return allocate_(*this, bytes); }
  /// Any thread, any time. It may be the end of this object.
  void deallocate(void* block, std::size_t bytes) noexcept { deallocate_(*this, block, bytes); }
  /// Whether this is slab_frames's, whose functions need not be called by their addresses.
  [[nodiscard]] bool is_slab() const noexcept { return is_slab_; }

 protected:
  /// Whether it is slab_frames's. (Their addresses would not tell: a shared library has copies of its own.)
  constexpr frame_origin(allocate_call allocates, deallocate_call frees, bool is_slab) noexcept
      : allocate_(allocates), deallocate_(frees), is_slab_(is_slab) {}
  ~frame_origin() = default;

 private:
  allocate_call allocate_;
  deallocate_call deallocate_;
  bool is_slab_;
};

}  // namespace PINION_MODE

/// An allocator of blocks for frames. The thread that made it is the owner.
template <class Frames>
concept frame_allocator = requires(Frames& frames, const Frames& seen, void* block, std::size_t bytes) {
  { Frames::traits } -> std::convertible_to<frame_traits>;
  { frames.allocate(bytes) } -> std::same_as<void*>;                   // the owner; may throw std::bad_alloc
  { frames.deallocate(block, bytes) } noexcept -> std::same_as<void>;  // any thread
  { frames.origin() } noexcept -> std::same_as<frame_origin&>;         // any thread
  { frames.collect() } noexcept -> std::same_as<void>;                 // the owner, once a turn
  { frames.trim() } noexcept -> std::same_as<void>;  // the owner; gives back all that is empty
  { seen.statistics() } noexcept -> std::same_as<frame_statistics>;  // the owner
  // To another thread: the owner lets go, later the other one takes over.
  { frames.let_go() } noexcept -> std::same_as<void>;
  { frames.take_over() } noexcept -> std::same_as<void>;
};

}  // namespace pinion::scheduler
