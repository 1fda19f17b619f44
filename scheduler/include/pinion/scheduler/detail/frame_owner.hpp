// SPDX-License-Identifier: Apache-2.0
//
// What allocators of frames are made of: which thread owns one, and how many blocks an allocator that is gone
// still waits for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <pinion/base/assert.hpp>
#include <pinion/base/sync.hpp>

namespace pinion::scheduler::inline PINION_MODE::frames_detail {

/// A name of the calling thread, which no other living thread has. One instruction.
[[nodiscard]] inline std::uintptr_t this_thread() noexcept {
  return reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
}

/// The thread that owns an allocator, or none.
///
/// Memory ordering: relaxed. is_here() is right on every thread, whatever value it reads: only the thread
/// itself writes its own name, and takes that back by let_go(). So a thread that owns reads its name, and
/// another thread reads anything but its own. A thread that takes over has been told by the one before, and
/// sees what it did.
template <sync_traits Sync>
class basic_frame_owner {
 public:
  /// The calling thread.
  basic_frame_owner() noexcept { Sync::name(thread_, "owner"); }

  /// Whether the calling thread owns.
  [[nodiscard]] bool is_here() const noexcept {
    return thread_.load(std::memory_order_relaxed) == this_thread();
  }
  /// The owner: nobody owns from now on.
  void let_go() noexcept {
    PINION_ASSERT(is_here(), "an allocator of frames was let go by a thread that does not own it");
    thread_.store(0, std::memory_order_relaxed);
  }
  /// The calling thread owns from now on. Nobody did.
  void take_over() noexcept {
    PINION_ASSERT(thread_.load(std::memory_order_relaxed) == 0,
                  "an allocator of frames was taken over that has an owner: call let_go() there first");
    thread_.store(this_thread(), std::memory_order_relaxed);
  }

 private:
  typename Sync::template atomic<std::uintptr_t> thread_{this_thread()};
};

/// How many blocks are out, once the allocator is gone; before, the owner counts by itself.
///
/// The count is below one while the allocator lives, since blocks that come back are taken off it. leave()
/// adds all that were ever out. So only a block that comes back after leave() can find one.
///
/// Memory ordering: acq_rel. All are read-modify-writes of one word, so the thread that brings it to zero has
/// seen all that the others did before: their last use of their blocks, and what the owner has left.
template <sync_traits Sync>
class basic_orphan_count {
 public:
  /// None.
  basic_orphan_count() noexcept { Sync::name(left_, "blocks left"); }

  /// Any thread: a block came back. True: it was the last one, and the allocator is gone.
  [[nodiscard]] bool give_back() noexcept { return left_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  /// The owner, once: it leaves, with so many blocks out, counting those that came by give_back(). True: none
  /// is out.
  [[nodiscard]] bool leave(std::int64_t blocks) noexcept {
    return left_.fetch_add(blocks, std::memory_order_acq_rel) + blocks == 0;
  }
  /// How many came by give_back() before leave(). A look.
  [[nodiscard]] std::uint64_t given_back() const noexcept {
    return static_cast<std::uint64_t>(-left_.load(std::memory_order_relaxed));
  }

 private:
  typename Sync::template atomic<std::int64_t> left_{0};
};

}  // namespace pinion::scheduler::inline PINION_MODE::frames_detail
