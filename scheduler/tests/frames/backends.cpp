// SPDX-License-Identifier: Apache-2.0
//
// The list that a new allocator adds its name to: from there on every law holds for it.
#include <atomic>
#include <memory_resource>

#include "allocations.hpp"
#include "any_frames.hpp"

namespace pinion::scheduler::testing {
namespace {

// Memory ordering: relaxed; read by the thread that takes and gives, or after the others were joined.
constinit std::atomic<std::size_t> chunks_taken{0};
constinit std::atomic<std::size_t> chunks_given{0};
constinit std::atomic<bool> refuses_next{false};

#if PINION_WITH_JEMALLOC
struct counted_arena : frames_detail::jemalloc_arena {
  void* allocate(std::size_t bytes) const {
    if (refuses_next.exchange(false, std::memory_order_relaxed)) throw std::bad_alloc{};
    chunks_taken.fetch_add(1, std::memory_order_relaxed);
    return jemalloc_arena::allocate(bytes);
  }
  void deallocate(void* block, std::size_t bytes, bool is_owner) const noexcept {
    chunks_given.fetch_add(1, std::memory_order_relaxed);
    jemalloc_arena::deallocate(block, bytes, is_owner);
  }
};
struct counted_jemalloc_frames : frames_detail::counted_frames<counted_arena> {
  counted_jemalloc_frames() : counted_frames(counted_arena{}) {}
};
#endif

template <class Frames, class... Args>
frames_factory of(const char* name, Args*... args) {
  return {.name = name,
          .make = [=] { return std::make_unique<adapted<Frames>>(*args...); },
          .traits = Frames::traits};
}

}  // namespace

void* counted_memory::take_chunk() {
  if (refuses_next.exchange(false, std::memory_order_relaxed)) throw std::bad_alloc{};
  void* const chunk = frames_detail::kernel_memory::take_chunk();
  chunks_taken.fetch_add(1, std::memory_order_relaxed);
  return chunk;
}
void counted_memory::give_chunk(void* chunk) noexcept {
  chunks_given.fetch_add(1, std::memory_order_relaxed);
  frames_detail::kernel_memory::give_chunk(chunk);
}

std::size_t pieces_taken() noexcept {
  return chunks_taken.load(std::memory_order_relaxed) + pinion::testing::allocations_so_far();
}
std::size_t pieces_held() noexcept {
  return chunks_taken.load(std::memory_order_relaxed) - chunks_given.load(std::memory_order_relaxed) +
         pinion::testing::allocations_alive();
}
void refuse_next_piece(bool refuse) noexcept {
  refuses_next.store(refuse, std::memory_order_relaxed);
  pinion::testing::fail_allocation(refuse ? 1 : 0);
}

const std::vector<frames_factory>& backends() {
  static const std::vector<frames_factory> all{of<counted_slab_frames>("slab_frames"),
#if PINION_WITH_JEMALLOC
                                               of<counted_jemalloc_frames>("jemalloc_frames"),
#endif
                                               of<malloc_frames>("malloc_frames"),
                                               of<pmr_frames>("pmr_frames", std::pmr::new_delete_resource())};
  return all;
}

}  // namespace pinion::scheduler::testing
