// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <pinion/base/event_counter.hpp>
#include <pinion/base/histogram.hpp>
#include <random>
#include <type_traits>
#include <vector>

namespace pinion {
namespace {

constexpr std::uint64_t greatest_value = std::numeric_limits<std::uint64_t>::max();

TEST(HistogramTest, HasAPlaceForEachPowerOfTwo) {
  histogram<32> sizes;

  for (const std::uint64_t value : {0U, 1U, 2U, 3U, 4U, 7U, 8U, ~0U}) sizes.add(value);

  static_assert(histogram<32>::places == 33);
  EXPECT_EQ(sizes[0], 1U);
  EXPECT_EQ(sizes[1], 1U);
  EXPECT_EQ(sizes[2], 2U);
  EXPECT_EQ(sizes[3], 2U);
  EXPECT_EQ(sizes[4], 1U);
  EXPECT_EQ(sizes[32], 1U);
  EXPECT_EQ(sizes.count(), 8U);
  EXPECT_EQ(sizes.least(0), 0U);
  EXPECT_EQ(sizes.least(1), 1U);
  EXPECT_EQ(sizes.least(3), 4U);
  EXPECT_EQ(sizes.least(32), std::uint64_t{1} << 31);
}

template <class Histogram>
class histograms : public ::testing::Test {};
using shapes = ::testing::Types<histogram<>, histogram<32>, histogram<64, 3>, histogram<36, 4, std::uint32_t>,
                                histogram<48, 1>, histogram<8, 7>, histogram<5, 2, std::uint8_t>>;
TYPED_TEST_SUITE(histograms, shapes);

TYPED_TEST(histograms, PlacesFollowOneAnotherWithoutAGap) {
  EXPECT_EQ(TypeParam::least(0), 0U);
  EXPECT_EQ(TypeParam::greatest(TypeParam::places - 1), greatest_value);
  for (std::size_t place = 0; place < TypeParam::places; ++place) {
    if (place != 0) {
      EXPECT_EQ(TypeParam::least(place), TypeParam::greatest(place - 1) + 1);
    }
    EXPECT_LE(TypeParam::least(place), TypeParam::greatest(place));
    EXPECT_EQ(TypeParam::place_of(TypeParam::least(place)), place);
    EXPECT_EQ(TypeParam::place_of(TypeParam::greatest(place)), place);
  }
}

TYPED_TEST(histograms, MergingIsAddingAll) {
  TypeParam whole, one, other;
  std::minstd_rand random{1};

  for (int k = 0; k < 100; ++k) {
    const std::uint64_t value = (std::uint64_t{random()} << 32U | random()) >> random() % 64;
    (k % 3 == 0 ? one : other).add(value);
    whole.add(value);
  }
  one.merge(other);

  EXPECT_EQ(one, whole);
  EXPECT_EQ(one.count(), 100U);
}

template <unsigned Bits, unsigned Fine>
void expect_quantiles_within_their_error() {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::minstd_rand random{seed};
    std::vector<std::uint64_t> values(1 + random() % 300);
    histogram<Bits, Fine> counted;
    for (std::uint64_t& value : values) {
      value = (std::uint64_t{random()} << 32U | random()) >> (64 - Bits + random() % Bits);
      counted.add(value);
    }
    std::sort(values.begin(), values.end());
    for (const std::uint32_t permille : {0U, 1U, 250U, 500U, 990U, 999U, 1000U, 4000U}) {
      const std::size_t rank =
          std::max<std::size_t>((values.size() * std::min(permille, 1000U) + 999) / 1000, 1);
      const std::uint64_t exact = values[rank - 1];
      const std::uint64_t told = counted.quantile(permille);
      ASSERT_GE(told, exact) << permille << ", seed " << seed;
      if (counted.place_of(exact) + 1 == counted.places) continue;  // those are not told from what is larger
      ASSERT_LE(told - exact, exact >> Fine) << permille << ", seed " << seed;
      if (exact != 0 && Fine != 0) {
        ASSERT_LT((told - exact) << Fine, exact) << permille << ", seed " << seed;
      }
    }
  }
}

TEST(HistogramTest, AQuantileIsAtLeastTheExactValueAndAboveItByLessThanItsError) {
  expect_quantiles_within_their_error<32, 0>();
  expect_quantiles_within_their_error<36, 3>();
  expect_quantiles_within_their_error<40, 4>();
  expect_quantiles_within_their_error<20, 7>();
}

TEST(HistogramTest, OfNothingEachQuantileIs0) {
  constexpr histogram<> none;

  static_assert(none.quantile(0) == 0 && none.quantile(500) == 0 && none.quantile(1000) == 0);
  EXPECT_EQ(none.count(), 0U);
}

TEST(HistogramTest, CountsWhatIsBeyondItsRangeInTheLastPlace) {
  histogram<10, 2> small;

  small.add(1'024);
  small.add(greatest_value);
  small.add(7);

  EXPECT_EQ(small[small.places - 1], 2U);
  EXPECT_EQ(small.quantile(333), 7U);
  EXPECT_EQ(small.quantile(500), greatest_value)
      << "a lower bound of what is not known would be taken for it";
}

TEST(HistogramTest, ASumBeyond64BitsIsFullToo) {
  histogram<> h;
  h.add(1, std::numeric_limits<std::uint64_t>::max());
  h.add(100);

  EXPECT_EQ(h.count(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(h.quantile(500), 1U);
}

TEST(HistogramTest, ACountThatIsFullStaysFull) {
  histogram<8, 0, std::uint8_t> narrow;

  for (int k = 0; k < 300; ++k) narrow.add(1);
  narrow.add(2, 200);
  histogram<8, 0, std::uint8_t> twice = narrow;
  twice.merge(narrow);

  EXPECT_EQ(narrow[1], 255U);
  EXPECT_EQ(narrow[2], 200U);
  EXPECT_EQ(twice[1], 255U);
  EXPECT_EQ(twice[2], 255U);
}

TEST(HistogramTest, RanksOfCountsThatFill64BitsDoNotOverflow) {
  histogram<> many;

  many.add(1, std::uint64_t{3} << 62U);
  many.add(8, std::uint64_t{1} << 61U);

  EXPECT_EQ(many.quantile(0), 1U);
  EXPECT_EQ(many.quantile(850), 1U);
  EXPECT_EQ(many.quantile(860), 15U);
  EXPECT_EQ(many.quantile(1000), 15U);
}

struct seen {
  std::uint64_t parks = 0;
  histogram<36, 2> lengths;
};
static_assert(std::is_empty_v<event_counter<seen>> == !is_counted);
template <class Counter> concept has_total = requires(const Counter& counter) { counter.total(); };
static_assert(has_total<event_counter<seen>> == is_counted);

TEST(EventCounterTest, CountsEventsAndValues) {
  event_counter<seen> events;

  events.count(&seen::parks);
  events.count(&seen::parks, 3);
  events.add(&seen::lengths, 9);

#if PINION_COUNTED
  EXPECT_EQ(events.total().parks, 4U);
  EXPECT_EQ(events.total().lengths.quantile(500), 9U);
#else
  GTEST_SKIP() << "only a build with PINION_STATISTICS=ON counts";
#endif
}

}  // namespace
}  // namespace pinion
