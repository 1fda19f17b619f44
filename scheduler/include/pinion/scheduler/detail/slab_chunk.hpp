// SPDX-License-Identifier: Apache-2.0
//
// slab_chunk: 64 KiB of blocks of one size, and what is known of them.
//
// A chunk lies at a multiple of its size, so a block's address tells its chunk. What is known of the chunk,
// 64 bytes, does not stand at its beginning: all chunks' beginnings share one set of each cache, which holds
// eight or sixteen. It stands in one of 32 places, which the chunk's address tells. Blocks begin behind
// these.
//
//   0        2 KiB                                 64 KiB
//   | places | block | block | ...                 |
#pragma once

#include <pinion/config.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <pinion/base/export.hpp>

namespace pinion::scheduler::inline PINION_MODE::frames_detail {

inline constexpr std::size_t chunk_bytes = std::size_t{64} << 10;
inline constexpr std::size_t size_step = 64;  // blocks have a multiple of it
inline constexpr std::size_t sizes = 16;
inline constexpr std::size_t slab_bytes_max = size_step * sizes;
inline constexpr std::size_t places_bytes = 2048;

/// A block that is free.
struct free_block {
  free_block* next;
};

/// The owner's, all of it.
struct slab_chunk {
  /// What a chunk is among.
  enum class among : std::uint8_t {
    the_empty,    ///< the reserve: for any size
    the_taken,    ///< its size's one from which blocks are taken
    the_partial,  ///< its size's others that have free blocks
    the_full,     ///< in no list
  };

  free_block* free = nullptr;
  /// Frees until the chunk has to go elsewhere: the blocks in use; one more of the taken one, which stays
  /// where it is; one of a full one, which becomes partial by its first.
  std::uint32_t due = 0;
  std::uint16_t block_bytes = 0;
  std::uint16_t capacity = 0;
  std::uint16_t carved = 0;  ///< blocks that were ever in `free`; memory behind them is untouched
  among state = among::the_empty;
  slab_chunk* next = nullptr;      ///< among the partial or the empty
  slab_chunk* previous = nullptr;  ///< among the partial
  slab_chunk* next_of_all = nullptr;
  slab_chunk* previous_of_all = nullptr;
  const void* heap = nullptr;  ///< that it belongs to; for contracts

  /// An empty one is for blocks of this size from now on.
  void begin(std::size_t bytes) noexcept {
    free = nullptr;
    block_bytes = static_cast<std::uint16_t>(bytes);
    capacity = static_cast<std::uint16_t>((chunk_bytes - places_bytes) / bytes);
    carved = 0;
  }
  /// How many blocks are in use.
  [[nodiscard]] std::size_t in_use() const noexcept {
    switch (state) {
    case among::the_taken: return due - 1;
    case among::the_partial: return due;
    case among::the_full: return capacity;
    default: return 0;
    }
  }
  /// As many blocks as touch a page, or one, into `free`, which is empty. False: all are carved.
  bool carve() noexcept;
  /// The memory that it lies in.
  [[nodiscard]] void* memory() noexcept {
    return reinterpret_cast<std::byte*>(this) - reinterpret_cast<std::uintptr_t>(this) % chunk_bytes;
  }
};
static_assert(sizeof(slab_chunk) <= 64);

/// The chunk of a block, or of any address in its memory.
[[nodiscard]] inline slab_chunk& chunk_of(void* block) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(block);
  // The number of the chunk, modulo 32, times 64.
  const std::uintptr_t place = at / chunk_bytes * 64 % places_bytes;
  auto* const memory = static_cast<std::byte*>(block) - at % chunk_bytes;
  return *std::launder(reinterpret_cast<slab_chunk*>(memory + place));
}

/// Where a slab's memory comes from: chunks from the kernel, large blocks from operator new. Throws
/// std::bad_alloc.
struct PINION_EXPORT kernel_memory {
  /// A chunk, at a multiple of its size.
  [[nodiscard]] static void* take_chunk();
  /// Gives it back.
  static void give_chunk(void* chunk) noexcept;
  /// A large block.
  [[nodiscard]] static void* take_large(std::size_t bytes) { return ::operator new(bytes); }
  /// Gives it back.
  static void give_large(void* block, std::size_t bytes) noexcept { ::operator delete(block, bytes); }
};

inline bool slab_chunk::carve() noexcept {
  if (carved == capacity) return false;
  constexpr std::size_t page_bytes = 4096;
  std::size_t count = page_bytes / block_bytes;
  if (count > std::size_t{capacity} - carved) count = std::size_t{capacity} - carved;
  std::byte* const begin =
      static_cast<std::byte*>(memory()) + places_bytes + std::size_t{carved} * block_bytes;
  for (std::size_t k = count; k-- != 0;) free = new (begin + k * block_bytes) free_block{free};
  carved = static_cast<std::uint16_t>(carved + count);
  return true;
}

}  // namespace pinion::scheduler::inline PINION_MODE::frames_detail
