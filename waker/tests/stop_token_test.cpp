// SPDX-License-Identifier: Apache-2.0
//
// slot_on_stop and stop_on_slot: on which thread what runs, and who may go first.
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <pinion/waker.hpp>
#include <stop_token>
#include <thread>

namespace pinion::waker {
namespace {

TEST(StopToken, RequestsTheSlotFromTheOwnersDrainAndRunsNothingOnTheThreadThatAsks) {
  default_channel channel;
  cancel_slot slot;
  std::stop_source source;
  const slot_on_stop link{source.get_token(), channel, slot};

  std::thread{[&] { source.request_stop(); }}.join();
  EXPECT_FALSE(slot.is_requested());
  channel.drain(call_wakes);

  EXPECT_TRUE(slot.is_requested());
}

TEST(StopToken, AStopThatWasRequestedBeforeCounts) {
  default_channel channel;
  cancel_slot slot;
  std::stop_source source;
  source.request_stop();

  const slot_on_stop link{source.get_token(), channel, slot};
  EXPECT_FALSE(slot.is_requested()) << "not from inside the constructor";
  channel.drain(call_wakes);

  EXPECT_TRUE(slot.is_requested());
}

TEST(StopToken, TheLinkMayGoWhileItsWakeIsOnItsWay) {
  default_channel channel;
  cancel_slot slot;
  std::stop_source source;
  std::optional<slot_on_stop<default_channel>> link{std::in_place, source.get_token(), channel, slot};

  source.request_stop();
  link.reset();
  EXPECT_EQ(channel.drain(call_wakes), 1U);

  EXPECT_FALSE(slot.is_requested());
}

TEST(StopToken, TheOwnerMayBeGone) {
  std::stop_source source;
  cancel_slot slot;
  {
    default_channel channel;
    const slot_on_stop link{source.get_token(), channel, slot};
    source.request_stop();
    channel.close(call_wakes);
  }
  EXPECT_TRUE(slot.is_requested()) << "close() hands out what is there";
}

TEST(StopToken, ASlotRequestsAStopFromTheOwnersDrain) {
  default_channel channel;
  cancel_slot slot;
  std::stop_source source;
  std::thread::id ran_on;
  const std::stop_callback seen{source.get_token(), [&] { ran_on = std::this_thread::get_id(); }};
  const stop_on_slot link{slot, channel, source};

  slot.request();
  EXPECT_FALSE(source.stop_requested()) << "not from inside request()";
  channel.drain(call_wakes);

  EXPECT_TRUE(source.stop_requested());
  EXPECT_EQ(ran_on, std::this_thread::get_id());
}

TEST(StopToken, ASlotRequestsAStopAlsoWhereTheChannelIsClosed) {
  default_channel channel;
  cancel_slot slot;
  std::stop_source source;
  const stop_on_slot link{slot, channel, source};
  channel.close(call_wakes);

  slot.request();
  EXPECT_FALSE(source.stop_requested()) << "not from inside request()";
  channel.drain(call_wakes);

  EXPECT_TRUE(source.stop_requested());
}

TEST(StopToken, ACallbackMayDestroyTheLinkThatCalledIt) {
  default_channel channel;
  cancel_slot slot;
  std::optional<stop_on_slot<default_channel>> link;
  bool was_called = false;
  std::stop_source source;
  const std::stop_callback ends{source.get_token(), [&] {
                                  link.reset();
                                  was_called = true;
                                }};
  link.emplace(slot, channel, source);

  slot.request();
  channel.drain(call_wakes);

  EXPECT_TRUE(was_called);
  EXPECT_FALSE(link);
}

TEST(StopToken, ASlotThatIsNotRequestedStopsNothing) {
  default_channel channel;
  std::stop_source source;
  cancel_slot slot;
  {
    const stop_on_slot link{slot, channel, source};
  }
  slot.request();

  EXPECT_EQ(channel.drain(call_wakes), 0U);
  EXPECT_FALSE(source.stop_requested());
}

// Both threads at once, over and over: what is on its way when a link goes is neither lost nor called late.
TEST(StopToken, LinksComeAndGoWhileAnotherThreadStops) {
  default_channel channel;
  std::atomic<std::stop_source*> asked{nullptr};
  std::atomic<bool> is_over{false};
  std::thread other{[&] {
    while (!is_over.load(std::memory_order_acquire)) {
      if (std::stop_source* source = asked.exchange(nullptr, std::memory_order_acq_rel)) {
        source->request_stop();
        delete source;  // NOLINT(cppcoreguidelines-owning-memory): handed over with it
      }
    }
  }};
  for (int k = 0; k != 2000; ++k) {
    cancel_slot slot;
    auto* const source = new std::stop_source;
    const std::stop_token token = source->get_token();
    std::optional<slot_on_stop<default_channel>> link{std::in_place, token, channel, slot};
    asked.store(source, std::memory_order_release);
    if (k % 2 == 0) {
      while (!slot.is_requested()) channel.drain(call_wakes);
    }
    link.reset();
    while (!token.stop_requested()) std::this_thread::yield();
    channel.drain(call_wakes);
    EXPECT_TRUE(slot.is_requested() || k % 2 == 1);
  }
  is_over.store(true, std::memory_order_release);
  other.join();
  channel.drain(call_wakes);
}

}  // namespace
}  // namespace pinion::waker
