// SPDX-License-Identifier: Apache-2.0
//
// What a child of fork() and a thread that ends leave behind: the parent's channels as they were, and nothing
// of the thread's.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <pinion/waker.hpp>
#include <thread>
#include <type_traits>
#include <utility>

#include "ring_owner.hpp"

namespace pinion::waker::testing {
namespace {

// Whether the body, run in a child, says that all was right there.
bool is_right_in_a_child(const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body() ? 0 : 1);
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

template <class Notifier>
class forked : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::is_same_v<Notifier, ring_owner> && !raw_ring::refusal().empty())
      GTEST_SKIP() << raw_ring::refusal();
  }
};
using notifiers = ::testing::Types<eventfd_notifier, futex_notifier, ring_owner>;
TYPED_TEST_SUITE(forked, notifiers);

// Wakes an owner that sleeps, from another thread, through a channel that is made, used and destroyed here.
template <class Channel>
bool own_channel_works() {
  wake_node node;
  Channel channel;
  if (!channel.try_arm()) return false;
  std::thread other{[sender = channel.sender(), &node] { sender.push(node); }};
  while (!channel.notifier().wait(never)) {
  }
  other.join();
  return channel.drain([](wake_node&) {}) == 1;
}

TYPED_TEST(forked, AChildMakesChannelsOfItsOwnAndTheParentsSleepOn) {
  using channel_type = wake_channel<tagged_inbox, TypeParam>;
  wake_node node;
  auto channel = std::make_unique<channel_type>();
  const auto sender = channel->sender();
  ASSERT_TRUE(channel->try_arm());

  EXPECT_TRUE(is_right_in_a_child([&] {
    const bool works = own_channel_works<channel_type>();
    channel.reset();  // the child's copy; the descriptors are closed here only
    return works;
  }));

  EXPECT_FALSE(channel->notifier().wait(monotonic_clock::now())) << "the child woke its parent";
  EXPECT_EQ(sender.push(node), push_result::signal) << "the child took the parent's arming";
  EXPECT_TRUE(channel->notifier().wait(never));
  EXPECT_EQ(channel->drain([](wake_node&) {}), 1U);
}

TYPED_TEST(forked, WhatIsQueuedAtAForkIsQueuedOnceInEach) {
  wake_node node;
  wake_channel<tagged_inbox, TypeParam> channel;
  channel.sender().push(node);

  EXPECT_TRUE(is_right_in_a_child([&] { return channel.drain([](wake_node&) {}) == 1; }));

  EXPECT_EQ(channel.drain([](wake_node&) {}), 1U);
}

// A sender that is destroyed with its thread, after the owner and after what the thread's function held.
template <class Sender>
std::unique_ptr<const Sender>& sender_of_this_thread() {
  thread_local std::unique_ptr<const Sender> kept;
  return kept;
}

TYPED_TEST(forked, AThreadThatEndsMayKeepItsSenderToTheLast) {
  using channel_type = wake_channel<tagged_inbox, TypeParam>;
  using sender_type = typename channel_type::sender_type;
  wake_node early, late;
  auto channel = std::make_unique<channel_type>();
  std_sync::event gone, pushed;
  push_result after_the_owner = push_result::queued;
  ASSERT_TRUE(channel->try_arm());

  std::thread other{[&, sender = channel->sender()]() mutable {
    sender_of_this_thread<sender_type>() = std::make_unique<const sender_type>(std::move(sender));
    sender_of_this_thread<sender_type>()->push(early);
    pushed.post();
    gone.wait();
    after_the_owner = sender_of_this_thread<sender_type>()->push(late);
  }};
  pushed.wait();
  EXPECT_TRUE(channel->notifier().wait(never));
  EXPECT_EQ(channel->drain([](wake_node&) {}), 1U);
  channel.reset();
  gone.post();
  other.join();

  EXPECT_EQ(after_the_owner, push_result::closed);
}

TYPED_TEST(forked, AnOwnersThreadMayEndWithItsChannel) {
  using channel_type = wake_channel<tagged_inbox, TypeParam>;
  wake_node node;
  std::unique_ptr<const typename channel_type::sender_type> sender;

  std::thread{[&] {
    channel_type channel;
    sender = std::make_unique<const typename channel_type::sender_type>(channel.sender());
    EXPECT_TRUE(channel.try_arm());
  }}.join();

  EXPECT_EQ(sender->push(node), push_result::closed);
  EXPECT_FALSE(node.is_queued());
}

TEST(forked_ring, AThreadThatEndsWithAnUnsubmittedSignalHasSignalled) {
  if (!raw_ring::refusal().empty()) GTEST_SKIP() << raw_ring::refusal();
  raw_ring ring;
  msg_ring_notifier bell{ring, 77};
  ring.put(bell.watch());
  ring.submit();

  std::thread{[&] { bell.signal(ring_of_this_thread()); }}.join();

  EXPECT_EQ(ring.wait(monotonic_clock::now()), 0);
  EXPECT_EQ(ring.reap(), 1U);
}

}  // namespace
}  // namespace pinion::waker::testing
