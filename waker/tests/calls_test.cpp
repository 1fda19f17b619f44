// SPDX-License-Identifier: Apache-2.0
//
// Signals counted where they can't be miscounted: in the system calls that really reach the kernel.
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <pinion/waker.hpp>
#include <thread>
#include <type_traits>
#include <vector>

#include "ring_owner.hpp"
#include "traced_calls.hpp"

namespace pinion::waker::testing {
namespace {

using pinion::testing::begin_counting;
using pinion::testing::end_counting;
using pinion::testing::trace;
using pinion::testing::traced_calls;

// Memory ordering of the counters by which the two threads wait for each other: a store releases, a load
// acquires.
void wait_for(const std::atomic<int>& counter, int value) {
  while (counter.load(std::memory_order_acquire) != value) std_sync::yield();
}

// A thread that pushes `pushes` nodes to an owner that drains all the time and never arms.
template <class Channel>
bool push_to_an_owner_that_is_awake(std::size_t pushes) {
  std::vector<wake_node> nodes(pushes);
  Channel channel;
  std::size_t came = 0;
  std::atomic<int> begun{0};
  std::thread other{[sender = channel.sender(), &nodes, &begun] {
    begin_counting();
    begun.store(1, std::memory_order_release);
    for (wake_node& node : nodes) sender.push(node);
    end_counting();
  }};
  wait_for(begun, 1);
  while (came != pushes) {
    came += channel.drain([](wake_node&) {});
    std_sync::yield();
  }
  other.join();
  return true;
}

// A thread that pushes bursts of `burst` to an owner that has armed and sleeps, or is about to, each time.
template <class Channel>
bool push_to_an_owner_that_sleeps_each_time(int rounds, std::size_t burst) {
  std::vector<wake_node> nodes(burst);
  Channel channel;
  std::atomic<int> armed{0}, pushed{0};
  std::thread other{[sender = channel.sender(), &nodes, &armed, &pushed, rounds] {
    for (int round = 1; round <= rounds; ++round) {
      wait_for(armed, round);
      begin_counting();
      for (wake_node& node : nodes) sender.push(node);
      end_counting();
      pushed.store(round, std::memory_order_release);
    }
  }};
  const instant limit =
      monotonic_clock::now() + ceil(std::chrono::seconds{120});  // for an owner that nobody wakes
  bool is_right = true;
  for (int round = 1; round <= rounds; ++round) {
    is_right = channel.try_arm() && is_right;
    armed.store(round, std::memory_order_release);
    while (!channel.notifier().wait(limit) && monotonic_clock::now() < limit) {
    }
    wait_for(pushed, round);
    is_right = channel.drain([](wake_node&) {}) == burst && is_right;
  }
  other.join();
  return is_right;
}

constexpr int rounds = 50;
constexpr std::size_t burst = 20;

template <class Inbox, class Notifier>
struct pair {
  using channel = wake_channel<Inbox, Notifier>;
  using notifier = Notifier;
  static constexpr bool has_ring = std::is_base_of_v<ring_owner, Notifier>;
};
template <class Pair>
class calls : public ::testing::Test {
 protected:
  void SetUp() override {
    if (Pair::has_ring && !raw_ring::refusal().empty()) GTEST_SKIP() << raw_ring::refusal();
  }
};
using pairs = ::testing::Types<pair<tagged_inbox, eventfd_notifier>, pair<bounded_inbox<4>, eventfd_notifier>,
                               pair<tagged_inbox, futex_notifier>, pair<tagged_inbox, ring_owner>>;
TYPED_TEST_SUITE(calls, pairs);

TYPED_TEST(calls, AnOwnerThatIsAwakeCostsNoneOfAnyKind) {
  const traced_calls seen =
      trace([] { return push_to_an_owner_that_is_awake<typename TypeParam::channel>(1'000); });
  if (!seen.refusal.empty()) GTEST_SKIP() << seen.refusal;

  EXPECT_TRUE(seen.is_right);
  EXPECT_EQ(seen.all(), 0U) << seen.to_string();
}

TYPED_TEST(calls, AnOwnerThatSleepsEachTimeCostsOneForEachBurst) {
  const traced_calls seen = trace(
      [] { return push_to_an_owner_that_sleeps_each_time<typename TypeParam::channel>(rounds, burst); });
  if (!seen.refusal.empty()) GTEST_SKIP() << seen.refusal;

  EXPECT_TRUE(seen.is_right);
  std::cout << "for " << rounds << " sleeps: " << seen.to_string() << '\n';
  if (std::is_same_v<typename TypeParam::notifier, futex_notifier>) {
    // None where the owner had armed and was not yet in the kernel.
    EXPECT_LE(seen.all(), std::size_t{rounds});
    EXPECT_EQ(seen.of(SYS_futex), seen.all()) << seen.to_string();
    return;
  }
  const bool is_message = TypeParam::has_ring && msg_ring_calls::can_send();
  EXPECT_EQ(seen.of(is_message ? SYS_io_uring_register : SYS_write), std::size_t{rounds}) << seen.to_string();
  EXPECT_EQ(seen.all(), std::size_t{rounds}) << seen.to_string();
}

// From a thread with a ring: no call but the submission that it makes anyway, one for all that it has queued.
TEST(calls_of_a_rings_owner, ASignalCostsNoneBeyondTheSubmission) {
  if (!raw_ring::refusal().empty()) GTEST_SKIP() << raw_ring::refusal();
  const traced_calls seen = trace([] {
    std::vector<wake_node> nodes(10);
    std::vector<std::unique_ptr<raw_ring>> rings;
    std::vector<std::unique_ptr<wake_channel<tagged_inbox, msg_ring_notifier>>> channels;
    raw_ring own;
    bool is_right = true;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      rings.push_back(std::make_unique<raw_ring>());
      channels.push_back(std::make_unique<wake_channel<tagged_inbox, msg_ring_notifier>>(*rings.back(), 77U));
      is_right = channels.back()->try_arm() && is_right;
    }
    begin_counting();
    for (std::size_t k = 0; k < nodes.size(); ++k) channels[k]->sender().push(nodes[k], own);
    own.submit();
    end_counting();
    for (const auto& ring : rings) is_right = ring->reap() == 1 && is_right;
    for (const auto& channel : channels) channel->drain([](wake_node&) {});
    return is_right;
  });
  if (!seen.refusal.empty()) GTEST_SKIP() << seen.refusal;

  EXPECT_TRUE(seen.is_right);
  EXPECT_EQ(seen.of(SYS_io_uring_enter), 1U);
  EXPECT_EQ(seen.all(), 1U) << seen.to_string();
}

TEST(traced_calls, SeesEachCallOfAThreadAndNoOther) {
  const traced_calls seen = trace([] {
    std::thread other{[] {
      eventfd_notifier bell;
      bell.signal();
      begin_counting();
      for (int k = 0; k < 7; ++k) bell.signal();
      end_counting();
      bell.signal();
    }};
    other.join();
    return true;
  });
  if (!seen.refusal.empty()) GTEST_SKIP() << seen.refusal;

  EXPECT_EQ(seen.of(SYS_write), 7U);
  EXPECT_EQ(seen.all(), 7U);
}

TEST(traced_calls, SaysWhatTheBodySays) {
  const traced_calls seen = trace([] { return false; });
  if (!seen.refusal.empty()) GTEST_SKIP() << seen.refusal;

  EXPECT_FALSE(seen.is_right);
}

}  // namespace
}  // namespace pinion::waker::testing
