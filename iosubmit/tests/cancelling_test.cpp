// SPDX-License-Identifier: Apache-2.0
//
// Awaited operations under a cancel_slot: which of them it ends, when, and what it leaves.
#include <gtest/gtest.h>
#include <poll.h>

#include <cerrno>
#include <optional>
#include <system_error>

#include "asked.hpp"
#include "awaiting_rig.hpp"

namespace pinion::iosubmit::testing {
namespace {

using CancellingTest = AwaitingTest;

TEST_P(CancellingTest, ASlotCancelsASleep) {
  test_io io{make()};
  cancel_slot slot;
  std::error_code error;
  const auto sleeper = [&]() -> eager { error = (co_await sleep_for(io, forever, slot)).error(); };
  sleeper();
  look(io);

  slot.request();
  run_until(io, [&] { return error != std::error_code{}; });

  EXPECT_EQ(error, std::errc::operation_canceled);
}

TEST_P(CancellingTest, CancelledBeforeItIsAwaitedAsksForNothingAndStillGivesWay) {
  test_io io{make()};
  const joined pair = joined::sockets();
  ASSERT_EQ(::send(pair.second.get(), "abc", 3, 0), 3);
  received into;
  std::optional<answer> result;
  cancel_slot slot;

  slot.request();
  receive(io, pair.first.get(), into.room(), result, slot);
  EXPECT_FALSE(result);
  run_until(io, [&] { return result.has_value(); });

  ASSERT_TRUE(result);
  ASSERT_FALSE(*result);
  EXPECT_EQ(result->error(), std::errc::operation_canceled);
  EXPECT_EQ(io.depth() + io.in_flight(), 0U);
  EXPECT_EQ(::recv(pair.first.get(), into.bytes.data(), into.bytes.size(), MSG_DONTWAIT), 3)
      << "nothing was taken";
}

TEST_P(CancellingTest, OneSlotCancelsAllThatWaitUnderIt) {
  test_io io{make()};
  const joined pair = joined::sockets(), other = joined::sockets();
  received into, more;
  std::optional<answer> one, two;
  std::error_code slept;
  cancel_slot slot;
  const auto sleeper = [&]() -> eager { slept = (co_await sleep_for(io, forever, slot)).error(); };
  receive(io, pair.first.get(), into.room(), one, slot);
  receive(io, other.first.get(), more.room(), two, slot);
  sleeper();
  look(io);

  slot.request();
  run_until(io, [&] { return one && two && slept; });

  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->error(), std::errc::operation_canceled);
  EXPECT_EQ(two->error(), std::errc::operation_canceled);
  EXPECT_EQ(slept, std::errc::operation_canceled);
}

TEST_P(CancellingTest, ASlotThatIsGoneCancelsNobody) {
  test_io io{make()};
  const joined pair = joined::sockets();
  received into;
  std::optional<answer> result;
  std::optional<cancel_slot> slot{std::in_place};
  receive(io, pair.first.get(), into.room(), result, *slot);
  look(io);

  slot.reset();
  ASSERT_EQ(::send(pair.second.get(), "abc", 3, 0), 3);
  run_until(io, [&] { return result.has_value(); });

  ASSERT_TRUE(result && *result);
  EXPECT_EQ(**result, 3U);
}

TEST_P(CancellingTest, CancelledInFlightGoesOnWhenBothAreAnswered) {
  test_io io{make()};
  const joined pair = joined::sockets();
  received into;
  std::optional<answer> result;
  cancel_slot slot;
  receive(io, pair.first.get(), into.room(), result, slot);
  look(io);

  slot.request();
  slot.request();
  run_until(io, [&] { return result.has_value(); });

  ASSERT_TRUE(result);
  ASSERT_FALSE(*result);
  EXPECT_EQ(result->error(), std::errc::operation_canceled);
  EXPECT_EQ(io.depth() + io.in_flight(), 0U);
}

// Until its last answer the kernel knows the operation, and so the frame that it stands in.
TEST_P(CancellingTest, WhatIsAnsweredManyTimesGoesOnWithTheFirstAnswerAfterTheLast) {
  test_io io{make()};
  if (!io.ring().supports(codes::poll)) GTEST_SKIP() << "this ring can't wait for readiness";
  const joined pair = joined::sockets();
  std::optional<answer> result;
  cancel_slot slot;
  const auto watch = [](test_io& by, int socket, std::optional<answer>& into, cancel_slot& under) -> eager {
    into = co_await awaiting(by, entries::poll_multishot(socket, POLLIN, 0), under);
  };
  watch(io, pair.first.get(), result, slot);
  look(io);
  for (int k = 0; k != 2; ++k) {
    ASSERT_EQ(::send(pair.second.get(), "abc", 3, 0), 3);
    look(io);
    EXPECT_FALSE(result);
  }

  slot.request();
  run_until(io, [&] { return result.has_value(); });

  ASSERT_TRUE(result && *result);
  EXPECT_NE(**result & POLLIN, 0U);
  EXPECT_EQ(io.depth() + io.in_flight(), 0U);
}

TEST_P(CancellingTest, CancelledWhileItIsQueuedStillIs) {
  test_io io{make()};
  const joined pair = joined::sockets();
  received into;
  std::optional<answer> result;
  cancel_slot slot;
  receive(io, pair.first.get(), into.room(), result, slot);

  slot.request();
  run_until(io, [&] { return result.has_value(); });

  ASSERT_TRUE(result);
  EXPECT_FALSE(*result);
}

TEST_P(CancellingTest, CancelledTooLateHasItsResult) {
  test_io io{make()};
  const joined pair = joined::sockets();
  received into;
  std::optional<answer> result;
  cancel_slot slot;
  receive(io, pair.first.get(), into.room(), result, slot);
  ASSERT_EQ(::send(pair.second.get(), "abc", 3, 0), 3);
  io.submit();  // it is answered, but nobody was told

  slot.request();
  run_until(io, [&] { return result.has_value(); });

  ASSERT_TRUE(result && *result);
  EXPECT_EQ(**result, 3U);
}

TEST_P(CancellingTest, CancelledAfterwardsIsRememberedUntilItIsReset) {
  test_io io{make()};
  const joined pair = joined::sockets();
  received into;
  std::optional<answer> first, second, third;
  cancel_slot slot;
  ASSERT_EQ(::send(pair.second.get(), "a", 1, 0), 1);
  receive(io, pair.first.get(), into.room(), first, slot);
  run_until(io, [&] { return first.has_value(); });

  slot.request();
  receive(io, pair.first.get(), into.room(), second, slot);
  run_until(io, [&] { return second.has_value(); });
  slot.reset();
  ASSERT_EQ(::send(pair.second.get(), "b", 1, 0), 1);
  receive(io, pair.first.get(), into.room(), third, slot);
  run_until(io, [&] { return third.has_value(); });

  EXPECT_TRUE(first && *first);
  EXPECT_TRUE(second && !*second);
  EXPECT_TRUE(third && *third);
  EXPECT_FALSE(slot.is_requested());
}

// The slot stands in the frame, which goes when the coroutine has gone on: the cancel must be over by then.
TEST_P(CancellingTest, ASlotMayGoWithTheCoroutineThatWasCancelled) {
  test_io io{make()};
  const joined pair = joined::sockets();
  cancel_slot* stop = nullptr;
  bool is_over = false;
  const auto waiter = [&]() -> eager {
    cancel_slot slot;
    received into;
    stop = &slot;
    const answer result = co_await awaiting(io, entries::recv(pair.first.get(), into.room()), slot);
    is_over = !result;
  };
  waiter();
  look(io);

  stop->request();
  run_until(io, [&] { return is_over; });

  EXPECT_TRUE(is_over);
}

INSTANTIATE_TEST_SUITE_P(, CancellingTest, ::testing::ValuesIn(rings()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace pinion::iosubmit::testing
