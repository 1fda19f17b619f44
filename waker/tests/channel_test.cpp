// SPDX-License-Identifier: Apache-2.0
//
// wake_channel, value_inbox and taken_wakes: who lives how long, and what a node may not do.
#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <pinion/waker.hpp>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "allocations.hpp"

namespace pinion::waker {
namespace {

// Counts those that live, and says so when it is signalled after its end.
struct mortal_notifier {
  explicit mortal_notifier(int& alive) : alive_(&alive) { ++alive; }
  mortal_notifier(const mortal_notifier&) = delete;
  mortal_notifier& operator=(const mortal_notifier&) = delete;
  ~mortal_notifier() { --*alive_; }
  bool signal() noexcept { return *alive_ == 1; }
  bool consume() noexcept { return false; }
  int* alive_;
};
using mortal_channel = wake_channel<tagged_inbox, mortal_notifier>;

TEST(wake_channel, KeepsTheNotifierForItsSenders) {
  int alive = 0;
  auto channel = std::make_unique<mortal_channel>(alive);
  auto first = std::make_unique<mortal_channel::sender_type>(channel->sender());
  auto second = std::make_unique<mortal_channel::sender_type>(*first);

  channel.reset();
  EXPECT_EQ(alive, 1);
  first.reset();
  EXPECT_EQ(alive, 1);
  second.reset();
  EXPECT_EQ(alive, 0);
}

TEST(wake_channel, GoesLastWhereItsSendersWentFirst) {
  int alive = 0;
  auto channel = std::make_unique<mortal_channel>(alive);

  {
    const auto sender = channel->sender();
    auto moved = channel->sender();
    moved = sender;
    auto taken = std::move(moved);
  }
  EXPECT_EQ(alive, 1);
  channel.reset();

  EXPECT_EQ(alive, 0);
}

TEST(wake_channel, IsWokenByThreadsThatComeAndGo) {
  std::vector<wake_node> nodes(50);
  wake_channel<tagged_inbox, futex_notifier> channel;
  std::size_t came = 0;

  for (wake_node& node : nodes) {
    std::thread{[sender = channel.sender(), &node] { sender.push(node); }}.join();
    came += channel.drain([](wake_node&) {});
  }

  EXPECT_EQ(came, nodes.size());
}

template <class Inbox>
class owners_push : public ::testing::Test {
 protected:
  using channel_type = wake_channel<Inbox, futex_notifier>;
  channel_type channel;
  std::vector<wake_node> nodes{4};
  std::vector<const wake_node*> came;
  auto note() {
    return [this](wake_node& node) { came.push_back(&node); };
  }
};
using every_inbox = ::testing::Types<tagged_inbox, bounded_inbox<4>, mutex_inbox>;
TYPED_TEST_SUITE(owners_push, every_inbox);

TYPED_TEST(owners_push, IsASendersWhereTheChannelIsOpen) {
  this->channel.push(this->nodes[0]);
  EXPECT_FALSE(this->channel.notifier().consume());
  this->channel.sender().push(this->nodes[1]);
  EXPECT_EQ(this->channel.drain(this->note()), 2U);
  ASSERT_TRUE(this->channel.try_arm());
  this->channel.push(this->nodes[2]);
  EXPECT_TRUE(this->channel.notifier().consume()) << "it was armed";
  EXPECT_EQ(this->channel.drain(this->note()), 1U);

  EXPECT_EQ(this->came, (std::vector<const wake_node*>{&this->nodes[0], &this->nodes[1], &this->nodes[2]}));
}

// W4, W6 and W7 hold for it.
TYPED_TEST(owners_push, IsDrainedInOrderAndOnceAlsoWhereTheChannelIsClosed) {
  this->channel.close(this->note());
  for (const std::size_t k : {0U, 1U, 0U, 2U}) this->channel.push(this->nodes[k]);
  EXPECT_EQ(this->channel.sender().push(this->nodes[3]), push_result::closed);
  EXPECT_TRUE(this->channel.has_wakes());
  EXPECT_FALSE(this->channel.try_arm());

  const std::size_t drained = this->channel.drain([this](wake_node& node) {
    this->came.push_back(&node);
    if (&node == &this->nodes[0]) this->channel.push(node);  // waits for the next drain
  });

  EXPECT_EQ(drained, 3U);
  EXPECT_EQ(this->came, (std::vector<const wake_node*>{&this->nodes[0], &this->nodes[1], &this->nodes[2]}));
  EXPECT_EQ(this->channel.drain(this->note()), 1U);
  EXPECT_EQ(this->came.back(), &this->nodes[0]);
  EXPECT_FALSE(this->channel.has_wakes());
}

TYPED_TEST(owners_push, IsNotLostBehindASinkThatThrowsNorByClosingAgain) {
  this->channel.close(this->note());
  for (wake_node& node : this->nodes) this->channel.push(node);

  EXPECT_THROW(this->channel.drain([](wake_node&) { throw 1; }), int);
  EXPECT_TRUE(this->channel.has_wakes());
  EXPECT_EQ(this->channel.close(this->note()), 3U);

  EXPECT_EQ(this->came.size(), 3U);
  EXPECT_FALSE(this->channel.has_wakes());
}

TEST(wake_channel, LetsGoOfWhatItsOwnerPushedAndNobodyDrained) {
  wake_node node;
  {
    wake_channel<tagged_inbox, futex_notifier> channel;
    channel.close([](wake_node&) {});
    channel.push(node);
  }

  EXPECT_FALSE(node.is_queued());
}

TEST(value_inbox, CarriesValuesInOrderAndFreesThem) {
  value_inbox<std::unique_ptr<int>> inbox;
  std::vector<int> came;

  for (int k = 0; k < 5; ++k) EXPECT_EQ(inbox.push(std::make_unique<int>(k)), push_result::queued);
  EXPECT_FALSE(inbox.try_arm());
  EXPECT_TRUE(inbox.has_wakes());
  inbox.drain([&](std::unique_ptr<int>&& value) { came.push_back(*value); });
  EXPECT_TRUE(inbox.try_arm());
  EXPECT_EQ(inbox.push(std::make_unique<int>(5)), push_result::signal);  // is freed by the inbox

  EXPECT_EQ(came, (std::vector{0, 1, 2, 3, 4}));
}

TEST(value_inbox, HandsAValueBackWhenItIsClosed) {
  value_inbox<std::unique_ptr<int>, bounded_inbox<2>> inbox;
  auto early = std::make_unique<int>(1), late = std::make_unique<int>(2);
  int handed_back = 0;

  EXPECT_EQ(inbox.push(std::move(early)), push_result::queued);
  inbox.close([&](std::unique_ptr<int>&& value) { handed_back = *value; });
  EXPECT_EQ(inbox.push(std::move(late)), push_result::closed);

  EXPECT_EQ(handed_back, 1);
  ASSERT_TRUE(late);
  EXPECT_EQ(*late, 2);
}

TEST(value_inbox, LeavesTheValueWhereMemoryIsExhausted) {
  value_inbox<std::unique_ptr<int>> inbox;
  auto value = std::make_unique<int>(3);

  pinion::testing::fail_allocation(1);
  EXPECT_THROW(static_cast<void>(inbox.push(std::move(value))), std::bad_alloc);

  ASSERT_TRUE(value);
  EXPECT_FALSE(inbox.has_wakes());
}

TEST(value_inbox, JoinsANotifier) {
  wake_channel<value_inbox<int>, futex_notifier> channel;
  int sum = 0;
  ASSERT_TRUE(channel.try_arm());

  channel.sender().push(40);
  channel.sender().push(2);

  EXPECT_TRUE(channel.notifier().consume());
  channel.drain([&](int&& value) { sum += value; });
  EXPECT_EQ(sum, 42);
}

template <class Inbox>
class taking : public ::testing::Test {};
using inboxes = ::testing::Types<tagged_inbox, bounded_inbox<4>, mutex_inbox>;
TYPED_TEST_SUITE(taking, inboxes);

TYPED_TEST(taking, ACloseWhoseSinkThrowsLeavesTheRestToTheNextDrain) {
  wake_channel<TypeParam, futex_notifier> channel;
  wake_node first, second;
  channel.sender().push(first);
  channel.sender().push(second);
  std::vector<wake_node*> drained;

  EXPECT_THROW(channel.close([](wake_node&) { throw std::runtime_error{"from a sink"}; }),
               std::runtime_error);
  EXPECT_TRUE(channel.has_wakes());
  EXPECT_EQ(channel.drain([&](wake_node& node) { drained.push_back(&node); }), 1U);

  EXPECT_EQ(drained, std::vector{&second});
  EXPECT_FALSE(channel.has_wakes());
}

TYPED_TEST(taking, WhatIsTakenCanBeRunInPortionsAndMergesWakesUntilThen) {
  std::vector<wake_node> nodes(10);
  TypeParam inbox;
  std::vector<const wake_node*> came;
  const auto note = [&](wake_node& node) { came.push_back(&node); };
  for (wake_node& node : nodes) static_cast<void>(inbox.push(node));

  taken_wakes wakes = inbox.take();
  EXPECT_EQ(inbox.push(nodes[9]), push_result::queued);
  EXPECT_EQ(wakes.run(note, 4), 4U);
  EXPECT_EQ(inbox.push(nodes[0]), push_result::queued);
  EXPECT_EQ(wakes.run(note), 6U);

  EXPECT_TRUE(wakes.empty());
  ASSERT_EQ(came.size(), 10U);
  for (std::size_t k = 0; k < 10; ++k) EXPECT_EQ(came[k], &nodes[k]);
  EXPECT_EQ(inbox.drain(note), 1U) << "of the two pushes one merged";
  EXPECT_EQ(came.back(), &nodes[0]);
}

TEST(taken_wakes, DroppingThemIsAViolation) {
  if (!is_checked) GTEST_SKIP() << "only a checked build looks";
  const auto drop = [] {
    wake_node node;
    tagged_inbox inbox;
    static_cast<void>(inbox.push(node));
    const taken_wakes lost = inbox.take();
  };

  EXPECT_DEATH(drop(), "taken and not run");
}

TEST(wake_node, DestroyingAQueuedOneIsAViolation) {
  if (!is_checked) GTEST_SKIP() << "only a checked build looks";
  const auto destroy = [] {
    tagged_inbox inbox;
    wake_node node;
    static_cast<void>(inbox.push(node));
  };

  EXPECT_DEATH(destroy(), "while an inbox held it");
}

}  // namespace
}  // namespace pinion::waker
