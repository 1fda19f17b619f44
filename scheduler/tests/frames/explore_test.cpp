// SPDX-License-Identifier: Apache-2.0
//
// What two threads and the owner of a slab do to the blocks that they share, under every interleaving with at
// most three preemptions, and some at random; and each memory order made weaker.
//
// What is in a block stands beside it, as a `plain`: whoever has the block, or unmaps it, writes it.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <pinion/scheduler.hpp>
#include <pinion/sim/explore.hpp>
#include <string>
#include <utility>
#include <vector>

#include "needed_orders.hpp"
#include "sanitized.hpp"
#include "to_the_end.hpp"
#include "weakening_sync.hpp"

namespace pinion::scheduler::testing {
namespace {

constexpr std::size_t small_bytes = 1'024;  // few to a page

constexpr std::size_t large_one = 4;

template <class Sync>
struct contents {
  std::array<typename Sync::template plain<int>, 5> of_block;
  std::array<void*, 5> blocks{};
  int chunks = 0;
  int large = 0;
};

template <class Sync>
struct explored_memory {
  contents<Sync>* all = nullptr;
  void* take_chunk() {
    ++all->chunks;
    return spare != nullptr ? std::exchange(spare, nullptr)
                            : std::aligned_alloc(frames_detail::chunk_bytes, frames_detail::chunk_bytes);
  }
  void give_chunk(void* chunk) {
    --all->chunks;
    for (std::size_t k = 0; k < large_one; ++k) all->of_block[k].write(0);
    std::free(std::exchange(spare, chunk));
  }
  void* take_large(std::size_t bytes) {
    ++all->large;
    return ::operator new(bytes);
  }
  void give_large(void* block, std::size_t bytes) {
    --all->large;
    ::operator delete(block, bytes);
  }
  static inline void* spare = nullptr;  // memory and nothing else: the system's takes most of the time
};

/// Four small blocks, which is all that was carved, and a large one.
template <class Sync>
struct household {
  using heap = frames_detail::slab_heap<Sync, explored_memory<Sync>>;
  contents<Sync> all;
  heap* frames = new heap{explored_memory<Sync>{&all}};
  std::vector<void*> taken;

  household() {
    for (std::size_t k = 0; k < all.blocks.size(); ++k) all.blocks[k] = frames->allocate(bytes_of(k));
  }
  static std::size_t bytes_of(std::size_t which) noexcept { return which == large_one ? 1'500 : small_bytes; }

  void free_elsewhere(std::size_t which) {
    all.of_block[which].write(2);
    frames->deallocate_elsewhere(all.blocks[which], bytes_of(which));
  }
  void free_here(std::size_t which) {
    all.of_block[which].write(3);
    frames->deallocate_here(all.blocks[which], bytes_of(which));
  }
  void take() {
    taken.push_back(frames->allocate(small_bytes));
    for (std::size_t k = 0; k < all.blocks.size(); ++k)
      if (all.blocks[k] == taken.back()) all.of_block[k].write(1);
  }
};

// Two threads free three blocks; the owner takes what came and uses it.
template <class Sync>
sim::scenario<household<Sync>> blocks_are_used_again() {
  sim::scenario<household<Sync>> result;
  result.thread("first", [](household<Sync>& h) {
    h.free_elsewhere(0);
    h.free_elsewhere(large_one);
  });
  result.thread("second", [](household<Sync>& h) { h.free_elsewhere(1); });
  result.thread("owner", [](household<Sync>& h) {
    for (int k = 0; k < 2; ++k) {
      h.frames->collect();
      h.take();
    }
  });
  result.finally([](household<Sync>& h) {
    h.frames->collect();
    const frame_statistics seen = h.frames->statistics();
    sim::require(seen.frees_elsewhere == 3, "what came back was counted wrong");
    sim::require(seen.blocks == 4 && seen.large_blocks == 0, "blocks were lost, or came back twice");
    h.free_here(2);
    h.free_here(3);
    for (void* const block : h.taken) h.frames->deallocate_here(block, small_bytes);
    h.frames->leave();
    sim::require(h.all.chunks == 0 && h.all.large == 0, "memory stays behind the last block");
  });
  return result;
}

// An owner that goes while two threads bring the last blocks.
template <class Sync>
sim::scenario<household<Sync>> everybody_goes() {
  sim::scenario<household<Sync>> result;
  result.thread("first", [](household<Sync>& h) {
    h.free_elsewhere(0);
    h.free_elsewhere(large_one);
  });
  result.thread("second", [](household<Sync>& h) { h.free_elsewhere(1); });
  result.thread("owner", [](household<Sync>& h) {
    h.free_here(2);
    h.free_here(3);
    h.frames->leave();
  });
  result.finally([](household<Sync>& h) {
    sim::require(h.all.chunks == 0 && h.all.large == 0, "memory stays behind the last block");
  });
  return result;
}

template <class Sync>
std::string what_breaks() {
  std::string report =
      sim::testing::what_breaks_to_the_end("blocks are used again", blocks_are_used_again<Sync>(), 3);
  if (report.empty())
    report = sim::testing::what_breaks_to_the_end("everybody goes", everybody_goes<Sync>(), 3);
  return report;
}

TEST(explored_frames, NoBlockIsLostWithinTheBounds) { EXPECT_EQ(what_breaks<sim::explored_sync>(), ""); }

TEST(explored_frames, EachOrderIsNeeded) {
  if (pinion::testing::is_sanitized)
    GTEST_SKIP() << "a body that a violation stops lets go of nothing, and the sanitizer calls that a leak";
  using sync = sim::testing::weakening_sync<struct frames>;

  sim::testing::expect_each_order_is_needed<sync>([] { return what_breaks<sync>(); });
}

}  // namespace
}  // namespace pinion::scheduler::testing
