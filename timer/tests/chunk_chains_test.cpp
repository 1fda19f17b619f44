// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numeric>
#include <pinion/timer/detail/chunk_chains.hpp>
#include <vector>

namespace pinion::timer {
namespace {

using chain = chunk_chains::chain;
constexpr std::size_t chunk_size = chunk_chains::chunk_size;

void append_range(chunk_chains& chains, chain& to, std::uint32_t from, std::uint32_t end) {
  for (std::uint32_t k = from; k < end; ++k) chains.append(to, k);
}

/// Takes all off, leaving out what closing put in.
std::vector<std::uint32_t> drained(chunk_chains& chains, chain& from) {
  std::vector<std::uint32_t> all;
  std::array<std::uint32_t, chunk_size> chunk{};
  while (!from.empty()) {
    const std::size_t count = chains.pop(from, chunk);
    for (std::size_t k = 0; k < count; ++k) {
      if (chunk[k] != chunk_chains::nothing) all.push_back(chunk[k]);
    }
  }
  return all;
}

/// How many chunks a chain has.
std::size_t length(const chunk_chains& chains, const chain& c) {
  std::size_t count = 0;
  for (const chunk_chains::chunk* k = chains.first(c); k != nullptr;
       k = chains.is_last(c, *k) ? nullptr : &chains.next(*k)) {
    ++count;
  }
  return count;
}

std::vector<std::uint32_t> numbers(std::uint32_t from, std::uint32_t end) {
  std::vector<std::uint32_t> all(end - from);
  std::iota(all.begin(), all.end(), from);
  return all;
}

TEST(chunk_chains, GivesBackInOrderWhatWasAppended) {
  for (const std::uint32_t n : {1U, 14U, 15U, 16U, 30U, 31U, 100U}) {
    chunk_chains chains;
    chains.reserve(64);
    chain c;

    append_range(chains, c, 0, n);

    EXPECT_EQ(length(chains, c), (n + chunk_size - 1) / chunk_size);
    EXPECT_EQ(drained(chains, c), numbers(0, n));
    EXPECT_TRUE(c.empty());
    EXPECT_EQ(length(chains, c), 0U);
  }
}

TEST(chunk_chains, PopsOneChunkAtATime) {
  chunk_chains chains;
  chains.reserve(64);
  chain c;
  append_range(chains, c, 0, 20);
  std::array<std::uint32_t, chunk_size> chunk{};

  const std::size_t first = chains.pop(c, chunk);
  const std::uint32_t first_number = chunk[0];
  const std::size_t second = chains.pop(c, chunk);

  EXPECT_EQ(first, chunk_size);
  EXPECT_EQ(first_number, 0U);
  EXPECT_EQ(second, 5U);
  EXPECT_EQ(chunk[4], 19U);
  EXPECT_TRUE(c.empty());
}

TEST(chunk_chains, LooksAheadIntoTheFirstChunk) {
  chunk_chains chains;
  chains.reserve(64);
  chain c;

  EXPECT_EQ(chains.first(c), nullptr);
  append_range(chains, c, 7, 30);

  ASSERT_NE(chains.first(c), nullptr);
  EXPECT_EQ(chains.first(c)->words[0], 7U);
}

TEST(chunk_chains, ChainsOfOnePoolAreApart) {
  chunk_chains chains;
  chains.reserve(64);
  chain even;
  chain odd;

  for (std::uint32_t k = 0; k < 100; ++k) chains.append(k % 2 == 0 ? even : odd, k);

  const std::vector<std::uint32_t> evens = drained(chains, even);
  const std::vector<std::uint32_t> odds = drained(chains, odd);
  ASSERT_EQ(evens.size(), 50U);
  ASSERT_EQ(odds.size(), 50U);
  for (std::uint32_t k = 0; k < 50; ++k) {
    EXPECT_EQ(evens[k], 2 * k);
    EXPECT_EQ(odds[k], 2 * k + 1);
  }
}

TEST(chunk_chains, AClosedChainGoesOnInANewChunk) {
  chunk_chains chains;
  chains.reserve(64);
  chain c;
  append_range(chains, c, 0, 3);

  chains.close(c);
  append_range(chains, c, 3, 5);

  EXPECT_EQ(length(chains, c), 2U);
  EXPECT_EQ(drained(chains, c), numbers(0, 5));
}

TEST(chunk_chains, ClosingAnEmptyChainIsNothing) {
  chunk_chains chains;
  chains.reserve(64);
  chain c;

  chains.close(c);

  EXPECT_TRUE(c.empty());
  append_range(chains, c, 0, 2);
  EXPECT_EQ(drained(chains, c), numbers(0, 2));
}

TEST(chunk_chains, TakesAllOfAnotherChainBehindItsOwn) {
  for (const std::uint32_t own : {0U, 1U, 15U, 20U}) {
    for (const std::uint32_t others : {0U, 1U, 15U, 20U}) {
      chunk_chains chains;
      chains.reserve(64);
      chain to;
      chain other;
      append_range(chains, to, 0, own);
      append_range(chains, other, own, own + others);

      chains.take(to, other);
      EXPECT_TRUE(other.empty());
      append_range(chains, to, own + others, own + others + 3);

      EXPECT_EQ(drained(chains, to), numbers(0, own + others + 3)) << own << " and " << others;
    }
  }
}

TEST(chunk_chains, PoppedChunksAreUsedAgain) {
  chunk_chains chains;
  chains.reserve(1);
  const std::size_t held = chains.memory();
  chain c;

  // Many times what the pool holds; a checked build stops when the pool is empty.
  for (std::uint32_t round = 0; round < 100; ++round) {
    append_range(chains, c, 0, 15'000);
    EXPECT_EQ(drained(chains, c).size(), 15'000U);
  }

  EXPECT_EQ(chains.memory(), held);
}

TEST(chunk_chains, ClearGivesBackEveryChunk) {
  chunk_chains chains;
  chains.reserve(1);
  for (int round = 0; round < 3; ++round) {
    chain one;
    chain other;
    append_range(chains, one, 0, 7'500);
    append_range(chains, other, 0, 7'500);
    EXPECT_EQ(length(chains, one) + length(chains, other), 1'000U);

    chains.clear();
  }

  chain again;
  append_range(chains, again, 0, 15'000);
  EXPECT_EQ(drained(chains, again), numbers(0, 15'000));
}

TEST(chunk_chains, GrowingLeavesChainsAsTheyAre) {
  chunk_chains chains;
  chains.reserve(1);
  chain c;
  append_range(chains, c, 0, 15'000);

  chains.reserve(5'000);
  append_range(chains, c, 15'000, 60'000);

  EXPECT_EQ(drained(chains, c), numbers(0, 60'000));
}

TEST(chunk_chains, ACheckedPoolSaysThatItIsTooSmall) {
  if (!is_checked) GTEST_SKIP() << "expects a contract violation: only in a checked build";
  chunk_chains chains;
  chain c;

  EXPECT_DEATH(chains.append(c, 1), "the pool of chunks was sized too small");
}

}  // namespace
}  // namespace pinion::timer
