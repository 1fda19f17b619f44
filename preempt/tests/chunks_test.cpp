// SPDX-License-Identifier: Apache-2.0
//
// chunks: what the pieces are, of which ranges, and how long they may be kept.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <limits>
#include <list>
#include <memory>
#include <pinion/preempt.hpp>
#include <ranges>
#include <span>
#include <sstream>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "turn_loop.hpp"

namespace pinion::preempt {
namespace {

// The pieces as lists of numbers.
template <class Chunks>
std::vector<std::vector<int>> pieces_of(Chunks&& all) {
  std::vector<std::vector<int>> pieces;
  for (auto piece : all) {
    pieces.emplace_back();
    for (const int value : piece) pieces.back().push_back(value);
  }
  return pieces;
}

using numbers = std::vector<std::vector<int>>;

TEST(ChunksTest, TheLastPieceIsShorter) {
  const std::vector values{1, 2, 3, 4, 5, 6, 7};

  EXPECT_EQ(pieces_of(chunks<3>(values)), (numbers{{1, 2, 3}, {4, 5, 6}, {7}}));
  EXPECT_EQ(chunks<3>(values).size(), 3U);
}

TEST(ChunksTest, AllAreWholeWhereTheLengthIsAMultiple) {
  const std::vector values{1, 2, 3, 4};

  EXPECT_EQ(pieces_of(chunks<2>(values)), (numbers{{1, 2}, {3, 4}}));
  EXPECT_EQ(pieces_of(chunks<4>(values)), (numbers{{1, 2, 3, 4}}));
  EXPECT_EQ(pieces_of(chunks<1>(values)), (numbers{{1}, {2}, {3}, {4}}));
  EXPECT_EQ(chunks<2>(values).size(), 2U);
}

TEST(ChunksTest, AnEmptyRangeHasNone) {
  const std::vector<int> none;

  EXPECT_TRUE(pieces_of(chunks<3>(none)).empty());
  EXPECT_TRUE(chunks<3>(none).empty());
  EXPECT_EQ(chunks<3>(none).size(), 0U);
}

TEST(ChunksTest, AShortRangeIsOne) {
  constexpr std::size_t longest = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
  const std::vector values{1, 2};

  EXPECT_EQ(pieces_of(chunks<3>(values)), (numbers{{1, 2}}));
  EXPECT_EQ(pieces_of(chunks<longest>(values)), (numbers{{1, 2}}));
}

TEST(ChunksTest, PiecesOfAnyForwardRange) {
  std::list list{1, 2, 3};
  std::forward_list forward{1, 2, 3};
  auto odd = std::views::iota(0, 8) | std::views::filter([](int value) { return value % 2 != 0; });

  EXPECT_EQ(pieces_of(chunks<2>(list)), (numbers{{1, 2}, {3}}));
  EXPECT_EQ(pieces_of(chunks<2>(forward)), (numbers{{1, 2}, {3}}));
  EXPECT_EQ(pieces_of(chunks<3>(odd)), (numbers{{1, 3, 5}, {7}}));
  EXPECT_EQ(chunks<2>(list).size(), 2U);
}

TEST(ChunksTest, AnEndlessRangeHasAnyNumberOfThem) {
  int last = 0;
  for (auto piece : chunks<10>(std::views::iota(0))) {
    last = piece.back();
    if (last > 50) break;
  }

  EXPECT_EQ(last, 59);
}

TEST(ChunksTest, ElementsAreReachedAndNotCopied) {
  std::vector<std::unique_ptr<int>> owned;
  for (int i = 0; i < 3; ++i) owned.push_back(std::make_unique<int>(i));

  for (auto piece : chunks<2>(owned)) {
    for (std::unique_ptr<int>& each : piece) *each += 10;
  }

  EXPECT_EQ(*owned[0] + *owned[1] + *owned[2], 33);
}

TEST(ChunksTest, ATemporaryContainerIsOwned) {
  auto kept = chunks<2>(std::vector{1, 2, 3});

  EXPECT_EQ(pieces_of(kept), (numbers{{1, 2}, {3}}));
  EXPECT_EQ(pieces_of(kept), (numbers{{1, 2}, {3}})) << "a second time";
}

TEST(ChunksTest, ALoopYieldsBetweenThem) {
  always_due source;
  testing::turn_loop loop{source};
  std::vector values{1, 2, 3, 4, 5};
  constexpr auto body = [](testing::turn_loop& on, std::vector<int>& of) -> testing::task {
    for (auto piece : chunks<2>(of)) {
      for (int& value : piece) value *= 3;
      co_await yield_if_needed(on);
    }
  };
  testing::task triples = body(loop, values);
  loop.spawn(triples);

  loop.run();

  EXPECT_TRUE(triples.is_done());
  EXPECT_EQ(values, (std::vector{3, 6, 9, 12, 15}));
  EXPECT_EQ(loop.turns, 1U + 3U);
}

constexpr int sum_of_lengths_squared() {
  const std::array<int, 7> values{};
  std::size_t sum = 0;
  for (auto piece : chunks<3>(values)) sum += piece.size() * piece.size();
  return static_cast<int>(sum);
}
static_assert(sum_of_lengths_squared() == 9 + 9 + 1);

template <class Range>
using piece = std::ranges::range_value_t<decltype(chunks<2>(std::declval<Range>()))>;
static_assert(std::is_same_v<piece<std::vector<int>&>, std::span<int>>);
static_assert(std::is_same_v<piece<const std::vector<int>&>, std::span<const int>>);
static_assert(std::is_same_v<piece<std::string_view>, std::span<const char>>);
static_assert(std::is_same_v<piece<std::list<int>&>, std::ranges::subrange<std::list<int>::iterator>>);

template <class Range>
using view = decltype(chunks<2>(std::declval<Range>()));
static_assert(std::ranges::view<view<std::vector<int>&>> &&
              std::ranges::forward_range<view<std::vector<int>&>>);
static_assert(std::ranges::forward_range<const view<std::list<int>&>>);
static_assert(std::ranges::sized_range<view<std::list<int>&>> &&
              !std::ranges::sized_range<view<std::forward_list<int>&>>);
static_assert(std::ranges::borrowed_range<view<std::vector<int>&>> &&
              std::ranges::borrowed_range<view<std::string_view>>);
static_assert(!std::ranges::borrowed_range<view<std::vector<int>>>, "it owns its elements");

template <std::size_t N, class Range> concept can_be_cut = requires(Range range) { chunks<N>(range); };
static_assert(can_be_cut<1, std::vector<int>> && !can_be_cut<0, std::vector<int>>);
static_assert(!can_be_cut<std::numeric_limits<std::size_t>::max(), std::vector<int>>);
static_assert(!can_be_cut<2, std::ranges::istream_view<int>>, "it can be read once");

}  // namespace
}  // namespace pinion::preempt
