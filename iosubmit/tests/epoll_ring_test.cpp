// SPDX-License-Identifier: Apache-2.0
//
// What is epoll_ring's own: slots, order, closed descriptors, fallbacks, and calls that fail. What it shares
// with other rings stands in ring_operations_test.cpp.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <new>
#include <pinion/iosubmit.hpp>
#include <system_error>

#include "allocations.hpp"
#include "asked.hpp"
#include "failing_calls.hpp"

namespace pinion::iosubmit::testing {
namespace {

using pinion::testing::allocations_so_far;

using EpollRingTest = failing_calls_test;

TEST_F(EpollRingTest, ServesReadinessAndDeclaresTheRest) {
  const epoll_ring real{{}};

  EXPECT_TRUE(ring<epoll_ring>);
  for (const std::uint8_t code :
       {codes::nop, codes::poll, codes::timeout, codes::accept, codes::cancel, codes::connect, codes::close,
        codes::read, codes::write, codes::send, codes::recv}) {
    EXPECT_TRUE(real.supports(code)) << int{code};
  }
  for (const std::uint8_t code : {codes::fsync, codes::openat, codes::statx})
    EXPECT_FALSE(real.supports(code));
  EXPECT_FALSE(real.supports(codes::msg_ring));
  EXPECT_FALSE(real.supports(codes::refused));
}

TEST_F(EpollRingTest, AnswersWhatIsToStayOrToBeSentInPlaceAsUnserved) {
  test_io io{failing_ring{{}}};
  const joined pair = joined::sockets();
  for (const ring_entry& what :
       {entries::send_zc(pair.first.get(), bytes_of("a")), entries::recv_multishot(pair.first.get(), 0),
        entries::accept_multishot(pair.first.get())}) {
    asked unserved{what};
    io.queue(unserved);
    EXPECT_EQ(result_of(io, unserved), -EOPNOTSUPP) << int{what.operation};
  }
}

TEST_F(EpollRingTest, ServesSeveralThatWaitOnOneDescriptorInTheirOrder) {
  test_io io{failing_ring{{}}};
  const joined pair = joined::sockets(SOCK_SEQPACKET);
  received one, two, three;
  asked first{entries::recv(pair.first.get(), one.room())};
  asked second{entries::recv(pair.first.get(), two.room())};
  asked third{entries::recv(pair.first.get(), three.room())};
  asked sent{entries::send(pair.first.get(), bytes_of("out"))};
  for (asked* each : {&first, &second}) io.queue(*each);
  look(io);

  ASSERT_EQ(::send(pair.second.get(), "a", 1, 0), 1);
  io.queue(third);  // what it would take is another's
  io.queue(sent);
  EXPECT_EQ(result_of(io, sent), 3);
  EXPECT_EQ(result_of(io, first), 1);
  EXPECT_EQ(second.answers + third.answers, 0);
  ASSERT_EQ(::send(pair.second.get(), "bb", 2, 0), 2);
  ASSERT_EQ(::send(pair.second.get(), "ccc", 3, 0), 3);

  EXPECT_EQ(result_of(io, second), 2);
  EXPECT_EQ(result_of(io, third), 3);
  EXPECT_EQ(three.text(3), "ccc");
}

TEST_F(EpollRingTest, WatchesADescriptorForBothDirectionsAtOnce) {
  test_io io{failing_ring{{}}};
  const joined pair = joined::sockets();
  const std::vector<std::byte> much(1U << 20U);
  std::vector<std::byte> drain(1U << 20U);
  received into;
  asked filled{entries::send(pair.first.get(), much)};
  asked waits{entries::send(pair.first.get(), bytes_of("behind"))};
  asked taken{entries::recv(pair.first.get(), into.room())};
  io.queue(filled);
  const std::int32_t fits = result_of(io, filled);
  ASSERT_GT(fits, 0);
  for (asked* each : {&waits, &taken}) io.queue(*each);
  look(io);
  ASSERT_EQ(waits.answers + taken.answers, 0);

  ASSERT_EQ(::send(pair.second.get(), "in", 2, 0), 2);
  EXPECT_EQ(result_of(io, taken), 2);
  EXPECT_EQ(waits.answers, 0);
  while (::recv(pair.second.get(), drain.data(), drain.size(), MSG_DONTWAIT) > 0) {
  }

  EXPECT_EQ(result_of(io, waits), 6);
}

TEST_F(EpollRingTest, WakesAllThatWaitWhenTheOtherEndGoes) {
  test_io io{failing_ring{{}}};
  joined pair = joined::sockets();
  received one, two;
  asked first{entries::recv(pair.first.get(), one.room())};
  asked second{entries::recv(pair.first.get(), two.room())};
  asked watch{entries::poll(pair.first.get(), POLLPRI)};
  for (asked* each : {&first, &second, &watch}) io.queue(*each);
  look(io);

  pair.second.close();

  EXPECT_EQ(result_of(io, first), 0);
  EXPECT_EQ(result_of(io, second), 0);
  EXPECT_NE(result_of(io, watch) & POLLHUP, 0);
}

TEST_F(EpollRingTest, ItsOwnCloseAnswersWhatWaitsThere) {
  test_io io{failing_ring{{}}};
  joined pair = joined::sockets();
  received into;
  asked taken{entries::recv(pair.first.get(), into.room())};
  io.queue(taken);
  look(io);

  asked closed{entries::close(pair.first.release())};
  io.queue(closed);

  EXPECT_EQ(result_of(io, closed), 0);
  EXPECT_EQ(result_of(io, taken), -ECANCELED);
}

// The number is the same, the file isn't: nobody may take what is another's.
TEST_F(EpollRingTest, ADescriptorClosedBehindItsBackIsNoticedWhenItsNumberIsUsedAgain) {
  test_io io{failing_ring{{}}};
  joined before = joined::sockets();
  joined after = joined::sockets();
  received lost, into;
  const int number = before.first.get();
  asked stranded{entries::recv(number, lost.room())};
  asked taken{entries::recv(number, into.room())};
  io.queue(stranded);
  look(io);

  ASSERT_EQ(::dup2(after.first.get(), number), number);
  io.queue(taken);
  look(io);
  EXPECT_EQ(result_of(io, stranded), -EBADF);
  ASSERT_EQ(::send(after.second.get(), "new", 3, 0), 3);

  EXPECT_EQ(result_of(io, taken), 3);
  EXPECT_EQ(into.text(3), "new");
}

TEST_F(EpollRingTest, WhatWaitsOnAClosedDescriptorCanStillBeCancelled) {
  test_io io{failing_ring{{}}};
  joined pair = joined::sockets();
  received into;
  asked taken{entries::recv(pair.first.get(), into.room())};
  asked stop{entries::cancel(taken)};
  io.queue(taken);
  look(io);

  pair.first.close();
  io.queue(stop);

  EXPECT_EQ(result_of(io, stop), 0);
  EXPECT_EQ(result_of(io, taken), -ECANCELED);
}

TEST_F(EpollRingTest, APollThatStaysIsAnsweredForEachChange) {
  test_io io{failing_ring{{}}};
  const owned bell{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
  static std::vector<ring_completion> seen;
  seen.clear();
  const auto mark =
      io.add_sink({.function = [](void*, const ring_completion& c) noexcept { seen.push_back(c); }});
  ASSERT_TRUE(mark.has_value());
  ASSERT_TRUE(io.watch(entries::poll_multishot(bell.get(), POLLIN, 64U + *mark)));
  look(io);
  EXPECT_TRUE(seen.empty());

  ASSERT_EQ(::eventfd_write(bell.get(), 1), 0);
  look(io);
  look(io);  // it still is readable, but nothing has changed
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].user_data, 64U + *mark);
  EXPECT_EQ(seen[0].result, POLLIN);
  EXPECT_EQ(seen[0].flags, ring_completion::more);
  ASSERT_EQ(::eventfd_write(bell.get(), 1), 0);
  look(io);
  EXPECT_EQ(seen.size(), 2U);
  EXPECT_EQ(failing_calls::attempting.calls, 1) << "epoll says what there is: no call but the first asks";

  io.stop();
  look(io);
  EXPECT_EQ(io.in_flight(), 0U);
}

TEST_F(EpollRingTest, HandsOverWithoutCollectingWhereItIsToldSo) {
  const joined first = joined::pipe(), second = joined::pipe();
  epoll_ring ring{{}};
  ring.put(entries::poll(first.first.get(), POLLIN));
  ring.enter({});
  ASSERT_EQ(::write(first.second.get(), "x", 1), 1);
  ring.put(entries::poll(second.first.get(), POLLIN));

  const ring_entered done = ring.enter({.fetches = false});

  EXPECT_EQ(done, (ring_entered{.accepted = 1}));
  EXPECT_FALSE(ring.has_completions());
  ring.enter({});
  EXPECT_TRUE(ring.has_completions());
}

TEST_F(EpollRingTest, KeepsTimeoutsInTheOrderOfTheirDeadlines) {
  test_io io{failing_ring{{.entries = 4}}};
  std::deque<kernel_time> times;
  std::deque<asked> waits;
  constexpr std::array<std::uint64_t, 9> after_us{500, 100, 900, 300, 700, 200, 800, 400, 600};
  for (const std::uint64_t each : after_us)
    waits.emplace_back(entries::timeout(times.emplace_back(kernel_time::of(duration{each * 1000}))));
  for (asked& each : waits) io.queue(each);
  asked stop{entries::cancel(waits[4])};
  io.queue(stop);

  EXPECT_EQ(result_of(io, waits[2]), -ETIME);
  EXPECT_EQ(waits[4].result, -ECANCELED);
  std::map<std::uint64_t, int> places;
  for (std::size_t k = 0; k < waits.size(); ++k)
    if (k != 4) places[after_us[k]] = waits[k].place;
  int last = 0;
  for (const auto& [after, place] : places) {
    EXPECT_GT(place, last) << after;
    last = place;
  }
}

TEST_F(EpollRingTest, WaitsForAllThatItIsToGatherButNotLonger) {
  failing_ring ring{{}};
  const kernel_time soon = kernel_time::of(duration{1'000'000});
  const kernel_time late = kernel_time::of(duration{3'600'000'000'000});
  ring.put(entries::timeout(soon));
  ring.put(entries::timeout(late));

  const ring_entered done = ring.enter({.count = 2, .gather = duration{5'000'000}, .timeout = forever});

  EXPECT_EQ(done, (ring_entered{.accepted = 2, .error = 0}));
  EXPECT_EQ(ring.reap([](const ring_completion& c) { EXPECT_EQ(c.result, -ETIME); }), 1U);
  const instant before = monotonic_clock::now();
  EXPECT_EQ(ring.enter({.count = 3, .gather = duration{}, .timeout = duration{2'000'000}}).error, 0);
  EXPECT_GE(monotonic_clock::now() - before, duration{2'000'000});
}

TEST_F(EpollRingTest, AllocatesNothingUntilMoreAreInFlightThanWasSaid) {
  constexpr std::uint32_t in_flight = 8;
  test_io io{failing_ring{{.entries = 4, .in_flight = in_flight}}};
  const joined pair = joined::sockets(SOCK_SEQPACKET);
  received into;
  std::deque<asked> all;
  for (std::uint32_t k = 0; k <= in_flight; ++k)
    all.emplace_back(entries::recv(pair.first.get(), into.room()));
  const std::size_t before = allocations_so_far();

  for (std::uint32_t k = 0; k < in_flight; ++k) io.queue(all[k]);
  look(io);
  EXPECT_EQ(allocations_so_far(), before);
  io.queue(all[in_flight]);
  look(io);

  EXPECT_GT(allocations_so_far(), before);
  EXPECT_EQ(io.in_flight(), in_flight + 1);
  for (std::uint32_t k = 0; k <= in_flight; ++k) ASSERT_EQ(::send(pair.second.get(), "x", 1, 0), 1);
  for (const asked& each : all) EXPECT_GE(result_of(io, each), 0);
}

TEST_F(EpollRingTest, WritesToAPipeThatBlocksWithoutBlocking) {
  test_io io{failing_ring{{}}};
  const joined ends = joined::pipe();
  const int mode = ::fcntl(ends.second.get(), F_GETFL);
  std::vector<std::byte> much(1U << 20U);
  ASSERT_EQ(::fcntl(ends.second.get(), F_SETFL, mode | O_NONBLOCK), 0);
  ASSERT_GT(::write(ends.second.get(), much.data(), much.size()), 0);
  ASSERT_EQ(::fcntl(ends.second.get(), F_SETFL, mode), 0);
  asked waits{entries::write(ends.second.get(), much)};
  io.queue(waits);
  look(io);
  EXPECT_EQ(waits.answers, 0);

  ASSERT_GT(::read(ends.first.get(), much.data(), much.size()), 0);

  EXPECT_GT(result_of(io, waits), 0);
}

// They have no call that does not wait, and block.
TEST_F(EpollRingTest, ServesTerminalsWithoutBlockingAndLeavesTheirModeAlone) {
  test_io io{failing_ring{{}}};
  const owned outside{::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
  if (outside.get() < 0 || ::grantpt(outside.get()) != 0 || ::unlockpt(outside.get()) != 0)
    GTEST_SKIP() << "this machine makes no pseudo-terminals";
  const owned inside{::open(::ptsname(outside.get()), O_RDWR | O_NOCTTY | O_CLOEXEC)};
  received into;
  asked taken{entries::read(outside.get(), into.room())};
  io.queue(taken);
  look(io);
  EXPECT_EQ(taken.answers, 0);
  ASSERT_EQ(::write(inside.get(), "line", 4), 4);
  EXPECT_EQ(result_of(io, taken), 4);
  EXPECT_EQ(into.text(4), "line");

  const std::vector<std::byte> much(1U << 20U, std::byte{'x'});
  asked filled{entries::write(inside.get(), much)};
  io.queue(filled);

  EXPECT_GT(result_of(io, filled), 0);
  EXPECT_LT(filled.result, 1 << 20);
  EXPECT_EQ(::fcntl(inside.get(), F_GETFL) & O_NONBLOCK, 0);
  EXPECT_EQ(::fcntl(outside.get(), F_GETFL) & O_NONBLOCK, 0);
}

}  // namespace
}  // namespace pinion::iosubmit::testing
