// SPDX-License-Identifier: Apache-2.0
//
// What an epoll_ring makes of failures that are in no table (fault_table.cpp): what an enter says of them,
// and readiness that was none.
#include <gtest/gtest.h>

#include <cerrno>
#include <pinion/iosubmit.hpp>

#include "allocations.hpp"
#include "asked.hpp"
#include "failing_calls.hpp"

namespace pinion::iosubmit::testing {
namespace {

using EpollFaultsTest = failing_calls_test;

TEST_F(EpollFaultsTest, WithoutMemoryForMoreKeepsWhatIsPendingAndSaysSo) {
  failing_ring ring{{.entries = 4, .in_flight = 1}};
  const joined pair = joined::sockets();
  received into;
  ring_entry taken = entries::recv(pair.first.get(), into.room());
  for (std::uint64_t name : {8U, 16U}) {
    taken.user_data = name;
    ring.put(taken);
  }
  pinion::testing::fail_allocation(1);

  const ring_entered refused = ring.enter({.count = 1, .timeout = forever});

  EXPECT_EQ(refused, (ring_entered{.accepted = 1, .error = -EAGAIN}));
  EXPECT_EQ(ring.pending(), 1U);
  EXPECT_EQ(ring.enter({}), (ring_entered{.accepted = 1, .error = 0}));
  EXPECT_EQ(ring.pending(), 0U);
}

TEST_F(EpollFaultsTest, ASignalEndsAWaitAndLosesNothing) {
  failing_ring ring{{}};
  const joined pair = joined::sockets();
  received into;
  ring.put(entries::recv(pair.first.get(), into.room()));
  failing_calls::waiting = {.error = -EINTR, .times = 1};

  EXPECT_EQ(ring.enter({.count = 1, .timeout = forever}), (ring_entered{.accepted = 1, .error = -EINTR}));

  ASSERT_EQ(::send(pair.second.get(), "x", 1, 0), 1);
  EXPECT_EQ(ring.enter({.count = 1, .timeout = forever}), ring_entered{});
  EXPECT_EQ(ring.reap([](const ring_completion& c) { EXPECT_EQ(c.result, 1); }), 1U);
}

// Once for each millisecond, whether there is something to answer or not: the owner would spin.
TEST_F(EpollFaultsTest, AWaitThatIsRefusedForGoodLastsAMillisecond) {
  test_io io{failing_ring{{}}};
  const joined pair = joined::sockets();
  received into;
  asked tried_again{entries::recv(pair.first.get(), into.room())};
  failing_calls::waiting = {.error = -EBADF, .times = 1'000};
  set_diagnostic_sink([](const diagnostic&) noexcept {});

  const instant begun = monotonic_clock::now();
  for (int k = 0; k != 10; ++k) {
    if (k >= 5 && !tried_again.is_waiting()) io.queue(tried_again);
    io.park(never);
  }

  EXPECT_GE(monotonic_clock::now() - begun, duration{10'000'000});
  EXPECT_EQ(tried_again.answers, 5);
}

TEST_F(EpollFaultsTest, AReadinessThatWasNoneIsWaitedForAgain) {
  test_io io{failing_ring{{}}};
  const joined pair = joined::sockets();
  received into;
  asked taken{entries::recv(pair.first.get(), into.room())};
  io.queue(taken);
  look(io);
  failing_calls::attempting = {.error = epoll_detail::epoll_calls::not_yet, .times = 3};
  ASSERT_EQ(::send(pair.second.get(), "x", 1, 0), 1);

  EXPECT_EQ(result_of(io, taken), 1);
  EXPECT_EQ(failing_calls::attempting.calls, 4);
}

}  // namespace
}  // namespace pinion::iosubmit::testing
