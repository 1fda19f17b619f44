// SPDX-License-Identifier: Apache-2.0
//
// What a frame's memory costs: taking it and giving it back, here and on another thread.
//
// A source is made without arguments, and has allocate(bytes), deallocate(block, bytes), and `frames`, its
// allocator.
#pragma once

#include <bench/program/program.hpp>
#include <cstddef>
#include <cstdint>
#include <pinion/scheduler.hpp>
#include <vector>

namespace pinion::scheduler::bench::inline PINION_MODE {

inline constexpr std::size_t frame_bytes = 200;

/// An allocator by itself.
template <class Frames>
struct by_allocator {
  Frames frames;
  void* allocate(std::size_t bytes) { return frames.allocate(bytes); }
  void deallocate(void* block, std::size_t bytes) noexcept { frames.deallocate(block, bytes); }
};
/// As a promise has it.
template <class Frames>
struct by_promise {
  Frames frames;
  use_frames here{frames};
  static void* allocate(std::size_t bytes) { return frame_allocated::operator new(bytes); }
  static void deallocate(void* block, std::size_t bytes) noexcept {
    frame_allocated::operator delete(block, bytes);
  }
};

/// One frame after another: each is gone before the next.
template <class Source, class Meter>
pinion::bench::measured measure_one_frame(std::size_t times) {
  Source source;
  source.deallocate(source.allocate(frame_bytes), frame_bytes);
  pinion::bench::measured result{.operations = times, .expected = 0};
  const Meter meter;
  for (std::size_t k = 0; k < times; ++k) {
    void* block = source.allocate(frame_bytes);
    asm volatile("" : "+r"(block) : : "memory");  // what is in it
    source.deallocate(block, frame_bytes);
  }
  result.seconds = meter.seconds();
  result.checksum = source.frames.statistics().blocks;
  return result;
}

/// `count` frames that are all there at once, in memory that was used before: their taking, and their giving
/// back.
struct many_frames {
  pinion::bench::measured allocate, deallocate;
};
template <class Source, class Meter>
many_frames measure_many_frames(std::size_t count) {
  Source source;
  std::vector<void*> blocks(count);
  many_frames result{.allocate = {.operations = count, .expected = count},
                     .deallocate = {.operations = count}};
  const auto take = [&] {
    for (void*& block : blocks) block = source.allocate(frame_bytes);
  };
  const auto give = [&] {
    for (void* const block : blocks) source.deallocate(block, frame_bytes);
  };
  take();
  give();
  {
    const Meter meter;
    take();
    result.allocate.seconds = meter.seconds();
  }
  result.allocate.checksum = source.frames.statistics().blocks;
  {
    const Meter meter;
    give();
    result.deallocate.seconds = meter.seconds();
  }
  result.deallocate.checksum = source.frames.statistics().blocks;
  return result;
}

/// `count` frames that are freed where nobody owns their allocator, which is as another thread frees them,
/// and taken by the owner.
struct frames_elsewhere {
  pinion::bench::measured deallocate, collect;
};
template <class Frames, class Meter>
frames_elsewhere measure_frames_elsewhere(std::size_t count) {
  Frames frames;
  std::vector<void*> blocks(count);
  for (void*& block : blocks) block = frames.allocate(frame_bytes);
  frames_elsewhere result{.deallocate = {.operations = count, .expected = count},
                          .collect = {.operations = count}};
  frames.let_go();
  {
    const Meter meter;
    for (void* const block : blocks) frames.deallocate(block, frame_bytes);
    result.deallocate.seconds = meter.seconds();
  }
  result.deallocate.checksum = frames.statistics().blocks;
  frames.take_over();
  {
    const Meter meter;
    frames.collect();
    result.collect.seconds = meter.seconds();
  }
  result.collect.checksum = frames.statistics().blocks;
  return result;
}

}  // namespace pinion::scheduler::bench::inline PINION_MODE
