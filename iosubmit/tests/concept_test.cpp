// SPDX-License-Identifier: Apache-2.0
//
// What models the concepts, and what does not.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <pinion/iosubmit.hpp>

namespace pinion::iosubmit {
namespace {

struct clockless_policy {  // answers about_to_park with a number, not with a park_wait
  bool queued(const queue_state&) noexcept { return true; }
  void entered(const entered_batch&) noexcept {}
  void reaped(const reaped_batch&) noexcept {}
  std::uint32_t about_to_park(const queue_state&) noexcept { return 1; }
};
struct throwing_policy : immediate {
  bool queued(const queue_state&) { return true; }
};
struct watching_policy : batch_or_idle {
  void completed(duration) noexcept {}
};

struct policy_with_knobs : batch_or_idle {
  explicit policy_with_knobs(std::uint32_t of = 4) noexcept : batch_or_idle{of} {}
};

struct bare_ring {
  bool supports(std::uint8_t) const noexcept { return true; }
  std::uint32_t room() const noexcept { return 1; }
  void put(const ring_entry&) noexcept {}
  std::uint32_t pending() const noexcept { return 0; }
  bool has_completions() const noexcept { return false; }
  bool wants_enter() const noexcept { return false; }
  ring_entered enter(const ring_wait&) noexcept { return {}; }
  template <class Sink>
  std::size_t reap(Sink) noexcept {
    return 0;
  }
  template <class Sink>
  std::size_t withdraw(Sink) noexcept {
    return 0;
  }
};
struct ring_without_withdrawal {
  bool supports(std::uint8_t) const noexcept { return true; }
  std::uint32_t room() const noexcept { return 1; }
  void put(const ring_entry&) noexcept {}
  std::uint32_t pending() const noexcept { return 0; }
  bool has_completions() const noexcept { return false; }
  bool wants_enter() const noexcept { return false; }
  ring_entered enter(const ring_wait&) noexcept { return {}; }
  template <class Sink>
  std::size_t reap(Sink) noexcept {
    return 0;
  }
};

TEST(ConceptTest, AreModelledByWhatIsShipped) {
  EXPECT_TRUE(submit_policy<immediate>);
  EXPECT_TRUE(submit_policy<batch_or_idle>);
  EXPECT_TRUE(submit_policy<each_turn>);
  EXPECT_TRUE(submit_policy<low_latency>);
  EXPECT_TRUE(submit_policy<high_throughput>);
  EXPECT_FALSE(latency_policy<batch_or_idle>);
  EXPECT_FALSE(latency_policy<high_throughput>);
  EXPECT_TRUE(latency_policy<balanced>);
}

TEST(ConceptTest, AreNotModelledByWhatLacksAHookOrMayThrow) {
  EXPECT_FALSE(submit_policy<clockless_policy>);
  EXPECT_FALSE(submit_policy<throwing_policy>);
  EXPECT_TRUE(latency_policy<watching_policy>);
  EXPECT_TRUE(ring<bare_ring>);
  EXPECT_FALSE(ring<ring_without_withdrawal>);
}

TEST(ConceptTest, SubmissionStandsOverAnyRing) {
  submission<batch_or_idle, bare_ring> io{bare_ring{}};

  EXPECT_EQ(io.turn(instant{1}), 0U);
  EXPECT_EQ(io.now(), instant{1});
  EXPECT_EQ(io.depth(), 0U);
}

TEST(ConceptTest, SubmissionMakesAPolicyThatIsOnlyMadeExplicitly) {
  submission<policy_with_knobs, bare_ring> io{bare_ring{}};

  EXPECT_EQ(io.policy().batch, 4U);
}

}  // namespace
}  // namespace pinion::iosubmit
