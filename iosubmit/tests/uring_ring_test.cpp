// SPDX-License-Identifier: Apache-2.0
//
// uring_ring over the real kernel. Skipped, with the reason, where it makes none.
#include <gtest/gtest.h>

#include <cstdint>
#include <pinion/iosubmit.hpp>
#include <vector>

namespace pinion::iosubmit {
namespace {

static_assert(ring<uring_ring>);
static_assert(ring_port<uring_ring>);
static_assert(!std::is_copy_constructible_v<uring_ring>);
static_assert(std::is_nothrow_move_constructible_v<uring_ring>);

class UringRingTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto opened = uring_ring::open({.entries = 1, .completion_entries = 0});
    if (!opened) GTEST_SKIP() << to_string(opened.error());
  }

  static std::vector<ring_completion> reaped(uring_ring& from) {
    std::vector<ring_completion> all;
    from.reap([&](const ring_completion& one) noexcept { all.push_back(one); });
    return all;
  }
};

TEST_F(UringRingTest, AnswersWhatItWasGiven) {
  uring_ring ring{{.entries = 8}};
  ring_entry nothing = entries::nop();
  nothing.user_data = 24;
  ring.put(nothing);

  const ring_entered done = ring.enter({.count = 1});

  EXPECT_EQ(done, (ring_entered{.accepted = 1}));
  EXPECT_EQ(ring.pending(), 0U);
  EXPECT_TRUE(ring.has_completions());
  const auto all = reaped(ring);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].user_data, 24U);
  EXPECT_EQ(all[0].result, 0);
}

}  // namespace
}  // namespace pinion::iosubmit
