// SPDX-License-Identifier: Apache-2.0
//
// What an epoll_ring makes of each call that fails.
#include <gtest/gtest.h>

#include <cerrno>
#include <pinion/base/diagnostic.hpp>
#include <pinion/iosubmit.hpp>
#include <system_error>
#include <utility>

#include "allocations.hpp"
#include "asked.hpp"
#include "failing_calls.hpp"

namespace pinion::iosubmit::testing {
namespace {

using EpollFaultsTest = failing_calls_test;

TEST_F(EpollFaultsTest, SaysWhyItCouldNotBeOpened) {
  failing_calls::opening = {.error = -EMFILE, .times = 2};

  const auto refused = failing_ring::open({});

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), std::errc::too_many_files_open);
  EXPECT_THROW(failing_ring{epoll_ring_options{}}, std::system_error);
}

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

TEST_F(EpollFaultsTest, FallsBackToWholeMillisecondsWhereThePreciseWaitIsMissing) {
  for (const int missing : {-ENOSYS, -EPERM}) {
    failing_calls::mend();
    failing_calls::waiting = {.error = missing, .times = 1};
    test_io io{failing_ring{{}}};
    const kernel_time soon = kernel_time::of(duration{300'000});
    asked waits{entries::timeout(soon)};
    io.queue(waits);

    EXPECT_EQ(result_of(io, waits), -ETIME);
    EXPECT_EQ(failing_calls::waiting.calls, 1);
    EXPECT_GE(failing_calls::waiting_coarsely.calls, 1);
  }
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

TEST_F(EpollFaultsTest, AWaitThatCanNoLongerBeAnswersAllThatWaited) {
  set_diagnostic_sink([](const diagnostic&) noexcept {});
  test_io io{failing_ring{{}}};
  const joined pair = joined::sockets();
  received into;
  const kernel_time late = kernel_time::of(forever);
  asked taken{entries::recv(pair.first.get(), into.room())};
  asked waits{entries::timeout(late)};
  for (asked* each : {&taken, &waits}) io.queue(*each);
  failing_calls::waiting = {.error = -EBADF, .times = 1};

  EXPECT_EQ(result_of(io, taken), -EBADF);
  EXPECT_EQ(result_of(io, waits), -EBADF);
  EXPECT_EQ(io.in_flight(), 0U);
}

TEST_F(EpollFaultsTest, AWatchThatIsRefusedIsTheAnswerOfWhatWanted) {
  for (const auto& [error, answer] :
       {std::pair{-ENOSPC, -ENOSPC}, {-ENOMEM, -ENOMEM}, {-EPERM, -EOPNOTSUPP}}) {
    failing_calls::mend();
    test_io io{failing_ring{{}}};
    const joined pair = joined::sockets();
    received into;
    asked taken{entries::recv(pair.first.get(), into.room())};
    failing_calls::adding = {.error = error, .times = 1};
    io.queue(taken);

    EXPECT_EQ(result_of(io, taken), answer);
  }
}

TEST_F(EpollFaultsTest, AWatchThatCanNotBeRenewedAnswersAllOfItsDescriptor) {
  test_io io{failing_ring{{}}};
  const joined pair = joined::sockets();
  received one, two;
  asked first{entries::recv(pair.first.get(), one.room())};
  asked second{entries::recv(pair.first.get(), two.room())};
  for (asked* each : {&first, &second}) io.queue(*each);
  look(io);

  ASSERT_EQ(::send(pair.second.get(), "x", 1, 0), 1);
  failing_calls::modifying = {.error = -ENOENT, .times = 1};

  EXPECT_EQ(result_of(io, first), 1);
  EXPECT_EQ(result_of(io, second), -EBADF);
}

TEST_F(EpollFaultsTest, AReadinessThatWasNoneIsWaitedForAgain) {
  test_io io{failing_ring{{}}};
  const joined pair = joined::sockets();
  received into;
  asked taken{entries::recv(pair.first.get(), into.room())};
  io.queue(taken);
  look(io);
  failing_calls::attempting = {.error = epoll_calls::not_yet, .times = 3};
  ASSERT_EQ(::send(pair.second.get(), "x", 1, 0), 1);

  EXPECT_EQ(result_of(io, taken), 1);
  EXPECT_EQ(failing_calls::attempting.calls, 4);
}

}  // namespace
}  // namespace pinion::iosubmit::testing
