// SPDX-License-Identifier: Apache-2.0
//
// Chunks by mmap.
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <pinion/scheduler/detail/slab_chunk.hpp>

// Of a leak sanitizer, where the program has one: what only a frame points to is no leak.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the sanitizer's names
[[gnu::weak]] void __lsan_register_root_region(const void* begin, std::size_t bytes);
[[gnu::weak]] void __lsan_unregister_root_region(const void* begin, std::size_t bytes);
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}

namespace pinion::scheduler::inline PINION_MODE::frames_detail {
namespace {

void* map(std::size_t bytes) {
  void* const begin = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (begin == MAP_FAILED) throw std::bad_alloc{};
  return begin;
}

bool is_aligned(const void* begin) noexcept {
  return reinterpret_cast<std::uintptr_t>(begin) % chunk_bytes == 0;
}

}  // namespace

void* kernel_memory::take_chunk() {
  // The kernel places maps side by side, so behind one that is aligned the next one is, too.
  void* chunk = map(chunk_bytes);
  if (!is_aligned(chunk)) {
    ::munmap(chunk, chunk_bytes);
    auto* const begin = static_cast<std::byte*>(map(2 * chunk_bytes));
    const std::size_t before =
        (chunk_bytes - reinterpret_cast<std::uintptr_t>(begin) % chunk_bytes) % chunk_bytes;
    if (before != 0) ::munmap(begin, before);
    ::munmap(begin + before + chunk_bytes, chunk_bytes - before);
    chunk = begin + before;
  }
  if (__lsan_register_root_region != nullptr) __lsan_register_root_region(chunk, chunk_bytes);
  return chunk;
}

void kernel_memory::give_chunk(void* chunk) noexcept {
  if (__lsan_unregister_root_region != nullptr) __lsan_unregister_root_region(chunk, chunk_bytes);
  // A process that has as many maps as it may can't cut one in two. Its pages go back all the same.
  if (::munmap(chunk, chunk_bytes) != 0) ::madvise(chunk, chunk_bytes, MADV_DONTNEED);
}

}  // namespace pinion::scheduler::inline PINION_MODE::frames_detail
