// SPDX-License-Identifier: Apache-2.0
//
// fixed_queue: up to Capacity values, first in, first out, inside the object.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <pinion/config.hpp>
#include <utility>

namespace pinion::scheduler::inline PINION_MODE::sync_detail {

/// Values that are moved and destroyed without a throw. 0 is a capacity too.
template <class T, std::size_t Capacity>
class fixed_queue {
 public:
  fixed_queue() noexcept = default;
  fixed_queue(const fixed_queue&) = delete;
  fixed_queue& operator=(const fixed_queue&) = delete;
  ~fixed_queue() {
    for (; size_ != 0; drop()) {
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// To the end. It is not full.
  void push(T&& value) noexcept {
    const std::size_t to_end = Capacity - first_;
    ::new (at(size_ < to_end ? first_ + size_ : size_ - to_end)) T(std::move(value));
    ++size_;
  }
  /// The first. It is not empty.
  [[nodiscard]] T& front() noexcept { return *std::launder(static_cast<T*>(at(first_))); }
  void drop() noexcept {
    std::destroy_at(&front());
    if (++first_ == Capacity) first_ = 0;
    --size_;
  }

 private:
  [[nodiscard]] void* at(std::size_t place) noexcept { return bytes_ + place * sizeof(T); }

  std::size_t first_ = 0;
  std::size_t size_ = 0;
  alignas(T) std::byte bytes_[Capacity == 0 ? 1 : Capacity * sizeof(T)];
};

}  // namespace pinion::scheduler::inline PINION_MODE::sync_detail
