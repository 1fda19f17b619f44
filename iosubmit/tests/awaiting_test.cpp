// SPDX-License-Identifier: Apache-2.0
//
// Operations awaited by two types of coroutine that have nothing in common: one runs by itself and is
// destroyed at its end, the other is lazy, is awaited itself, and transforms what it awaits.
#include <gtest/gtest-death-test.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <coroutine>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "allocations.hpp"
#include "asked.hpp"
#include "awaiting_rig.hpp"
#include "small_executor.hpp"

namespace pinion::iosubmit::testing {
namespace {

using pinion::testing::allocations_so_far;

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

// Law C1: who waits is made ready by the turn, and runs when its executor comes to it.
TEST_P(AwaitingTest, ATurnMakesATaskReadyAndRunsNothing) {
  test_io io{make()};
  const joined pair = joined::sockets();
  pinion::testing::small_executor executor;
  received into;
  std::optional<answer> result;
  cancel_slot slot;
  std::error_code slept;
  const auto body = [&]() -> pinion::testing::task {
    result = co_await awaiting(io, entries::recv(pair.first.get(), into.room()));
    slept = (co_await sleep_for(io, forever, slot)).error();
  };
  pinion::testing::task all = body();
  executor.spawn(all);
  executor.run();
  ASSERT_EQ(::send(pair.second.get(), "abc", 3, 0), 3);

  run_until(io, [&] { return executor.has_ready(); });
  EXPECT_FALSE(result);
  executor.run();
  ASSERT_TRUE(result && *result);
  slot.request();
  EXPECT_FALSE(executor.has_ready()) << "not from inside request()";
  run_until(io, [&] { return executor.has_ready(); });
  EXPECT_FALSE(slept);
  executor.run();

  EXPECT_EQ(slept, std::errc::operation_canceled);
  EXPECT_TRUE(all.is_done());
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

void destroy_one_that_is_suspended(any_ring ring) {
  test_io io{std::move(ring)};
  const joined pair = joined::sockets();
  lazy<std::string> talk = converse(io, pair.first.get(), pair.second.get());
  talk.start();
}

TEST_P(AwaitingTest, BrokenLifetimesAreViolations) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";

  EXPECT_DEATH(destroy_one_that_is_suspended(make()), "a coroutine was destroyed while it waits");
}

INSTANTIATE_TEST_SUITE_P(, AwaitingTest, ::testing::ValuesIn(rings()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace pinion::iosubmit::testing
