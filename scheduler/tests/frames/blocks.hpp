// SPDX-License-Identifier: Apache-2.0
//
// blocks: what laws do with blocks: allocate many, write each full, look whether each still holds what was
// written, free some.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "any_frames.hpp"

namespace pinion::scheduler::testing {

struct written_block {
  unsigned char* at;
  std::size_t bytes;
  unsigned char mark;
};

class blocks {
 public:
  /// Room for `most`, so that it allocates nothing later.
  blocks(any_frames& frames, std::size_t most) : frames_(frames) { all_.reserve(most); }

  blocks(const blocks&) = delete;
  blocks& operator=(const blocks&) = delete;
  /// Frees what is left.
  ~blocks() { free_all(); }

  /// One more, written full.
  void add(std::size_t bytes) {
    auto* const at = static_cast<unsigned char*>(frames_.allocate(bytes));
    all_.push_back({at, bytes, ++mark_});
    std::memset(at, mark_, bytes);
  }
  void add(std::size_t count, std::size_t bytes) {
    for (; count != 0; --count) add(bytes);
  }
  /// The one at `index` goes. The last one takes its place.
  void free(std::size_t index) {
    frames_.deallocate(all_[index].at, all_[index].bytes);
    all_[index] = all_.back();
    all_.pop_back();
  }
  /// Frees all but `left`, in an order that the numbers make.
  template <class Numbers>
  void free_but(std::size_t left, Numbers& numbers) {
    while (all_.size() > left) free(numbers() % all_.size());
  }
  void free_all() {
    while (!all_.empty()) free(all_.size() - 1);
  }
  /// On another thread.
  void free_elsewhere(std::size_t left = 0) {
    std::thread{[&] {
      while (all_.size() > left) free(all_.size() - 1);
    }}.join();
  }

  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  [[nodiscard]] std::size_t bytes() const noexcept {
    std::size_t sum = 0;
    for (const written_block& b : all_) sum += b.bytes;
    return sum;
  }
  /// Whether all hold what was written, and are aligned.
  [[nodiscard]] bool are_whole() const noexcept {
    for (const written_block& b : all_) {
      for (std::size_t k = 0; k != b.bytes; ++k)
        if (b.at[k] != b.mark) return false;
    }
    return true;
  }
  [[nodiscard]] bool are_aligned() const noexcept {
    for (const written_block& b : all_)
      if (reinterpret_cast<std::uintptr_t>(b.at) % alignof(std::max_align_t) != 0) return false;
    return true;
  }

 private:
  any_frames& frames_;
  std::vector<written_block> all_;
  unsigned char mark_ = 0;
};

}  // namespace pinion::scheduler::testing
