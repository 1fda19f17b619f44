// SPDX-License-Identifier: Apache-2.0
//
// A park whose end is further off than a kernel can count, on every ring.
#include <gtest/gtest.h>

#include <cstdint>
#include <pinion/base/diagnostic.hpp>

#include "asked.hpp"
#include "rings.hpp"

namespace pinion::iosubmit::testing {
namespace {

class LongParkTest : public ::testing::TestWithParam<ring_kind> {
 protected:
  void SetUp() override {
    set_diagnostic_sink([](const diagnostic&) noexcept {});  // that one falls back is meant
    if (!GetParam().refusal.empty()) GTEST_SKIP() << GetParam().refusal;
  }
  void TearDown() override { set_diagnostic_sink(nullptr); }

  static any_ring make() { return GetParam().make(16); }
};

// Of an owner whose next timer is further off than a kernel can count; also where it gathers.
TEST_P(LongParkTest, OfCenturiesLasts) {
  constexpr std::uint64_t year_ns = 31'557'600'000'000'000;
  constexpr int few =
      100;  // a wait that ends at once makes thousands; one over epoll ends early now and then
  struct gathering : batch_or_idle {
    static park_wait about_to_park(const queue_state&) noexcept {
      return {.count = 2, .gather = duration{1'000}};
    }
  };
  submission<batch_or_idle, any_ring> io{make()};
  submission<gathering, any_ring> gathers{make()};
  const kernel_time soon = kernel_time::of(duration{5'000'000});
  const auto parks = [&soon](auto& of, std::uint64_t years) {
    asked ends{entries::timeout(soon)}, other{entries::timeout(soon)};
    of.queue(ends);
    of.queue(other);
    int count = 0;
    for (; ends.answers == 0 || other.answers == 0; ++count)
      of.park(monotonic_clock::now() + duration{years * year_ns});
    return count;
  };

  for (const std::uint64_t years : {140U, 200U, 300U, 584U}) {
    EXPECT_LE(parks(io, years), few) << years << " years; it may end early";
    EXPECT_LE(parks(gathers, years), few) << years << " years";
  }
}

INSTANTIATE_TEST_SUITE_P(, LongParkTest, ::testing::ValuesIn(rings()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace pinion::iosubmit::testing
