// SPDX-License-Identifier: Apache-2.0
//
// F4, F5 and F6: what an allocator holds, asks for and counts.
#include "blocks.hpp"
#include "laws.hpp"

namespace pinion::scheduler::testing {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{64} << 10;

/// Turns until what a burst left must be gone. Says what a turn did too much.
violation shrink(const frames_factory& factory, any_frames& frames) {
  const std::size_t turns = turns_to_shrink + frames.statistics().bytes_held / chunk_bytes + 1;
  std::size_t held = frames.statistics().bytes_held;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    frames.collect();
    const std::size_t now = frames.statistics().bytes_held;
    if (now + chunk_bytes < held)
      return broken(factory, "turn ", turn, " gave back ", held - now, " bytes, which is more than a chunk");
    held = now;
  }
  return {};
}

violation a_burst_goes_back(const frames_factory& factory) {
  std::mt19937_64 numbers{factory.seed};
  for (const std::size_t bytes : {64U, 200U, 1'024U}) {
    const auto frames = factory.make();
    blocks mine{*frames, 20'000};
    mine.add(20'000, bytes);
    mine.free_but(0, numbers);
    if (violation what = shrink(factory, *frames)) return what;
    const std::size_t held = frames->statistics().bytes_held;
    if (held > factory.traits.reserve_bytes + chunk_bytes)
      return broken(factory, "of a burst of ", bytes, " bytes each, ", held, " bytes are held for good");
  }
  return {};
}

violation a_burst_that_others_free_goes_back(const frames_factory& factory) {
  const auto frames = factory.make();
  blocks mine{*frames, 20'000};
  mine.add(20'000, 300);
  mine.free_elsewhere();
  frames->collect();
  if (violation what = shrink(factory, *frames)) return what;
  const std::size_t held = frames->statistics().bytes_held;
  if (held > factory.traits.reserve_bytes + chunk_bytes)
    return broken(factory, "of a burst that others freed ", held, " bytes are held for good");
  return {};
}

violation a_burst_goes_back_beside_work(const frames_factory& factory) {
  const auto frames = factory.make();
  blocks mine{*frames, 20'000};
  mine.add(200, 300);
  mine.add(19'800, 200);
  while (mine.size() > 200) mine.free(mine.size() - 1);
  for (std::size_t turn = 0; turn < std::size_t{2} * turns_to_shrink; ++turn) {
    mine.add(10, 200);
    while (mine.size() > 200) mine.free(mine.size() - 1);
    frames->collect();
  }
  if (!mine.are_whole()) return broken(factory, "blocks changed while the memory beside them went");
  const std::size_t held = frames->statistics().bytes_held;
  if (held > factory.traits.reserve_bytes + 3 * chunk_bytes)
    return broken(factory, "beside an owner at work ", held, " bytes of a burst are held for good");
  return {};
}

violation trimming_gives_back_all(const frames_factory& factory) {
  std::mt19937_64 numbers{factory.seed};
  const auto frames = factory.make();
  blocks mine{*frames, 6'000};
  for (std::size_t k = 0; k < 6'000; ++k) mine.add(k % 2'000);
  mine.free_elsewhere(3'000);
  mine.free_but(0, numbers);
  frames->trim();
  if (frames->statistics().bytes_held != 0)
    return broken(factory, "trim() left ", frames->statistics().bytes_held,
                  " bytes though no block is in use");
  mine.add(100, 100);
  if (!mine.are_whole()) return broken(factory, "blocks behind a trim() are not whole");
  return {};
}

template <class Free>
violation asks_for_nothing(const frames_factory& factory, Free free_some) {
  const auto frames = factory.make();
  blocks mine{*frames, 5'000};
  const auto rise = [&] {
    for (std::size_t k = mine.size(); k < 5'000; ++k) mine.add(k % 16 * 60 + 10);
  };
  rise();
  free_some(mine);
  frames->collect();
  for (int round = 0; round < 20; ++round) {
    const std::size_t before = pieces_taken();
    rise();
    if (pieces_taken() != before)
      return broken(factory, "round ", round, " of one load took ", pieces_taken() - before,
                    " pieces of memory from the system");
    free_some(mine);
    for (int turn = 0; turn < 10; ++turn) frames->collect();
  }
  return {};
}

violation a_load_that_goes_up_and_down_asks_for_nothing(const frames_factory& factory) {
  return asks_for_nothing(factory, [](blocks& mine) { mine.free_all(); });
}
violation what_others_free_is_used_again(const frames_factory& factory) {
  return asks_for_nothing(factory, [](blocks& mine) {
    mine.free_elsewhere(2'000);
    mine.free_all();
  });
}
violation what_others_free_is_used_again_in_the_same_turn(const frames_factory& factory) {
  const auto frames = factory.make();
  blocks mine{*frames, 5'000};
  mine.add(5'000, 200);
  const std::size_t before = frames->statistics().bytes_held;
  for (int round = 0; round < 5; ++round) {
    mine.free_elsewhere(1'000);
    mine.add(4'000, 200);
    if (frames->statistics().bytes_held != before)
      return broken(factory, "an owner took memory while what others had freed waited for it");
  }
  return {};
}
violation holes_are_filled(const frames_factory& factory) {
  std::mt19937_64 numbers{factory.seed};
  const auto frames = factory.make();
  blocks mine{*frames, 5'000};
  mine.add(5'000, 200);
  for (int round = 0; round < 5; ++round) {
    mine.free_but(2'500, numbers);
    const std::size_t before = pieces_taken();
    mine.add(2'500, 200);
    if (pieces_taken() != before)
      return broken(factory, "2,500 blocks where others had been took ", pieces_taken() - before,
                    " pieces of memory");
  }
  return {};
}
// What one takes from, beside a chunk that is full, costs nothing either way.
violation one_block_at_the_edge_of_a_chunk_asks_for_nothing(const frames_factory& factory) {
  const auto frames = factory.make();
  blocks mine{*frames, 4'000};
  for (int k = 0; k < 3'000; ++k) {
    mine.add(1'000);
    const std::size_t before = pieces_taken();
    for (int again = 0; again < 3; ++again) {
      mine.add(1'000);
      mine.free(mine.size() - 1);
      frames->collect();
    }
    if (pieces_taken() > before + 1)
      return broken(factory, "with ", k, " blocks in use one more and one less took ",
                    pieces_taken() - before, " pieces of memory");
  }
  return {};
}

violation blocks_and_bytes_are_counted(const frames_factory& factory) {
  std::mt19937_64 numbers{factory.seed};
  const auto frames = factory.make();
  blocks mine{*frames, 3'000};
  for (int step = 0; step < 3'000; ++step) {
    if (mine.size() < 2'000 && numbers() % 5 < 3) {
      mine.add(numbers() % 1'600);
    } else if (mine.size() != 0) {
      mine.free(numbers() % mine.size());
    }
    if (step % 7 == 0) frames->collect();
    const frame_statistics seen = frames->statistics();
    if (seen.blocks != mine.size())
      return broken(factory, "step ", step, ": of ", mine.size(), " blocks ", seen.blocks, " are counted");
    if (seen.bytes_in_use < mine.bytes() || seen.bytes_in_use > mine.bytes() + 64 * mine.size())
      return broken(factory, "step ", step, ": of ", mine.bytes(), " bytes ", seen.bytes_in_use,
                    " are counted");
    if (seen.bytes_held < seen.bytes_in_use || seen.blocks < seen.large_blocks ||
        seen.chunks < seen.empty_chunks)
      return broken(factory, "step ", step, ": a part is more than the whole");
  }
  mine.free_all();
  const frame_statistics seen = frames->statistics();
  if (seen.blocks != 0 || seen.bytes_in_use != 0 || seen.large_blocks != 0)
    return broken(factory, "no block is in use, and counted are ", seen.blocks, " of ", seen.bytes_in_use,
                  " bytes");
  return {};
}

violation what_others_free_is_counted(const frames_factory& factory) {
  const auto frames = factory.make();
  blocks mine{*frames, 2'000};
  for (std::size_t k = 0; k < 2'000; ++k) mine.add(k % 1'400);
  mine.free_elsewhere(700);
  frames->collect();
  const frame_statistics seen = frames->statistics();
  if (seen.blocks != 700 || seen.frees_elsewhere != 1'300)
    return broken(factory, "of 700 blocks in use and 1,300 freed elsewhere ", seen.blocks, " and ",
                  seen.frees_elsewhere, " are counted");
  if (seen.bytes_in_use < mine.bytes() || seen.bytes_in_use > mine.bytes() + 64 * seen.blocks)
    return broken(factory, "bytes that others freed are counted wrong");
  return {};
}

}  // namespace

std::vector<frames_clause> memory_goes_back() {
  return {{"F4", "ABurstGoesBack", a_burst_goes_back},
          {"F4", "ABurstThatOthersFreeGoesBack", a_burst_that_others_free_goes_back},
          {"F4", "ABurstGoesBackBesideWork", a_burst_goes_back_beside_work},
          {"F4", "TrimmingGivesBackAll", trimming_gives_back_all}};
}

std::vector<frames_clause> no_allocation() {
  return {
      {"F5", "ALoadThatGoesUpAndDownAsksForNothing", a_load_that_goes_up_and_down_asks_for_nothing},
      {"F5", "WhatOthersFreeIsUsedAgain", what_others_free_is_used_again},
      {"F5", "WhatOthersFreeIsUsedAgainInTheSameTurn", what_others_free_is_used_again_in_the_same_turn},
      {"F5", "HolesAreFilled", holes_are_filled},
      {"F5", "OneBlockAtTheEdgeOfAChunkAsksForNothing", one_block_at_the_edge_of_a_chunk_asks_for_nothing}};
}

std::vector<frames_clause> counted() {
  return {{"F6", "BlocksAndBytesAreCounted", blocks_and_bytes_are_counted},
          {"F6", "WhatOthersFreeIsCounted", what_others_free_is_counted}};
}

}  // namespace pinion::scheduler::testing
