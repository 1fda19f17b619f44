// SPDX-License-Identifier: Apache-2.0
//
// any_frames: an allocator of frames behind virtual calls, so that laws are compiled once and run against
// every allocator and every mutant. An allocator joins by a line in backends.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <pinion/scheduler.hpp>
#include <string>
#include <utility>
#include <vector>

namespace pinion::scheduler::testing {

class any_frames {
 public:
  any_frames() = default;
  any_frames(const any_frames&) = delete;
  any_frames& operator=(const any_frames&) = delete;
  virtual ~any_frames() = default;

  virtual void* allocate(std::size_t bytes) = 0;
  virtual void deallocate(void* block, std::size_t bytes) = 0;
  virtual void collect() = 0;
  virtual void trim() = 0;
  [[nodiscard]] virtual frame_statistics statistics() const = 0;
  virtual void let_go() = 0;
  virtual void take_over() = 0;
  /// The allocator is gone; from here on deallocate() goes to its origin.
  virtual void drop() = 0;
};

struct frames_factory {
  std::string name;
  std::function<std::unique_ptr<any_frames>()> make;
  frame_traits traits;
  std::uint64_t seed = 1;
};

/// The list.
[[nodiscard]] const std::vector<frames_factory>& backends();

/// Memory from where the shipped allocator has it, chunks counted.
struct counted_memory : frames_detail::kernel_memory {
  [[nodiscard]] static void* take_chunk();
  static void give_chunk(void* chunk) noexcept;
};
using counted_slab_frames = basic_slab_frames<std_sync, counted_memory>;

/// What was taken from the system and not given back: chunks, and blocks of operator new.
[[nodiscard]] std::size_t pieces_held() noexcept;
/// All that was ever taken.
[[nodiscard]] std::size_t pieces_taken() noexcept;
/// The next piece can't be had, once; false takes that back.
void refuse_next_piece(bool refuse) noexcept;

/// Mutexes that the calling thread has locked so far.
[[nodiscard]] std::size_t locks_so_far() noexcept;

/// Of an allocator that is made from `args`.
template <class Frames>
class adapted : public any_frames {
 public:
  template <class... Args>
  explicit adapted(Args&&... args)
      : frames_(std::in_place, std::forward<Args>(args)...), origin_(frames_->origin()) {}

  void* allocate(std::size_t bytes) override { return frames_->allocate(bytes); }
  void deallocate(void* block, std::size_t bytes) override {
    frames_ ? frames_->deallocate(block, bytes) : origin_.deallocate(block, bytes);
  }
  void collect() override { frames_->collect(); }
  void trim() override { frames_->trim(); }
  [[nodiscard]] frame_statistics statistics() const override { return frames_->statistics(); }
  void let_go() override { frames_->let_go(); }
  void take_over() override { frames_->take_over(); }
  void drop() override { frames_.reset(); }

 private:
  std::optional<Frames> frames_;
  frame_origin& origin_;
};

}  // namespace pinion::scheduler::testing
