// SPDX-License-Identifier: Apache-2.0
//
// slab_heap: all of slab_frames that lives as long as its blocks.
//
// Of each size one chunk is taken from: its list of free blocks is the fast path. When it is used up it is
// full and in no list; its first block that comes back makes it one of the partial ones, from which the next
// one to take from comes. A chunk whose last block comes back is one of the empty ones, for any size. Its
// list of free blocks is whole then, and serves on where the size is the same.
//
//   empty --> taken --> full --> partial --> taken, or empty
//
// What other threads free waits in one list, `returned_`, until the owner takes it whole: when a size has no
// free block, and once a turn. A large block waits there too, so that the word of that list is all that two
// threads share.
//
// When the allocator goes, it closes the list by a tag. From then on each block that comes back is counted,
// and the last one takes all memory with it.
//
// Memory ordering, of `returned_`. A free elsewhere: compare_exchange release; the block's link, and what the
// thread did to the block, are before the owner's next use of it. Later frees are read-modify-writes and
// continue the release sequence, so the owner's one acquire sees every block below. On failure relaxed: a
// pointer is only linked, a tag only compared. take_returned: exchange acquire, and so in leave(), which
// publishes by its count (basic_orphan_count). Blocks are only taken all at once, so there is no ABA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <pinion/base/assert.hpp>
#include <pinion/base/sync.hpp>
#include <pinion/scheduler/detail/frame_owner.hpp>
#include <pinion/scheduler/detail/slab_chunk.hpp>
#include <pinion/scheduler/frames/concept.hpp>
#include <type_traits>

namespace pinion::scheduler::inline PINION_MODE::frames_detail {

template <sync_traits Sync, class Memory>
class slab_heap final : public frame_origin {
 public:
  static constexpr std::size_t reserve_chunks = 4;

  explicit slab_heap(Memory memory = {}) noexcept
      : frame_origin(allocate_of, deallocate_of,
                     std::is_same_v<Sync, std_sync> && std::is_same_v<Memory, kernel_memory>),
        memory_(memory) {
    Sync::name(returned_, "returned");
    Sync::name(all_, "all chunks");
    for (slab_chunk*& chunk : taken_) chunk = &none_;
  }

  // As frame_allocator says.
  [[nodiscard]] void* allocate(std::size_t bytes) {
    void* const block = allocate_quickly(bytes);
    return block != nullptr ? block : allocate_slowly(bytes);
  }
  void deallocate(void* block, std::size_t bytes) noexcept {
    if (owner_.is_here()) [[likely]] {
      deallocate_here(block, bytes);
    } else {
      deallocate_elsewhere(block, bytes);
    }
  }
  void collect() noexcept {
    if (returned_.load(std::memory_order_relaxed) != nullptr) take_returned();
    if (++turns_ == turns_a_look) look_at_reserve();
    if (surplus_ != 0) [[unlikely]]
      give_one_back();
  }
  void trim() noexcept;
  [[nodiscard]] frame_statistics statistics() const noexcept;
  void let_go() noexcept { owner_.let_go(); }
  void take_over() noexcept { owner_.take_over(); }

  /// The two halves of allocate(): where a free block is at hand, else null; and elsewhere.
  [[nodiscard]] void* allocate_quickly(std::size_t bytes) noexcept {
    PINION_ASSERT(owner_.is_here(), "a frame was allocated on a thread that does not own the allocator");
    const std::size_t size = (bytes - 1) / size_step;
    if (size >= sizes) [[unlikely]]
      return nullptr;
    slab_chunk& chunk = *taken_[size];
    free_block* const block = chunk.free;
    if (block == nullptr) [[unlikely]]
      return nullptr;
    chunk.free = block->next;
    ++chunk.due;
    return block;
  }
  [[nodiscard, gnu::noinline]] void* allocate_slowly(std::size_t bytes) {
    return bytes - 1 >= slab_bytes_max ? allocate_large(bytes) : refill((bytes - 1) / size_step);
  }
  /// The two halves of deallocate().
  void deallocate_here(void* block, std::size_t bytes) noexcept {
    if (bytes - 1 >= slab_bytes_max) [[unlikely]]
      return deallocate_large(block, bytes);
    slab_chunk& chunk = chunk_of(block);
    PINION_ASSERT(chunk.heap == this, "a frame was freed to an allocator that it did not come from");
    PINION_ASSERT((bytes - 1) / size_step == chunk.block_bytes / size_step - 1U,
                  "a frame was freed with another size than it was allocated with");
    chunk.free = new (block) free_block{chunk.free};
    if (--chunk.due == 0) [[unlikely]]
      move_on(chunk);
  }
  void deallocate_elsewhere(void* block, std::size_t bytes) noexcept;

  /// The owner, once and last: the allocator is gone. Whoever brings the last block back ends this object.
  void leave() noexcept;

 private:
  static constexpr std::uint32_t turns_a_look = turns_to_shrink / 2;

  /// What a block holds on its way to the owner.
  struct link {
    void* next;
    std::size_t bytes;
  };
  using returned_block = typename Sync::template plain<link>;
  static_assert(sizeof(returned_block) <= size_step);

  static void* allocate_of(frame_origin& self, std::size_t bytes) {
    return static_cast<slab_heap&>(self).allocate(bytes);
  }
  static void deallocate_of(frame_origin& self, void* block, std::size_t bytes) noexcept {
    static_cast<slab_heap&>(self).deallocate(block, bytes);
  }
  /// A block of no bytes is a large one, too, and has to hold a link.
  static std::size_t large_size(std::size_t bytes) noexcept { return bytes == 0 ? size_step : bytes; }
  void* closed() noexcept { return this; }  // a tag: no block lies here

  void* refill(std::size_t size);
  void* allocate_large(std::size_t bytes);
  [[gnu::noinline]] void deallocate_large(void* block, std::size_t bytes) noexcept;
  [[gnu::noinline]] void move_on(slab_chunk& chunk) noexcept;
  [[gnu::noinline]] void take_returned() noexcept;
  [[gnu::noinline]] void look_at_reserve() noexcept;
  [[gnu::noinline]] void give_one_back() noexcept;
  void join_partial(slab_chunk& chunk) noexcept;
  void leave_partial(slab_chunk& chunk) noexcept;
  void join_empty(slab_chunk& chunk) noexcept;
  slab_chunk& leave_empty() noexcept;
  slab_chunk& new_chunk();
  void give(slab_chunk& chunk) noexcept;
  void end() noexcept;

  /// A block of `bytes` that came by `returned_`: what it holds. It is as any block then.
  static link opened(void* block) noexcept {
    returned_block& here = *std::launder(static_cast<returned_block*>(block));
    const link result = here.read();
    here.~returned_block();
    return result;
  }

  // The owner's. What every thread that frees reads stands apart from what the owner writes often.
  basic_frame_owner<Sync> owner_;
  slab_chunk* taken_[sizes];
  alignas(64) std::uint32_t turns_ = 0;  // since the reserve was last looked at
  std::uint32_t surplus_ = 0;            // chunks of the reserve that are to go, one a turn
  std::uint32_t empty_count_ = 0;
  std::uint32_t empty_least_ = 0;  // the least since the reserve was last looked at
  slab_chunk* empty_ = nullptr;
  slab_chunk* partial_[sizes] = {};
  typename Sync::template plain<slab_chunk*> all_{nullptr};
  std::size_t large_blocks_ = 0;
  std::size_t large_bytes_ = 0;
  std::uint64_t chunks_taken_ = 0;
  std::uint64_t came_back_ = 0;
  [[no_unique_address]] Memory memory_;
  slab_chunk none_;  // taken, where no chunk is: has no free block, and never will

  // Everybody's: far from what the owner writes.
  alignas(64) typename Sync::template atomic<void*> returned_{nullptr};
  basic_orphan_count<Sync> orphans_;
};

// ---- Freeing elsewhere ----

template <sync_traits Sync, class Memory>
void slab_heap<Sync, Memory>::deallocate_elsewhere(void* block, std::size_t bytes) noexcept {
  void* seen = returned_.load(std::memory_order_relaxed);
  if (seen != closed()) {
    returned_block& here = *new (block) returned_block{link{seen, bytes}};
    do {
      here.write(link{seen, bytes});
      // When this has succeeded block and heap may be gone.
      if (returned_.compare_exchange_weak(seen, block, std::memory_order_release, std::memory_order_relaxed))
        return;
    } while (seen != closed());
    here.~returned_block();
  }
  if (bytes - 1 >= slab_bytes_max) memory_.give_large(block, large_size(bytes));
  if (orphans_.give_back()) end();
}

template <sync_traits Sync, class Memory>
void slab_heap<Sync, Memory>::take_returned() noexcept {
  void* block = returned_.exchange(nullptr, std::memory_order_acquire);
  while (block != nullptr) {
    const link from = opened(block);
    ++came_back_;
    deallocate_here(block, from.bytes);
    block = from.next;
  }
}

template <sync_traits Sync, class Memory>
void slab_heap<Sync, Memory>::leave() noexcept {
  if (!owner_.is_here()) owner_.take_over();
  trim();
  owner_.let_go();
  auto out = static_cast<std::int64_t>(statistics().blocks);
  void* block = returned_.exchange(closed(), std::memory_order_acquire);
  for (; block != nullptr; --out) {
    const link from = opened(block);
    if (from.bytes - 1 >= slab_bytes_max) memory_.give_large(block, large_size(from.bytes));
    block = from.next;
  }
  if (orphans_.leave(out)) end();
}

template <sync_traits Sync, class Memory>
void slab_heap<Sync, Memory>::end() noexcept {
  for (slab_chunk* chunk = all_.read(); chunk != nullptr;) {
    slab_chunk* const next = chunk->next_of_all;
    memory_.give_chunk(chunk->memory());
    chunk = next;
  }
  delete this;
}

// ---- The owner's slow paths ----

template <sync_traits Sync, class Memory>
void* slab_heap<Sync, Memory>::refill(std::size_t size) {
  slab_chunk* chunk = taken_[size];
  if (!chunk->carve() && returned_.load(std::memory_order_relaxed) != nullptr) take_returned();
  if (chunk->free == nullptr) {
    slab_chunk* next = partial_[size];
    if (next != nullptr) {
      leave_partial(*next);
    } else {
      next = empty_ != nullptr ? &leave_empty() : &new_chunk();
      if (next->block_bytes != (size + 1) * size_step) {
        next->begin((size + 1) * size_step);
        next->carve();
      }
    }
    if (chunk != &none_) {
      chunk->state = slab_chunk::among::the_full;
      chunk->due = 1;
    }
    next->state = slab_chunk::among::the_taken;
    ++next->due;
    taken_[size] = chunk = next;
  }
  free_block* const block = chunk->free;
  chunk->free = block->next;  // NOLINT(clang-analyzer-core.NullDereference): each path has brought one
  ++chunk->due;
  return block;
}

template <sync_traits Sync, class Memory>
void slab_heap<Sync, Memory>::move_on(slab_chunk& chunk) noexcept {
  if (chunk.state == slab_chunk::among::the_full) {
    chunk.due = chunk.capacity - 1U;
    join_partial(chunk);
  } else {
    leave_partial(chunk);
    join_empty(chunk);
  }
}

template <sync_traits Sync, class Memory>
void* slab_heap<Sync, Memory>::allocate_large(std::size_t bytes) {
  void* const block = memory_.take_large(large_size(bytes));
  ++large_blocks_;
  large_bytes_ += large_size(bytes);
  return block;
}

template <sync_traits Sync, class Memory>
void slab_heap<Sync, Memory>::deallocate_large(void* block, std::size_t bytes) noexcept {
  --large_blocks_;
  large_bytes_ -= large_size(bytes);
  memory_.give_large(block, large_size(bytes));
}

template <sync_traits Sync, class Memory>
slab_chunk& slab_heap<Sync, Memory>::new_chunk() {
  slab_chunk& chunk = *new (&chunk_of(memory_.take_chunk())) slab_chunk;
  ++chunks_taken_;
  chunk.heap = this;
  chunk.next_of_all = all_.read();
  if (chunk.next_of_all != nullptr) chunk.next_of_all->previous_of_all = &chunk;
  all_.write(&chunk);
  return chunk;
}

template <sync_traits Sync, class Memory>
void slab_heap<Sync, Memory>::give(slab_chunk& chunk) noexcept {
  if (chunk.next_of_all != nullptr) chunk.next_of_all->previous_of_all = chunk.previous_of_all;
  if (chunk.previous_of_all != nullptr) {
    chunk.previous_of_all->next_of_all = chunk.next_of_all;
  } else {
    all_.write(chunk.next_of_all);
  }
  memory_.give_chunk(chunk.memory());
}

// ---- The reserve ----

// A reserve that was never below a number of chunks since the last look has had so many too many. So an owner
// whose load goes up and down keeps its memory, and one whose burst is over gives it back within two looks.
template <sync_traits Sync, class Memory>
void slab_heap<Sync, Memory>::look_at_reserve() noexcept {
  turns_ = 0;
  surplus_ = empty_least_ > reserve_chunks ? empty_least_ - static_cast<std::uint32_t>(reserve_chunks) : 0;
  empty_least_ = empty_count_;
}

template <sync_traits Sync, class Memory>
void slab_heap<Sync, Memory>::give_one_back() noexcept {
  --surplus_;
  if (empty_count_ > reserve_chunks) give(leave_empty());
}

template <sync_traits Sync, class Memory>
void slab_heap<Sync, Memory>::trim() noexcept {
  if (returned_.load(std::memory_order_relaxed) != nullptr) take_returned();
  for (slab_chunk*& chunk : taken_) {
    if (chunk == &none_ || chunk->in_use() != 0) continue;
    give(*chunk);
    chunk = &none_;
  }
  while (empty_ != nullptr) give(leave_empty());
}

template <sync_traits Sync, class Memory>
void slab_heap<Sync, Memory>::join_empty(slab_chunk& chunk) noexcept {
  chunk.state = slab_chunk::among::the_empty;
  chunk.next = empty_;
  empty_ = &chunk;
  ++empty_count_;
}

template <sync_traits Sync, class Memory>
slab_chunk& slab_heap<Sync, Memory>::leave_empty() noexcept {
  slab_chunk& chunk = *empty_;
  empty_ = chunk.next;
  --empty_count_;
  if (empty_count_ < empty_least_) empty_least_ = empty_count_;
  return chunk;
}

template <sync_traits Sync, class Memory>
void slab_heap<Sync, Memory>::join_partial(slab_chunk& chunk) noexcept {
  slab_chunk*& first = partial_[chunk.block_bytes / size_step - 1];
  chunk.state = slab_chunk::among::the_partial;
  chunk.previous = nullptr;
  chunk.next = first;
  if (first != nullptr) first->previous = &chunk;
  first = &chunk;
}

template <sync_traits Sync, class Memory>
void slab_heap<Sync, Memory>::leave_partial(slab_chunk& chunk) noexcept {
  if (chunk.next != nullptr) chunk.next->previous = chunk.previous;
  if (chunk.previous != nullptr) {
    chunk.previous->next = chunk.next;
  } else {
    partial_[chunk.block_bytes / size_step - 1] = chunk.next;
  }
}

template <sync_traits Sync, class Memory>
frame_statistics slab_heap<Sync, Memory>::statistics() const noexcept {
  frame_statistics result{.bytes_in_use = large_bytes_,
                          .blocks = large_blocks_,
                          .empty_chunks = empty_count_,
                          .large_blocks = large_blocks_,
                          .chunks_taken = chunks_taken_,
                          .frees_elsewhere = came_back_};
  for (const slab_chunk* chunk = all_.read(); chunk != nullptr; chunk = chunk->next_of_all) {
    ++result.chunks;
    result.blocks += chunk->in_use();
    result.bytes_in_use += chunk->in_use() * chunk->block_bytes;
  }
  result.bytes_held = result.chunks * chunk_bytes + large_bytes_;
  return result;
}

}  // namespace pinion::scheduler::inline PINION_MODE::frames_detail
