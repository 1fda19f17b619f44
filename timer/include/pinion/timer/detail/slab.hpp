// SPDX-License-Identifier: Apache-2.0
//
// slab: room for numbered objects that never move, in pages of a thousand or so.
//
// Growing copies nothing but a page directory, so it makes no long pause; finding number i is one load from
// the directory, which stays in the nearest cache. Pages are cut from regions: one each time it grows, so
// what was reserved at once lies together, and large regions ask for huge pages, which spares a look-up of
// the address on nearly every touch.
//
// Only reserve() and grow_to() allocate. The room is the slab's; the objects in it are the caller's to
// construct and destroy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <pinion/base/memory.hpp>
#include <vector>

namespace pinion::timer {

template <class Object>
class slab {
 public:
  /// Objects of a page.
  static constexpr std::size_t page_size = 1024;

  slab() noexcept = default;
  slab(const slab&) = delete;
  slab& operator=(const slab&) = delete;
  /// Gives the room back. Ending the objects' lives is the caller's.
  ~slab() = default;

  /// How many objects there is room for; their numbers are below it.
  [[nodiscard]] std::size_t capacity() const noexcept { return pages_.size() * page_size; }

  /// What capacity() will be after reserve(n) of a slab that had less.
  [[nodiscard]] static constexpr std::size_t capacity_for(std::size_t n) noexcept {
    return (n + page_size - 1) / page_size * page_size;
  }

  /// Room for at least `n`. May throw std::bad_alloc; what is there stays, where it is.
  void reserve(std::size_t n) {
    if (n <= capacity()) return;
    const std::size_t more = capacity_for(n) - capacity();
    pages_.reserve(capacity_for(n) / page_size);
    regions_.reserve(regions_.size() + 1);
    const std::size_t bytes = more * sizeof(Object);
    void* const room = ::operator new(bytes, alignment_of(bytes));
    prefer_huge_pages(room, bytes);
    regions_.emplace_back(static_cast<std::byte*>(room), release{bytes});
    auto* const first = static_cast<Object*>(room);
    for (std::size_t k = 0; k < more; k += page_size) pages_.push_back(first + k);
  }

  /// The same, and as many more as there are, but no more than 32 MB of them at once, so that growing object
  /// by object makes few regions, which are soon large enough for huge pages. What is not used yet is address
  /// space, not memory.
  void grow_to(std::size_t n) {
    constexpr std::size_t step_max = (std::size_t{32} << 20) / sizeof(Object);
    if (n > capacity()) reserve(std::max(n, capacity() + std::min(capacity(), step_max)));
  }

  /// The object of a number below capacity(). Its address never changes.
  [[nodiscard]] Object& operator[](std::uint32_t number) noexcept {
    return pages_[number / page_size][number % page_size];
  }
  [[nodiscard]] const Object& operator[](std::uint32_t number) const noexcept {
    return pages_[number / page_size][number % page_size];
  }

  /// Bytes held.
  [[nodiscard]] std::size_t memory() const noexcept {
    return capacity() * sizeof(Object) + pages_.capacity() * sizeof(Object*) +
           regions_.capacity() * sizeof(regions_[0]);
  }

  /// Asks for the object's cache line, for use a dozen steps from now.
  void prefetch(std::uint32_t number) const noexcept {
    __builtin_prefetch(&pages_[number / page_size][number % page_size], 1);
  }

 private:
  static constexpr std::align_val_t alignment_of(std::size_t bytes) noexcept {
    constexpr std::size_t least = alignof(Object) > 64 ? alignof(Object) : 64;
    return std::align_val_t{bytes >= huge_page_bytes ? huge_page_bytes : least};
  }
  struct release {
    std::size_t bytes;
    void operator()(std::byte* room) const noexcept { ::operator delete(room, alignment_of(bytes)); }
  };

  std::vector<Object*> pages_;
  std::vector<std::unique_ptr<std::byte, release>> regions_;
};

}  // namespace pinion::timer
