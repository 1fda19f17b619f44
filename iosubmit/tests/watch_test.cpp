// SPDX-License-Identifier: Apache-2.0
//
// A watch on every ring: answered again and again, and ended by its user_data.
#include <gtest/gtest.h>

#include <pinion/base/diagnostic.hpp>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <vector>

#include "asked.hpp"
#include "rings.hpp"

namespace pinion::iosubmit::testing {
namespace {

using test_io = submission<batch_or_idle, any_ring>;

class WatchTest : public ::testing::TestWithParam<ring_kind> {
 protected:
  void SetUp() override {
    set_diagnostic_sink([](const diagnostic&) noexcept {});  // that one falls back is meant
    if (!GetParam().refusal.empty()) GTEST_SKIP() << GetParam().refusal;
  }
  void TearDown() override { set_diagnostic_sink(nullptr); }

  static any_ring make() { return GetParam().make(16); }
};

TEST_P(WatchTest, APollMultishotAnswersAgainUntilItsWatchIsCancelled) {
  test_io io{make()};
  const joined pair = joined::sockets();
  std::vector<ring_completion> seen;
  const std::uint8_t mark =
      io.add_sink({.function =
                       [](void* context, const ring_completion& c) noexcept {
                         static_cast<std::vector<ring_completion>*>(context)->push_back(c);
                       },
                   .context = &seen})
          .value();
  const std::uint64_t name = 64U | mark;
  const auto wait_for = [&](std::size_t count) {
    const instant limit = monotonic_clock::now() + patience;
    while (seen.size() < count && io.now() < limit) io.park(limit);
    return seen.size() == count;
  };
  ASSERT_TRUE(io.watch(entries::poll_multishot(pair.first.get(), POLLIN, name)));

  for (std::size_t times = 1; times != 4; ++times) {
    ASSERT_EQ(::send(pair.second.get(), "a", 1, 0), 1);
    ASSERT_TRUE(wait_for(times));
    EXPECT_EQ(seen.back().user_data, name);
    EXPECT_EQ(seen.back().result, POLLIN);
    EXPECT_EQ(seen.back().flags, ring_completion::more);
  }
  ASSERT_TRUE(io.watch(entries::cancel_watch(name)));
  ASSERT_TRUE(wait_for(5));

  std::vector<std::int32_t> ends{seen[3].result, seen[4].result};
  std::ranges::sort(ends);
  EXPECT_EQ(ends, (std::vector<std::int32_t>{-ECANCELED, 0})) << "the watch's, and its cancel's";
  EXPECT_EQ(seen[3].flags | seen[4].flags, 0U);
  EXPECT_EQ(io.depth() + io.in_flight(), 0U);
}

INSTANTIATE_TEST_SUITE_P(, WatchTest, ::testing::ValuesIn(rings()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace pinion::iosubmit::testing
