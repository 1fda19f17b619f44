// SPDX-License-Identifier: Apache-2.0
//
// Operations awaited by two types of coroutine that have nothing in common: one runs by itself and is destroyed at its end, the other is
// lazy, is awaited itself, and transforms what it awaits.
#include <gtest/gtest-death-test.h>
#include <gtest/gtest.h>

#include <pinion/base/diagnostic.hpp>

#include <cerrno>
#include <coroutine>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "allocations.hpp"
#include "asked.hpp"
#include "coroutines.hpp"
#include "rings.hpp"

namespace pinion::iosubmit::testing {
namespace {

using pinion::testing::allocations_so_far;

using answer = expected<std::uint32_t, std::error_code>;
using test_io = submission<batch_or_idle, any_ring>;

// Turns until that holds, or patience is at its end.
template <class Condition>
void run_until(test_io& io, Condition holds) {
  const instant limit = monotonic_clock::now() + patience;
  for (instant now = monotonic_clock::now(); !holds() && now < limit; now = io.now()) io.park(now, limit);
}

class AwaitingTest : public ::testing::TestWithParam<ring_kind> {
 protected:
  void SetUp() override {
    set_diagnostic_sink([](const diagnostic&) noexcept {});  // that one falls back is meant
    if (!GetParam().refusal.empty()) GTEST_SKIP() << GetParam().refusal;
  }
  void TearDown() override { set_diagnostic_sink(nullptr); }
  static any_ring make() { return GetParam().make(8); }
};

eager receive(test_io& io, int socket, std::span<std::byte> into, std::optional<answer>& result) {
  result = co_await awaiting(io, entries::recv(socket, into));
}
eager receive(test_io& io, int socket, std::span<std::byte> into, std::optional<answer>& result,
              cancel_slot& slot) {
  result = co_await awaiting(io, entries::recv(socket, into), slot);
}

lazy<std::uint32_t> send_twice(test_io& io, int socket) {
  const answer first = co_await awaiting(io, entries::send(socket, bytes_of("one")));
  const answer second = co_await awaiting(io, entries::send(socket, bytes_of("three")));
  co_return first.value_or(100) + second.value_or(100);
}
lazy<std::string> converse(test_io& io, int from, int to) {
  received into;
  const std::uint32_t sent = co_await send_twice(io, from);
  answer count;
  for (std::uint32_t all = 0; all < sent; all += *count) {
    count = co_await awaiting(io, entries::recv(to, std::span{into.bytes}.subspan(all)));
    if (!count) co_return count.error().message();
  }
  co_return std::string{into.text(static_cast<std::int32_t>(sent))};
}

TEST_P(AwaitingTest, ACoroutineGoesOnWithTheResultInsideATurn) {
  test_io io{make()};
  const joined pair = joined::sockets();
  received into;
  std::optional<answer> result;
  receive(io, pair.first.get(), into.room(), result);
  look(io);
  EXPECT_FALSE(result);

  ASSERT_EQ(::send(pair.second.get(), "abc", 3, 0), 3);
  EXPECT_FALSE(result);  // nobody turns
  run_until(io, [&] { return result.has_value(); });

  ASSERT_TRUE(result && *result);
  EXPECT_EQ(**result, 3U);
  EXPECT_EQ(into.text(3), "abc");
}

TEST_P(AwaitingTest, AnUrgentOneIsHandedOverAtTheTurnsEndWhateverThePolicySays) {
  test_io io{make(), {.batch = 8}};
  const joined pair = joined::sockets();
  std::optional<answer> late, soon;
  const auto send = [&](bool is_urgent, std::optional<answer>& result) -> eager {
    const ring_entry what = entries::send(pair.first.get(), bytes_of("x"));
    // Two statements: g++ 12 awaits the wrong one of two that a conditional operator chooses from.
    if (is_urgent)
      result = co_await awaiting_urgent(io, what);
    else
      result = co_await awaiting(io, what);
  };

  send(false, late);
  io.turn(monotonic_clock::now());
  const std::uint32_t held_back = io.depth();
  send(true, soon);
  io.turn(monotonic_clock::now());

  EXPECT_EQ(held_back, 1U);
  EXPECT_EQ(io.depth(), 0U);
  run_until(io, [&] { return late && soon; });
  EXPECT_TRUE(late && *late && soon && *soon);
}

TEST_P(AwaitingTest, AnErrorIsTheOneOfTheSystem) {
  test_io io{make()};
  received into;
  std::optional<answer> result;

  receive(io, -1, into.room(), result);
  run_until(io, [&] { return result.has_value(); });

  ASSERT_TRUE(result);
  ASSERT_FALSE(*result);
  EXPECT_EQ(result->error(), std::errc::bad_file_descriptor);
}

TEST_P(AwaitingTest, ACoroutineOfAnotherTypeAwaitsThemThroughItsOwnTransform) {
  test_io io{make()};
  const joined pair = joined::sockets();

  lazy<std::string> talk = converse(io, pair.first.get(), pair.second.get());
  talk.start();
  run_until(io, [&] { return talk.is_done(); });

  ASSERT_TRUE(talk.is_done());
  EXPECT_EQ(*talk.promise().result, "onethree");
  EXPECT_GE(talk.promise().awaits, 2);
}

TEST_P(AwaitingTest, ASleepEndsByItselfAndNotEarly) {
  test_io io{make()};
  constexpr duration length{2'000'000};
  const instant before = monotonic_clock::now();
  std::optional<instant> after;
  std::optional<bool> slept;
  const auto sleeper = [&]() -> eager {
    slept = (co_await sleep_for(io, length)).has_value();
    after = monotonic_clock::now();
  };

  sleeper();
  run_until(io, [&] { return after.has_value(); });

  ASSERT_TRUE(after && slept);
  EXPECT_TRUE(*slept);
  EXPECT_GE(*after - before, length);
}

TEST_P(AwaitingTest, ASlotCancelsASleep) {
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

TEST_P(AwaitingTest, CancelledBeforeItIsAwaitedAsksNothing) {
  test_io io{make()};
  const joined pair = joined::sockets();
  received into;
  std::optional<answer> result;
  cancel_slot slot;

  slot.request();
  receive(io, pair.first.get(), into.room(), result, slot);

  ASSERT_TRUE(result);
  ASSERT_FALSE(*result);
  EXPECT_EQ(result->error(), std::errc::operation_canceled);
  EXPECT_EQ(io.depth() + io.in_flight(), 0U);
}

TEST_P(AwaitingTest, CancelledInFlightGoesOnWhenBothAreAnswered) {
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

TEST_P(AwaitingTest, CancelledWhileItIsQueuedStillIs) {
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

TEST_P(AwaitingTest, CancelledTooLateHasItsResult) {
  test_io io{make()};
  const joined pair = joined::sockets();
  received into;
  std::optional<answer> result;
  cancel_slot slot;
  receive(io, pair.first.get(), into.room(), result, slot);
  ASSERT_EQ(::send(pair.second.get(), "abc", 3, 0), 3);
  io.ring().enter({.count = 1, .timeout = patience});  // it is answered, but nobody was told

  slot.request();
  run_until(io, [&] { return result.has_value(); });

  ASSERT_TRUE(result && *result);
  EXPECT_EQ(**result, 3U);
}

TEST_P(AwaitingTest, CancelledAfterwardsIsRememberedUntilItIsReset) {
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
TEST_P(AwaitingTest, ASlotMayGoWithTheCoroutineThatWasCancelled) {
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

TEST_P(AwaitingTest, StopLetsEachCoroutineRunOn) {
  std::optional<answer> one, two;
  received into, more;
  const joined pair = joined::sockets();
  cancel_slot slot;
  {
    test_io io{make()};
    receive(io, pair.first.get(), into.room(), one);
    receive(io, pair.second.get(), more.room(), two, slot);
    look(io);
    slot.request();
  }

  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->error(), std::errc::operation_canceled);
  EXPECT_EQ(two->error(), std::errc::operation_canceled);
}

TEST_P(AwaitingTest, AllocatesTheFrameAndNothingElse) {
  test_io io{make()};
  const joined pair = joined::sockets();
  received into;
  std::optional<answer> result;
  std::size_t at_first = 0, at_last = 0;
  int rounds = 0;
  const auto many = [&]() -> eager {
    at_first = allocations_so_far();
    for (; rounds < 20; ++rounds) {
      cancel_slot slot;
      result = co_await awaiting(io, entries::send(pair.second.get(), bytes_of("x")));
      result = co_await awaiting(io, entries::recv(pair.first.get(), into.room()), slot);
      const auto waited = co_await sleep_for(io, duration{1000});
      if (!*result || !waited) break;
    }
    at_last = allocations_so_far();
  };

  many();
  run_until(io, [&] { return at_last != 0; });

  EXPECT_EQ(rounds, 20);
  EXPECT_EQ(at_last, at_first);
}

void await_twice_with_one_slot(any_ring ring) {
  test_io io{std::move(ring)};
  const joined pair = joined::sockets();
  received into;
  std::optional<answer> one, two;
  cancel_slot slot;
  receive(io, pair.first.get(), into.room(), one, slot);
  receive(io, pair.first.get(), into.room(), two, slot);
}
void destroy_one_that_is_suspended(any_ring ring) {
  test_io io{std::move(ring)};
  const joined pair = joined::sockets();
  lazy<std::string> talk = converse(io, pair.first.get(), pair.second.get());
  talk.start();
}
void destroy_a_slot_in_use(any_ring ring) {
  test_io io{std::move(ring)};
  const joined pair = joined::sockets();
  received into;
  std::optional<answer> result;
  cancel_slot slot;
  receive(io, pair.first.get(), into.room(), result, slot);
}

TEST_P(AwaitingTest, BrokenLifetimesAreViolations) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";

  EXPECT_DEATH(await_twice_with_one_slot(make()), "two are awaited with one cancel_slot");
  EXPECT_DEATH(destroy_one_that_is_suspended(make()), "destroyed before it was answered");
  EXPECT_DEATH(destroy_a_slot_in_use(make()), "while something is awaited with it");
}

INSTANTIATE_TEST_SUITE_P(, AwaitingTest, ::testing::ValuesIn(rings()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace pinion::iosubmit::testing
