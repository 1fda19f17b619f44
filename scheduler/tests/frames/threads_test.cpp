// SPDX-License-Identifier: Apache-2.0
//
// Owners that pass blocks to each other, free what they are given, and go while their blocks are still out.
// For ThreadSanitizer.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <mutex>
#include <pinion/scheduler.hpp>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sanitized.hpp"

namespace pinion::scheduler {
namespace {

struct parcel {
  frame_origin* from = nullptr;
  unsigned char* block = nullptr;
  std::size_t bytes = 0;
  unsigned char mark = 0;

  [[nodiscard]] bool is_whole() const noexcept {
    for (std::size_t k = 0; k != bytes; ++k)
      if (block[k] != mark) return false;
    return true;
  }
};

/// Where parcels wait for any thread. No more than so many.
class market {
 public:
  void put(parcel one) {
    const std::lock_guard locked{mutex_};
    parcels_.push_back(one);
  }
  bool take(parcel& one, std::uint64_t number) {
    const std::lock_guard locked{mutex_};
    if (parcels_.empty()) return false;
    std::swap(parcels_[number % parcels_.size()], parcels_.back());
    one = parcels_.back();
    parcels_.pop_back();
    return true;
  }

 private:
  std::mutex mutex_;
  std::vector<parcel> parcels_;
};

/// An owner's life: returns how many parcels it found broken.
template <class Frames>
std::size_t live(market& shared, std::uint64_t seed, std::size_t steps) {
  std::mt19937_64 numbers{seed};
  Frames frames;
  std::vector<parcel> mine;
  std::size_t broken = 0;
  const auto end = [&](parcel& one) {
    broken += one.is_whole() ? 0U : 1U;
    std::memset(one.block, 0, one.bytes);
    one.from->deallocate(one.block, one.bytes);
  };
  for (std::size_t step = 0; step < steps; ++step) {
    const std::uint64_t dice = numbers() % 8;
    if (dice < 4) {
      parcel one{&frames.origin(), nullptr, numbers() % 16 == 0 ? 2'000 : numbers() % 400,
                 static_cast<unsigned char>(numbers())};
      one.block = static_cast<unsigned char*>(frames.allocate(one.bytes));
      std::memset(one.block, one.mark, one.bytes);
      dice < 2 ? shared.put(one) : mine.push_back(one);
    } else if (dice < 6) {
      parcel one;
      if (shared.take(one, numbers())) end(one);
    } else if (dice == 6 && !mine.empty()) {
      std::swap(mine[numbers() % mine.size()], mine.back());
      end(mine.back());
      mine.pop_back();
    } else {
      frames.collect();
      if (numbers() % 256 == 0) frames.trim();
    }
  }
  for (parcel& one : mine) shared.put(one);  // and goes
  return broken;
}

template <class Frames>
class frames_between_threads : public ::testing::Test {};
#if PINION_WITH_JEMALLOC
using allocators = ::testing::Types<slab_frames, malloc_frames, jemalloc_frames>;
#else
using allocators = ::testing::Types<slab_frames, malloc_frames>;
#endif
TYPED_TEST_SUITE(frames_between_threads, allocators);

TYPED_TEST(frames_between_threads, AreWholeWhoeverFreesThem) {
  constexpr std::size_t threads = 4;
  const std::size_t lives = pinion::testing::is_sanitized ? 5 : 20;
  market shared;
  std::vector<std::size_t> broken(threads);
  {
    std::vector<std::thread> all;
    all.reserve(threads);
    for (std::size_t which = 0; which < threads; ++which) {
      all.emplace_back([&, which] {
        for (std::uint64_t life = 0; life < lives; ++life)
          broken[which] += live<TypeParam>(shared, which * 1'000 + life, 5'000);
      });
    }
    for (std::thread& one : all) one.join();
  }

  parcel one;
  while (shared.take(one, 0)) {
    EXPECT_TRUE(one.is_whole());
    one.from->deallocate(one.block, one.bytes);
  }
  for (const std::size_t here : broken) EXPECT_EQ(here, 0U);
}

TYPED_TEST(frames_between_threads, MayAllBeFreedElsewhereWhileTheirOwnerWorks) {
  TypeParam frames;
  const std::size_t rounds = pinion::testing::is_sanitized ? 20 : 200;
  std::vector<std::vector<void*>> given(2);
  for (std::size_t round = 0; round < rounds; ++round) {
    for (auto& blocks : given) {
      blocks.clear();
      for (int k = 0; k < 200; ++k) {
        blocks.push_back(frames.allocate(150));
        std::memset(blocks.back(), 7, 150);
      }
    }
    std::vector<std::thread> others;
    others.reserve(given.size());
    for (auto& blocks : given) {
      others.emplace_back([&] {
        for (void* const block : blocks) {
          std::memset(block, 8, 150);
          frames.deallocate(block, 150);
        }
      });
    }
    for (int k = 0; k < 400; ++k) {
      void* const block = frames.allocate(150);
      std::memset(block, 9, 150);
      frames.deallocate(block, 150);
      if (k % 16 == 0) frames.collect();
    }
    for (std::thread& other : others) other.join();
  }
  frames.collect();

  EXPECT_EQ(frames.statistics().blocks, 0U);
  EXPECT_EQ(frames.statistics().frees_elsewhere, rounds * 400);
}

}  // namespace
}  // namespace pinion::scheduler
