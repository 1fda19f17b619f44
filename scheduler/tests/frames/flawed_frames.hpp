// SPDX-License-Identifier: Apache-2.0
//
// flawed_frames: the shipped allocator, and one defect on demand.
#pragma once

#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <thread>

#include "any_frames.hpp"

namespace pinion::scheduler::testing {

enum class frames_defect : std::uint8_t {
  none,
  aligns_to_eight,
  hands_out_a_block_twice,
  counts_what_was_refused,
  loses_what_others_free,   // a list of the other thread's that nobody empties
  takes_blocks_along,       // an arena that goes with its executor
  leaves_an_orphan_behind,  // a count that never comes to zero
  loses_what_is_freed_between_owners,
  locks,                   // a pool behind a mutex
  keeps_its_peak,          // Glommio's, Seastar's: memory is never given back
  gives_all_back_at_once,  // one turn pays for the whole burst
  keeps_what_trim_should_give,
  keeps_no_reserve,  // an empty chunk goes at once, and comes again
  allocates_for_each,
  forgets_large_blocks,
  counts_late_what_others_free,
};

class flawed_frames final : public adapted<counted_slab_frames> {
 public:
  explicit flawed_frames(frames_defect which) : defect_(which), owner_(std::this_thread::get_id()) {}
  flawed_frames(const flawed_frames&) = delete;
  flawed_frames& operator=(const flawed_frames&) = delete;
  ~flawed_frames() override {
    if (is(frames_defect::leaves_an_orphan_behind)) return;
    for (const auto& [block, bytes] : lost_) adapted::deallocate(block, bytes);
  }

  void* allocate(std::size_t bytes) override {
    if (is(frames_defect::locks)) const std::lock_guard locked{mutex_};
    if (is(frames_defect::aligns_to_eight)) return static_cast<std::byte*>(adapted::allocate(bytes + 8)) + 8;
    if (is(frames_defect::counts_what_was_refused)) ++blocks_;
    if (is(frames_defect::allocates_for_each)) ::operator delete(::operator new(8));
    if (is(frames_defect::leaves_an_orphan_behind) && lost_.empty())
      lost_.emplace(adapted::allocate(100), 100);
    if (is(frames_defect::hands_out_a_block_twice) && bytes == 100 && !twice_.empty()) {
      const auto shared = twice_.begin();
      if (shared->second++ == 1) return shared->first;
      --shared->second;
    }
    void* const block = adapted::allocate(bytes);
    if (is(frames_defect::hands_out_a_block_twice) && bytes == 100 && twice_.empty())
      twice_.emplace(block, 1);
    if (is(frames_defect::takes_blocks_along)) out_.emplace(block, bytes);
    if (is(frames_defect::counts_what_was_refused)) --blocks_;
    return block;
  }
  void deallocate(void* block, std::size_t bytes) override {
    const bool is_here = owner_ == std::this_thread::get_id();
    if (is(frames_defect::locks)) const std::lock_guard locked{mutex_};
    if (is(frames_defect::aligns_to_eight))
      return adapted::deallocate(static_cast<std::byte*>(block) - 8, bytes + 8);
    if (is(frames_defect::takes_blocks_along)) out_.erase({block, bytes});
    if (const auto shared = twice_.find(block); shared != twice_.end()) {
      if (--shared->second != 0) return;
      twice_.erase(shared);
    }
    if ((is(frames_defect::loses_what_others_free) && !is_here) ||
        (is(frames_defect::loses_what_is_freed_between_owners) && owner_ == std::thread::id{})) {
      lost_.emplace(block, bytes);
      return;
    }
    if (is(frames_defect::counts_late_what_others_free) && !is_here) ++late_;
    adapted::deallocate(block, bytes);
    if (is(frames_defect::keeps_no_reserve)) adapted::trim();
  }
  void collect() override {
    if (!is(frames_defect::keeps_its_peak)) adapted::collect();
    if (is(frames_defect::gives_all_back_at_once)) adapted::trim();
  }
  void trim() override {
    if (!is(frames_defect::keeps_what_trim_should_give)) adapted::trim();
  }
  [[nodiscard]] frame_statistics statistics() const override {
    frame_statistics result = adapted::statistics();
    result.blocks += blocks_ + late_;
    if (is(frames_defect::forgets_large_blocks)) result.blocks -= result.large_blocks;
    if (is(frames_defect::leaves_an_orphan_behind)) result.blocks -= lost_.size();
    return result;
  }
  void let_go() override {
    adapted::let_go();
    owner_ = {};
  }
  void take_over() override {
    adapted::take_over();
    owner_ = std::this_thread::get_id();
  }
  void drop() override {
    for (const auto& [block, bytes] : out_) std::memset(block, 0, bytes);
    adapted::drop();
  }

 private:
  [[nodiscard]] bool is(frames_defect which) const noexcept { return defect_ == which; }

  frames_defect defect_;
  std::thread::id owner_;
  std::mutex mutex_;
  std::map<void*, int> twice_;                    // how often it is out
  std::set<std::pair<void*, std::size_t>> out_;   // in use
  std::set<std::pair<void*, std::size_t>> lost_;  // freed, and kept until the end
  std::size_t blocks_ = 0;
  std::size_t late_ = 0;  // freed elsewhere, and counted as in use
};

}  // namespace pinion::scheduler::testing
