// SPDX-License-Identifier: Apache-2.0
//
// chunk_chains: queues of 32-bit numbers that share one pool of cache-line chunks.
//
// A wheel's buckets are these: appending is a store into the last chunk, and reading one is a walk over whole lines that
// tells fifteen numbers ahead what to prefetch, where a linked list of nodes waits for each one in turn.
//
// The pool is sized by reserve(); append() and everything else neither allocate nor fail.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <pinion/base/assert.hpp>
#include <pinion/timer/slab.hpp>

namespace pinion::timer {

class chunk_chains {
 public:
  /// What stands where a chunk has no number. No number is this.
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};
  /// Numbers that a chunk holds.
  static constexpr std::size_t chunk_size = 15;

  /// A cache line of numbers, and the number of the next chunk.
  struct alignas(64) chunk {
    std::uint32_t next;
    std::array<std::uint32_t, chunk_size> numbers;
  };

  /// One queue: its first and last chunk, and how full the last one is.
  struct chain {
    std::uint32_t head = nothing;
    std::uint32_t tail = nothing;
    std::uint32_t fill = chunk_size;
    /// Whether it has no chunk.
    [[nodiscard]] bool empty() const noexcept { return head == nothing; }
  };

  /// Room for `n` chunks in all. May throw std::bad_alloc.
  void reserve(std::size_t n) {
    // Page by page, so that what was made before memory ran out is in the pool.
    for (std::size_t made = chunks_.capacity(); made < n;) {
      chunks_.reserve(made + 1);
      for (; made < chunks_.capacity(); ++made) release(static_cast<std::uint32_t>(made));
    }
  }

  /// Puts a number last. The pool must have been sized for it.
  void append(chain& to, std::uint32_t number) noexcept {
    if (to.fill == chunk_size) extend(to);
    chunks_[to.tail].numbers[to.fill++] = number;
  }

  /// The next append begins a new chunk; what the last one has room for stays unused.
  void close(chain& c) noexcept {
    if (c.empty()) return;
    chunk& last = chunks_[c.tail];
    while (c.fill < chunk_size) last.numbers[c.fill++] = nothing;
  }

  /// Appends all of `other`, which is empty then.
  void take(chain& to, chain& other) noexcept {
    if (to.empty()) {
      to = other;
    } else if (!other.empty()) {
      close(to);
      chunks_[to.tail].next = other.head;
      to.tail = other.tail;
      to.fill = other.fill;
    }
    other = chain{};
  }

  /// Takes the first chunk off: how many numbers it has, copied to `out`; some may be `nothing`.
  std::size_t pop(chain& from, std::array<std::uint32_t, chunk_size>& out) noexcept {
    const std::uint32_t first = from.head;
    const chunk& c = chunks_[first];
    out = c.numbers;
    std::size_t count = chunk_size;
    if (first == from.tail) {
      count = from.fill;
      from = chain{};
    } else {
      from.head = c.next;
      chunks_.prefetch(c.next);
    }
    release(first);
    return count;
  }

  /// Its first chunk, to look ahead into; nullptr when the chain is empty.
  [[nodiscard]] const chunk* first(const chain& c) const noexcept {
    return c.empty() ? nullptr : &chunks_[c.head];
  }

  /// How many chunks a chain has. Walks it.
  [[nodiscard]] std::size_t length(const chain& c) const noexcept {
    if (c.empty()) return 0;
    std::size_t count = 1;
    for (std::uint32_t k = c.head; k != c.tail; k = chunks_[k].next) ++count;
    return count;
  }

  /// Bytes held.
  [[nodiscard]] std::size_t memory() const noexcept { return chunks_.memory(); }

  /// Gives back every chunk of every chain, all of which the caller forgets.
  void clear() noexcept {
    free_ = nothing;
    for (std::size_t k = chunks_.capacity(); k-- > 0;) release(static_cast<std::uint32_t>(k));
  }

 private:
  [[gnu::noinline]] void extend(chain& to) noexcept {
    PINION_ASSERT(free_ != nothing, "the pool of chunks was sized too small");
    const std::uint32_t fresh = free_;
    free_ = chunks_[fresh].next;
    if (to.empty()) {
      to.head = fresh;
    } else {
      chunks_[to.tail].next = fresh;
    }
    to.tail = fresh;
    to.fill = 0;
  }
  void release(std::uint32_t number) noexcept {
    chunks_[number].next = free_;
    free_ = number;
  }

  slab<chunk> chunks_;
  std::uint32_t free_ = nothing;
};

}  // namespace pinion::timer
