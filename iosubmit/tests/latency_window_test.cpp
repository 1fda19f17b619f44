// SPDX-License-Identifier: Apache-2.0
//
// latency_window against an oracle that keeps everything and sorts it anew. RapidCheck chooses the latencies,
// and prints the seed of a failure (RC_PARAMS="seed=…" repeats it).
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <pinion/iosubmit/detail/latency_window.hpp>
#include <string>
#include <vector>

#include "allocations.hpp"

namespace pinion::iosubmit {
namespace {

using policy_detail::latency_percentiles;
using policy_detail::latency_window;

__extension__ using wide = unsigned __int128;

/// Whatever was pushed last, sorted, and read at the places that the definition of nearest rank names.
class oracle {
 public:
  explicit oracle(std::size_t size) : size_(size) {}

  void push(std::uint64_t latency) { all_.push_back(latency); }
  [[nodiscard]] std::vector<std::uint64_t> held() const {
    return {all_.end() - static_cast<std::ptrdiff_t>(std::min(size_, all_.size())), all_.end()};
  }
  [[nodiscard]] std::uint64_t average() const {
    wide sum = 0;
    for (const std::uint64_t one : held()) sum += one;
    return held().empty() ? 0 : static_cast<std::uint64_t>(sum / held().size());
  }
  /// The smallest of those held that at least so many thousandths of them do not exceed.
  [[nodiscard]] std::uint64_t percentile(std::uint64_t permille) const {
    std::vector<std::uint64_t> sorted = held();
    std::ranges::sort(sorted);
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      if ((k + 1) * 1000 >= permille * sorted.size()) return sorted[k];
    }
    return 0;
  }

 private:
  std::size_t size_;
  std::vector<std::uint64_t> all_;
};

template <std::uint32_t N>
bool agrees_with_the_oracle() {
  return rc::check("a window of " + std::to_string(N) + " is what the last pushes were", [] {
    const auto bits = *rc::gen::inRange(1, 54);  // few: many are equal; of more, a sum of 1000 is cut
    const auto count = *rc::gen::inRange<std::size_t>(0, 3 * std::size_t{N} + 2);
    const auto latencies = *rc::gen::container<std::vector<std::uint64_t>>(
        count, rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << bits));
    latency_window<N> window;
    oracle expected{N};

    for (const std::uint64_t latency : latencies) {
      window.push(duration{latency});
      expected.push(latency);
      RC_ASSERT(window.average() == duration{expected.average()});
      RC_ASSERT(window.size() == expected.held().size());
    }

    RC_ASSERT(window.percentiles() == (latency_percentiles{.p50 = duration{expected.percentile(500)},
                                                           .p99 = duration{expected.percentile(990)},
                                                           .p999 = duration{expected.percentile(999)}}));
  });
}

TEST(LatencyWindowTest, AgreesWithASortedListWhateverItsSize) {
  EXPECT_TRUE(agrees_with_the_oracle<1>());
  EXPECT_TRUE(agrees_with_the_oracle<2>());
  EXPECT_TRUE(agrees_with_the_oracle<100>());
  EXPECT_TRUE(agrees_with_the_oracle<128>());
  EXPECT_TRUE(agrees_with_the_oracle<1000>());
}

TEST(LatencyWindowTest, HoldsNothingAtFirst) {
  const latency_window window;

  EXPECT_EQ(window.size(), 0U);
  EXPECT_EQ(window.average(), duration{});
  EXPECT_EQ(window.percentiles(), latency_percentiles{});
}

TEST(LatencyWindowTest, HasTheSecondWorstOf128AsItsP99AndTheWorstOf99) {
  latency_window of_99;
  latency_window of_100;
  latency_window of_128;
  for (std::uint64_t k = 1; k <= 128; ++k) {
    if (k <= 99) of_99.push(duration{k});
    if (k <= 100) of_100.push(duration{k});
    of_128.push(duration{k});
  }

  EXPECT_EQ(of_99.percentiles().p99, duration{99});
  EXPECT_EQ(of_100.percentiles().p99, duration{99});
  EXPECT_EQ(of_128.percentiles().p99, duration{127});
  EXPECT_EQ(of_128.percentiles().p999, duration{128});
  EXPECT_EQ(of_128.percentiles().p50, duration{64});
}

TEST(LatencyWindowTest, HoldsWhatIsTooLongAsTheLongestThatCantOverflow) {
  latency_window window;

  for (int k = 0; k < 300; ++k) window.push(forever);

  EXPECT_EQ(window.average(), window.longest);
  EXPECT_EQ(window.percentiles().p50, window.longest);
}

TEST(LatencyWindowTest, NeverAllocates) {
  latency_window window;
  const std::size_t before = testing::allocations_so_far();

  for (std::uint64_t k = 0; k < 1'000; ++k) {
    window.push(duration{k * 7919 % 1'000});
    static_cast<void>(window.percentiles());
  }

  EXPECT_EQ(testing::allocations_so_far(), before);
}

}  // namespace
}  // namespace pinion::iosubmit
