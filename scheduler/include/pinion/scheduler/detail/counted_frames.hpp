// SPDX-License-Identifier: Apache-2.0
//
// counted_frames<Source>: an allocator of frames that asks a source for each block, and counts.
//
// A source has allocate(bytes) for the owner, deallocate(block, bytes, is_owner) noexcept for any thread, and
// traits; trim() where it keeps what is free. It is destroyed behind the last block.
//
// The owner counts in words of its own, other threads by one read-modify-write each. What is counted lives
// until the last block is back.
//
// Memory ordering. bytes_back is relaxed: a count. It is changed before the block is counted as back, after
// which this object may be gone.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <pinion/base/assert.hpp>
#include <pinion/base/sync.hpp>
#include <pinion/scheduler/detail/frame_owner.hpp>
#include <pinion/scheduler/frames/concept.hpp>
#include <utility>

namespace pinion::scheduler::inline PINION_MODE::frames_detail {

template <class Source>
class counted_frames {
 public:
  /// The source's.
  static constexpr frame_traits traits = Source::traits;

  /// Over this source. The calling thread is the owner.
  explicit counted_frames(Source source) : ledger_(new ledger(std::move(source))) {}
  counted_frames(const counted_frames&) = delete;
  counted_frames& operator=(const counted_frames&) = delete;
  // NOLINTBEGIN(clang-analyzer-cplusplus.NewDelete): the ledger outlives the allocator
  /// As slab_frames's, and so the others.
  ~counted_frames() { ledger_->leave(); }

  /// The owner: asks the source.
  [[nodiscard]] void* allocate(std::size_t bytes) { return ledger_->allocate(bytes); }
  /// Any thread: gives it to the source at once.
  void deallocate(void* block, std::size_t bytes) noexcept { ledger_->deallocate(block, bytes); }
  /// Takes blocks back like deallocate(), and lives until the last one came.
  [[nodiscard]] frame_origin& origin() noexcept { return *ledger_; }
  /// Nothing to do: no block waits for the owner.
  void collect() noexcept {}
  /// What is free is the source's.
  void trim() noexcept {
    if constexpr (requires(Source& source) { source.trim(); }) ledger_->source.trim();
  }
  /// The owner. Bytes are those asked for.
  [[nodiscard]] frame_statistics statistics() const noexcept { return ledger_->statistics(); }
  /// The owner: is no owner any more.
  void let_go() noexcept { ledger_->owner.let_go(); }
  /// The calling thread is the owner now. It knows that the one before has let go.
  void take_over() noexcept { ledger_->owner.take_over(); }
  // NOLINTEND(clang-analyzer-cplusplus.NewDelete)

 private:
  struct ledger final : frame_origin {
    explicit ledger(Source&& from) noexcept
        : frame_origin([](frame_origin& self,
                          std::size_t bytes) { return static_cast<ledger&>(self).allocate(bytes); },
                       [](frame_origin& self, void* block, std::size_t bytes) noexcept {
                         static_cast<ledger&>(self).deallocate(block, bytes);
                       }),
          source(std::move(from)) {}

    void* allocate(std::size_t bytes) {
      PINION_ASSERT(owner.is_here(), "a frame was allocated on a thread that does not own the allocator");
      void* const block = source.allocate(bytes);
      ++blocks;
      bytes_out += bytes;
      return block;
    }
    void deallocate(void* block, std::size_t bytes) noexcept {
      const bool is_owner = owner.is_here();
      source.deallocate(block, bytes, is_owner);
      if (is_owner) {
        --blocks;
        bytes_out -= bytes;
        return;
      }
      bytes_back.fetch_add(bytes, std::memory_order_relaxed);
      if (orphans.give_back()) delete this;
    }
    void leave() noexcept {
      if (!owner.is_here()) owner.take_over();
      owner.let_go();
      if (orphans.leave(blocks)) delete this;
    }
    [[nodiscard]] frame_statistics statistics() const noexcept {
      frame_statistics result;
      result.frees_elsewhere = orphans.given_back();
      result.blocks = static_cast<std::size_t>(blocks) - result.frees_elsewhere;
      result.bytes_in_use = bytes_out - bytes_back.load(std::memory_order_relaxed);
      result.bytes_held = result.bytes_in_use;
      return result;
    }

    [[no_unique_address]] Source source;
    basic_frame_owner<std_sync> owner;
    alignas(64) std::int64_t blocks = 0;  // allocated, without those that came back here
    std::size_t bytes_out = 0;            // theirs
    // Everybody's.
    alignas(64) std::atomic<std::size_t> bytes_back{0};
    basic_orphan_count<std_sync> orphans;
  };

  ledger* ledger_;
};

}  // namespace pinion::scheduler::inline PINION_MODE::frames_detail
