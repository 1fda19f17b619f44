// SPDX-License-Identifier: Apache-2.0
//
// A million wakes and more, or as many as PINION_TEST_WAKES says, with more threads than cores, and an owner
// that sleeps whenever it can. Bounded by numbers; the time limit is only there for an owner that nobody
// wakes.
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <pinion/waker.hpp>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "ring_owner.hpp"
#include "ring_watchers.hpp"
#include "sanitized.hpp"

namespace pinion::waker {
namespace {

// Memory ordering of what is shared below: relaxed; what a wake is for is ordered by the inbox.
std::size_t wakes() {
  const char* const text = std::getenv("PINION_TEST_WAKES");
  if (text != nullptr) return std::strtoull(text, nullptr, 10);
  return pinion::testing::is_sanitized ? 100'000 : 1'000'000;
}

// A task that is woken again as soon as it has run: `run` follows `asked` as closely as the owner can.
struct task : wake_node {
  std::atomic<std::size_t> asked{0};
  std::size_t run = 0;
};

template <class Pair>
class stress : public ::testing::Test {
 protected:
  void SetUp() override {
    if (Pair::has_ring && !testing::raw_ring::refusal().empty()) GTEST_SKIP() << testing::raw_ring::refusal();
  }
};
// An owner: a channel, and how it sleeps.
template <class Inbox, class Notifier>
struct pair {
  using channel_type = wake_channel<Inbox, Notifier>;
  static constexpr bool has_ring = std::is_base_of_v<testing::ring_owner, Notifier>;
  channel_type channel;
  parker<channel_type> park{channel};
};
// In a ring that the notifier is attached to.
template <class Inbox, class Notifier>
struct over_a_ring {
  using channel_type = wake_channel<Inbox, Notifier>;
  static constexpr bool has_ring = true;
  testing::parking_ring io;
  channel_type channel{io};
  parker<channel_type, testing::parking_ring&> park{channel, io};
};
// In a wait of its own.
struct over_an_epoll {
  using channel_type = wake_channel<tagged_inbox, eventfd_notifier>;
  static constexpr bool has_ring = false;
  struct waits {
    int epoll;
    void operator()(instant until) const {
      epoll_event event{};
      const instant now = monotonic_clock::now();
      ::epoll_wait(epoll, &event, 1, until <= now ? 0 : 1'000);
    }
  };
  over_an_epoll() = default;
  over_an_epoll(const over_an_epoll&) = delete;
  over_an_epoll& operator=(const over_an_epoll&) = delete;
  ~over_an_epoll() { ::close(set.descriptor); }
  epoll_set set{.descriptor = ::epoll_create1(EPOLL_CLOEXEC)};
  channel_type channel;
  epoll_watch attached{channel.notifier().attach(set)};
  parker<channel_type, waits> park{channel, waits{set.descriptor}};
};
using pairs =
    ::testing::Types<pair<tagged_inbox, eventfd_notifier>, pair<tagged_inbox, futex_notifier>,
                     pair<bounded_inbox<256>, futex_notifier>, pair<bounded_inbox<4>, eventfd_notifier>,
                     pair<mutex_inbox, futex_notifier>, pair<tagged_inbox, testing::ring_owner>,
                     pair<tagged_inbox, testing::ring_owner_among_rings>,
                     over_a_ring<tagged_inbox, msg_ring_notifier>,
                     over_a_ring<bounded_inbox<4>, eventfd_notifier>, over_an_epoll>;
TYPED_TEST_SUITE(stress, pairs);

template <class Owner>
void expect_every_wake_served(std::size_t producers) {
  std::vector<task> tasks(64);
  Owner owner;
  auto& channel = owner.channel;
  auto& park = owner.park;
  const std::size_t each = wakes() / producers;
  const instant limit = monotonic_clock::now() + ceil(std::chrono::seconds{250});
  std::size_t served = 0;
  bool gave_up = false;

  std::vector<std::thread> threads;
  for (std::size_t p = 0; p < producers; ++p) {
    threads.emplace_back([sender = channel.sender(), &tasks, each, p] {
      for (std::size_t k = 0; k < each; ++k) {
        task& woken = tasks[(k * 7 + p) % tasks.size()];
        woken.asked.fetch_add(1, std::memory_order_relaxed);
        sender.push(woken);
      }
    });
  }
  while (served != producers * each && !gave_up) {
    gave_up = park(limit) == park_end::timeout && monotonic_clock::now() >= limit;
    channel.drain([&](wake_node& node) {
      auto& ran = static_cast<task&>(node);
      const std::size_t asked = ran.asked.load(std::memory_order_relaxed);
      served += asked - std::exchange(ran.run, asked);
    });
  }
  for (std::thread& thread : threads) thread.join();
  channel.drain([](wake_node&) {});

  EXPECT_FALSE(gave_up) << "of " << producers * each << " wakes " << served << " were served";
}

// Each producer goes round nodes of its own and pushes one only when it is not queued, so that no wake merges
// into another.
template <class Owner>
void expect_every_node_delivered(std::size_t producers) {
  constexpr std::size_t in_flight = 1'000;  // more than any ring here holds
  std::vector<std::vector<wake_node>> nodes(producers);
  for (auto& of_one : nodes) of_one = std::vector<wake_node>(in_flight);
  Owner owner;
  auto& channel = owner.channel;
  auto& park = owner.park;
  const std::size_t each = wakes() / producers;
  const instant limit = monotonic_clock::now() + ceil(std::chrono::seconds{250});
  std::size_t delivered = 0;
  bool gave_up = false;

  std::vector<std::thread> threads;
  std::atomic<bool> stop{false};
  for (auto& own : nodes) {
    threads.emplace_back([sender = channel.sender(), &own, &stop, each] {
      for (std::size_t k = 0; k < each; ++k) {
        wake_node& next = own[k % in_flight];
        while (next.is_queued() && !stop.load(std::memory_order_relaxed)) std_sync::yield();
        sender.push(next);
      }
    });
  }
  while (delivered != producers * each && !gave_up) {
    gave_up = park(limit) == park_end::timeout && monotonic_clock::now() >= limit;
    delivered += channel.drain([](wake_node&) {});
  }
  stop.store(true, std::memory_order_relaxed);
  for (std::thread& thread : threads) thread.join();

  EXPECT_FALSE(gave_up) << "of " << producers * each << " pushes " << delivered << " were delivered";
  EXPECT_EQ(channel.drain([](wake_node&) {}), 0U);
}

TYPED_TEST(stress, DeliversAMillionNodesOfTwoProducersNoneOfWhichMerges) {
  expect_every_node_delivered<TypeParam>(2);
}
TYPED_TEST(stress, DeliversAMillionNodesOfFourProducersNoneOfWhichMerges) {
  expect_every_node_delivered<TypeParam>(4);
}
TYPED_TEST(stress, ServesAMillionWakesOfOneProducer) { expect_every_wake_served<TypeParam>(1); }
TYPED_TEST(stress, ServesAMillionWakesOfTwoProducers) { expect_every_wake_served<TypeParam>(2); }
TYPED_TEST(stress, ServesAMillionWakesOfFourProducers) { expect_every_wake_served<TypeParam>(4); }

}  // namespace
}  // namespace pinion::waker
