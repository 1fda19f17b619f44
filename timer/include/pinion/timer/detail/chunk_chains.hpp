// SPDX-License-Identifier: Apache-2.0
//
// chunk_chains: queues of 32-bit numbers that share one pool of cache-line chunks.
//
// A wheel's buckets are these: appending is a store into the last chunk, and reading one is a walk over whole
// lines that tells fifteen numbers ahead what to prefetch, where a linked list of nodes waits for each one in
// turn.
//
// A chain knows the place for its next number. A chunk is aligned to its size, so that place alone tells
// whether the last chunk is full, and which one it is.
//
// The pool is sized by reserve(); append() and everything else neither allocate nor fail.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <pinion/base/assert.hpp>
#include <pinion/timer/detail/slab.hpp>
#include <utility>

namespace pinion::timer::inline PINION_MODE {

class chunk_chains {
 public:
  /// What stands where a chunk has no number. No number is this.
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};
  /// Numbers that a chunk holds.
  static constexpr std::size_t chunk_size = 15;

  /// A cache line: numbers, and last the number of the next chunk.
  struct alignas(64) chunk {
    std::array<std::uint32_t, chunk_size + 1> words;
  };

 private:
  static constexpr std::uint32_t no_chunk = nothing >> 1;
  // Where an empty chain would put its next number: behind a chunk that is full and never written.
  static inline constinit chunk full_chunk{};

 public:
  /// One queue: where its next number goes, its first chunk, and a bit for the owner, which is 0 again when
  /// the chain runs empty.
  struct chain {
    std::uint32_t* end = &full_chunk.words[chunk_size];
    std::uint32_t head : 31 = no_chunk;
    std::uint32_t mark : 1 = 0;
    /// Whether it has no chunk.
    [[nodiscard]] bool empty() const noexcept { return head == no_chunk; }
    /// Whether the next append() takes a chunk from the pool.
    [[nodiscard]] bool is_full() const noexcept { return place_in_chunk(end) == chunk_size; }
  };

  /// Room for `n` chunks in all. May throw std::bad_alloc.
  void reserve(std::size_t n) {
    if (n <= made_) return;
    chunks_.reserve(n);
    make(slab<chunk>::capacity_for(n));
  }
  /// The same, and more at once, for who grows in small steps.
  void grow_to(std::size_t n) {
    if (n <= made_) return;
    chunks_.grow_to(n);
    make(slab<chunk>::capacity_for(n));
  }

  /// Puts a number last. The pool must have been sized for it.
  void append(chain& to, std::uint32_t number) noexcept {
    if (to.is_full()) extend(to);
    *to.end++ = number;
  }

  /// Gives a chain that is full its next chunk.
  [[gnu::noinline]] void extend(chain& to) noexcept {
    PINION_ASSERT(free_ != nothing, "the pool of chunks was sized too small");
    const std::uint32_t fresh = free_;
    chunk& c = chunks_[fresh];
    free_ = c.words[chunk_size];
    --free_count_;
    if (to.empty()) {
      to.head = fresh & no_chunk;
    } else {
      *to.end = fresh;
    }
    to.end = c.words.data();
  }

  /// The next append begins a new chunk; what the last one has room for stays unused.
  static void close(chain& c) noexcept {
    while (!c.is_full()) *c.end++ = nothing;
  }

  /// Appends all chunks of `other`, which is empty then.
  static void take(chain& to, chain& other) noexcept {
    if (to.empty()) {
      to = other;
    } else if (!other.empty()) {
      close(to);
      *to.end = other.head;
      to.end = other.end;
    }
    other = chain{};
  }

  /// The same, number by number: no chunk of `to` but its last stays part-filled.
  void copy(chain& to, chain& other) noexcept {
    std::array<std::uint32_t, chunk_size> numbers;
    while (!other.empty()) {
      const std::size_t count = pop(other, numbers);
      for (std::size_t k = 0; k < count; ++k) {
        if (numbers[k] != nothing) append(to, numbers[k]);
      }
    }
  }

  /// Takes the first chunk off: how many numbers it has, copied to `out`; some may be `nothing`.
  std::size_t pop(chain& from, std::array<std::uint32_t, chunk_size>& out) noexcept {
    const std::uint32_t first = from.head;
    chunk& c = chunks_[first];
    std::memcpy(out.data(), c.words.data(), sizeof out);
    std::size_t count = chunk_size;
    if (is_last(from, c)) {
      count = place_in_chunk(from.end);
      from = chain{};
    } else {
      from.head = c.words[chunk_size] & no_chunk;
      chunks_.prefetch(from.head);
    }
    c.words[chunk_size] = free_;
    free_ = first;
    ++free_count_;
    return count;
  }

  /// Its first chunk, to look ahead into; nullptr when the chain is empty.
  [[nodiscard]] const chunk* first(const chain& c) const noexcept {
    return c.empty() ? nullptr : &chunks_[c.head];
  }
  /// The chunk behind one that is not its chain's last.
  [[nodiscard]] const chunk& next(const chunk& c) const noexcept { return chunks_[c.words[chunk_size]]; }
  /// Whether a chunk of a chain is its last, and how many numbers that one has.
  [[nodiscard]] static bool is_last(const chain& of, const chunk& c) noexcept {
    return of.end - place_in_chunk(of.end) == c.words.data();
  }
  [[nodiscard]] static std::size_t fill_of_last(const chain& of) noexcept { return place_in_chunk(of.end); }

  /// How many chunks are in no chain.
  [[nodiscard]] std::size_t free() const noexcept { return free_count_; }

  /// Bytes held.
  [[nodiscard]] std::size_t memory() const noexcept { return chunks_.memory(); }

  /// Gives back every chunk of every chain, all of which the caller forgets.
  void clear() noexcept {
    const std::size_t all = std::exchange(made_, 0);
    free_ = nothing;
    free_count_ = 0;
    make(all);
  }

 private:
  friend class chunk_census;
  /// How many of its chunk's numbers stand before a place. Reason 1 for looking at an address as a number: a
  /// chunk is aligned to its size, so the low bits of the place of one of its words are the word's own.
  static std::size_t place_in_chunk(const std::uint32_t* place) noexcept {
    return reinterpret_cast<std::uintptr_t>(place) % sizeof(chunk) / sizeof(std::uint32_t);
  }
  void make(std::size_t all) noexcept {
    for (auto k = static_cast<std::uint32_t>(all); k-- > made_;) {
      (::new (static_cast<void*>(&chunks_[k])) chunk)->words[chunk_size] = free_;
      free_ = k;
    }
    free_count_ += all - made_;
    made_ = all;
  }

  slab<chunk> chunks_;
  std::size_t made_ = 0;
  std::size_t free_count_ = 0;
  std::uint32_t free_ = nothing;
};

}  // namespace pinion::timer::inline PINION_MODE
