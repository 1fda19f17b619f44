// SPDX-License-Identifier: Apache-2.0
//
// F1, F2 and F3: blocks are memory, wherever and whenever they are freed.
#include <new>

#include "blocks.hpp"
#include "laws.hpp"

namespace pinion::scheduler::testing {
namespace {

violation blocks_are_aligned_and_apart(const frames_factory& factory) {
  std::mt19937_64 numbers{factory.seed};
  const auto frames = factory.make();
  blocks mine{*frames, 4'000};
  for (int round = 0; round < 6; ++round) {
    while (mine.size() < 3'000) mine.add(numbers() % (numbers() % 8 == 0 ? 5'000 : 1'100));
    if (!mine.are_aligned()) return broken(factory, "in round ", round, " a block was not aligned");
    if (!mine.are_whole())
      return broken(factory, "in round ", round, " a block was written by another's owner");
    mine.free_but(numbers() % 3'000, numbers);
    if (!mine.are_whole()) return broken(factory, "in round ", round, " a free wrote into another block");
  }
  return {};
}

// Enough chunks that lists of them have middles, and chunks that were of one size are of another.
violation many_chunks_come_and_go(const frames_factory& factory) {
  std::mt19937_64 numbers{factory.seed};
  const auto frames = factory.make();
  blocks mine{*frames, 10'000};
  for (int round = 0; round < 12; ++round) {
    const std::size_t bytes = round % 3 == 0 ? 1'000 : 300 + numbers() % 700;
    while (mine.size() < 10'000) mine.add(bytes);
    mine.free_but(numbers() % 2'000, numbers);
    if (!mine.are_whole())
      return broken(factory, "in round ", round, " of many chunks a block was overwritten");
    if (frames->statistics().blocks != mine.size())
      return broken(factory, "in round ", round, " of many chunks ", frames->statistics().blocks,
                    " blocks are counted of ", mine.size());
  }
  mine.free_all();
  if (frames->statistics().blocks != 0) return broken(factory, "all were freed, and some are counted");
  return {};
}

violation each_size_has_room(const frames_factory& factory) {
  const auto frames = factory.make();
  blocks mine{*frames, 8'000};
  for (std::size_t bytes = 0; bytes <= 1'300; ++bytes) {
    for (int k = 0; k < 3; ++k) mine.add(bytes);
  }
  if (!mine.are_aligned()) return broken(factory, "a block of some size was not aligned");
  if (!mine.are_whole()) return broken(factory, "a block of some size has no room for it");
  return {};
}

violation a_refused_block_changes_nothing(const frames_factory& factory) {
  for (const std::size_t bytes : {64U, 200U, 1'024U, 1'025U, 5'000U}) {
    const auto frames = factory.make();
    blocks mine{*frames, 4'000};
    mine.add(10, bytes);
    bool refused = false;
    refuse_next_piece(true);
    for (int k = 0; k < 2'000 && !refused; ++k) {
      try {
        mine.add(bytes);
      } catch (const std::bad_alloc&) {
        refused = true;
      }
    }
    refuse_next_piece(false);
    if (!refused) return broken(factory, "of ", bytes, " bytes 2,000 were had without memory");
    if (frames->statistics().blocks != mine.size())
      return broken(factory, "a refused block of ", bytes, " bytes was counted");
    mine.add(100, bytes);
    if (!mine.are_whole())
      return broken(factory, "blocks of ", bytes, " bytes changed around one that was refused");
    mine.free_all();
    if (frames->statistics().blocks != 0) return broken(factory, "all were freed and some are counted");
  }
  return {};
}

violation a_block_may_be_freed_on_any_thread(const frames_factory& factory) {
  const auto frames = factory.make();
  for (int round = 0; round < 3; ++round) {
    blocks mine{*frames, 2'000};
    for (std::size_t k = 0; k < 1'000; ++k) mine.add(k * 3 % 1'500);
    mine.free_elsewhere(500);
    mine.add(300, 128);
    if (!mine.are_whole()) return broken(factory, "blocks changed while others were freed elsewhere");
    mine.free_elsewhere(100);
    mine.free_all();
    frames->collect();
    if (frames->statistics().blocks != 0)
      return broken(factory, "of what another thread freed ", frames->statistics().blocks,
                    " never came back");
  }
  return {};
}

violation memory_stays_until_the_last_block(const frames_factory& factory) {
  for (const bool last_one_elsewhere : {false, true}) {
    const std::size_t before = pieces_held();
    {
      const auto frames = factory.make();
      blocks mine{*frames, 3'000};
      for (std::size_t k = 0; k < 3'000; ++k) mine.add(k % 1'400);
      mine.free_elsewhere(2'500);
      frames->drop();
      if (!mine.are_whole()) return broken(factory, "blocks changed when their allocator went");
      mine.free_elsewhere(1'000);
      for (int k = 0; k < 500; ++k) mine.free(0);
      if (!mine.are_whole())
        return broken(factory, "blocks without an allocator changed when others were freed");
      mine.free_elsewhere(1);
      if (!mine.are_whole()) return broken(factory, "the last block changed when the others were freed");
      last_one_elsewhere ? mine.free_elsewhere() : mine.free_all();
    }
    if (pieces_held() != before)
      return broken(factory, pieces_held() - before, " pieces of memory stayed behind the last block");
  }
  return {};
}

violation an_allocator_without_blocks_leaves_nothing(const frames_factory& factory) {
  const std::size_t before = pieces_held();
  {
    const auto frames = factory.make();
    blocks mine{*frames, 3'000};
    for (std::size_t k = 0; k < 3'000; ++k) mine.add(k % 1'400);
    mine.free_elsewhere(1'000);
    mine.free_all();
  }
  if (pieces_held() != before)
    return broken(factory, pieces_held() - before,
                  " pieces of memory stayed though all blocks had come back");
  return {};
}

violation another_thread_takes_over(const frames_factory& factory) {
  const auto frames = factory.make();
  blocks mine{*frames, 2'000};
  mine.add(1'000, 300);
  frames->let_go();
  bool is_whole = false;
  std::size_t counted = 0;
  std::thread{[&] {
    frames->take_over();
    for (int k = 0; k < 500; ++k) mine.free(0);
    mine.add(300, 300);
    is_whole = mine.are_whole();
    frames->collect();
    counted = frames->statistics().blocks;
    frames->let_go();
  }}.join();
  for (int k = 0; k < 100; ++k) mine.free(0);  // by nobody's owner
  frames->take_over();
  frames->collect();
  if (!is_whole) return broken(factory, "blocks changed under a new owner");
  if (counted != 800 || frames->statistics().blocks != 700)
    return broken(factory, "of 800 and 700 blocks owners counted ", counted, " and ",
                  frames->statistics().blocks);
  return {};
}

violation a_free_elsewhere_takes_no_lock(const frames_factory& factory) {
  const auto frames = factory.make();
  blocks mine{*frames, 2'000};
  for (std::size_t k = 0; k < 2'000; ++k) mine.add(k % 1'400);
  std::size_t locks = 0;
  std::thread{[&] {
    const std::size_t before = locks_so_far();
    for (int k = 0; k < 1'500; ++k) mine.free(0);
    locks = locks_so_far() - before;
  }}.join();
  mine.free_all();
  return locks == 0 ? violation{} : broken(factory, "1,500 frees elsewhere took ", locks, " locks");
}

violation the_owner_takes_no_lock(const frames_factory& factory) {
  const auto frames = factory.make();
  blocks mine{*frames, 2'000};
  const std::size_t before = locks_so_far();
  for (std::size_t k = 0; k < 2'000; ++k) mine.add(k % 1'400);
  mine.free_all();
  frames->collect();
  const std::size_t locks = locks_so_far() - before;
  return locks == 0 ? violation{} : broken(factory, "2,000 blocks took their owner ", locks, " locks");
}

}  // namespace

std::vector<frames_clause> memory() {
  return {{"F1", "BlocksAreAlignedAndApart", blocks_are_aligned_and_apart},
          {"F1", "ManyChunksComeAndGo", many_chunks_come_and_go},
          {"F1", "EachSizeHasRoom", each_size_has_room},
          {"F1", "ARefusedBlockChangesNothing", a_refused_block_changes_nothing}};
}

std::vector<frames_clause> anywhere() {
  return {{"F2", "ABlockMayBeFreedOnAnyThread", a_block_may_be_freed_on_any_thread},
          {"F2", "MemoryStaysUntilTheLastBlock", memory_stays_until_the_last_block},
          {"F2", "AnAllocatorWithoutBlocksLeavesNothing", an_allocator_without_blocks_leaves_nothing},
          {"F2", "AnotherThreadTakesOver", another_thread_takes_over}};
}

std::vector<frames_clause> no_lock() {
  return {{"F3", "AFreeElsewhereTakesNoLock", a_free_elsewhere_takes_no_lock},
          {"F3", "TheOwnerTakesNoLock", the_owner_takes_no_lock}};
}

}  // namespace pinion::scheduler::testing
