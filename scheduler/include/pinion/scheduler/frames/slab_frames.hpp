// SPDX-License-Identifier: Apache-2.0
//
// slab_frames: frames from chunks of one size each. The default.
//
// Sizes are the multiples of 64 bytes up to 1 KiB, each in chunks of 64 KiB, which a block finds by masking
// its address. Blocks are linked through themselves, so allocating and freeing are a few instructions each
// and touch the block, its chunk's 64 bytes and the allocator. A fresh chunk is carved page by page, so
// memory is touched when it is needed. What is larger than 1 KiB comes from operator new, and is counted.
//
//   slab_frames frames;
//   void* const block = frames.allocate(200);
//   frames.deallocate(block, 200);
//
// What other threads free they link into one list, by one compare-exchange; the owner takes it whole by one
// exchange.
//
// Chunks that are empty stay for a while, for any size: a load that goes up and down asks the kernel for
// nothing (F5). What was not needed for 256 turns goes back, one chunk a turn, but for four (F4). trim(),
// before a long sleep, gives back all.
//
// detail/slab_heap.hpp tells how, and argues the memory orders.
#pragma once

#include <cstddef>
#include <pinion/base/sync.hpp>
#include <pinion/scheduler/detail/slab_heap.hpp>
#include <pinion/scheduler/frames/concept.hpp>

namespace pinion::scheduler::inline PINION_MODE {

/// Over any sync_traits, and any source of memory.
template <sync_traits Sync, class Memory = frames_detail::kernel_memory>
class basic_slab_frames {
 public:
  /// Each law holds.
  static constexpr frame_traits traits{
      .reserve_bytes = frames_detail::slab_heap<Sync, Memory>::reserve_chunks * frames_detail::chunk_bytes};
  /// Blocks above this come from operator new.
  static constexpr std::size_t slab_bytes_max = frames_detail::slab_bytes_max;

  /// The calling thread is the owner. Holds no chunk yet.
  explicit basic_slab_frames(Memory memory = {}) : heap_(new heap(memory)) {}
  basic_slab_frames(const basic_slab_frames&) = delete;
  basic_slab_frames& operator=(const basic_slab_frames&) = delete;
  /// The owner, or any thread where there is none. Blocks in use stay good (F2).
  ~basic_slab_frames() { heap_->leave(); }

  /// The owner: room for so many bytes. Throws std::bad_alloc.
  [[nodiscard]] void* allocate(std::size_t bytes) { return heap_->allocate(bytes); }
  /// Any thread: what allocate() gave, with the same number of bytes.
  void deallocate(void* block, std::size_t bytes) noexcept { heap_->deallocate(block, bytes); }
  /// Takes blocks back like deallocate(), and lives until the last one came.
  [[nodiscard]] frame_origin& origin() noexcept { return *heap_; }

  /// The owner, once a turn: takes what other threads have freed, and gives at most one chunk back. A few
  /// instructions where there is nothing to do.
  void collect() noexcept { heap_->collect(); }
  /// The owner: gives back every chunk that is empty. Before a long sleep, or where memory is short.
  void trim() noexcept { heap_->trim(); }
  /// The owner: looks at each chunk.
  [[nodiscard]] frame_statistics statistics() const noexcept { return heap_->statistics(); }

  /// The owner: is no owner any more. Blocks may be freed meanwhile, on any thread.
  void let_go() noexcept { heap_->let_go(); }
  /// The calling thread is the owner now. It knows that the one before has let go.
  void take_over() noexcept { heap_->take_over(); }

 private:
  using heap = frames_detail::slab_heap<Sync, Memory>;
  heap* heap_;
};

/// The allocator that is shipped.
using slab_frames = basic_slab_frames<std_sync>;
static_assert(frame_allocator<slab_frames>);

}  // namespace pinion::scheduler::inline PINION_MODE
