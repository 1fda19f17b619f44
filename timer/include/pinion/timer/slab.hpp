// SPDX-License-Identifier: Apache-2.0
//
// slab: numbered objects that never move, in pages of a thousand or so.
//
// Growing copies nothing but a page directory, so it makes no long pause; what is held is what was asked for, up to a
// page; finding number i is one load from the directory, which stays in the nearest cache.
//
//   slab<node> nodes;
//   nodes.reserve(10'000);     // the only call that allocates; objects are value-initialised
//   nodes[9'999].deadline = t;
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace pinion::timer {

template <class Object>
class slab {
 public:
  /// How many objects there are; their numbers are below it.
  [[nodiscard]] std::size_t capacity() const noexcept { return pages_.size() * page_size; }

  /// What capacity() will be after reserve(n) of a slab that had less.
  [[nodiscard]] static constexpr std::size_t capacity_for(std::size_t n) noexcept {
    return (n + page_size - 1) / page_size * page_size;
  }

  /// At least `n` objects. May throw std::bad_alloc; what is there stays, where it is.
  void reserve(std::size_t n) {
    while (capacity() < n) {
      auto page = std::make_unique<Object[]>(page_size);
      pages_.push_back(std::move(page));
    }
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
    return capacity() * sizeof(Object) + pages_.capacity() * sizeof(pages_[0]);
  }

  /// Asks for the object's cache line, for use a dozen steps from now.
  void prefetch(std::uint32_t number) const noexcept {
    __builtin_prefetch(&pages_[number / page_size][number % page_size], 1);
  }

 private:
  static constexpr std::size_t page_size = 1024;
  std::vector<std::unique_ptr<Object[]>> pages_;
};

}  // namespace pinion::timer
