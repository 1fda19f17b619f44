// SPDX-License-Identifier: Apache-2.0
//
// What is epoll_ring's own: slots, order, closed descriptors, fallbacks, and calls that fail. What it shares with other rings stands in
// ring_operations_test.cpp.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <deque>
#include <map>
#include <memory>
#include <new>
#include <pinion/iosubmit.hpp>
#include <system_error>

#include "allocations.hpp"
#include "asked.hpp"

namespace pinion::iosubmit::testing {
namespace {

using pinion::testing::allocations_so_far;

// Fails as often as is said, and counts.
struct fault {
  int error = 0;
  int times = 0;
  int calls = 0;
  // The error that this call is to have, or 0.
  int next() noexcept {
    ++calls;
    return times > 0 && times-- > 0 ? error : 0;
  }
};

// The real calls, of which some fail.
struct failing_calls : epoll_calls {
  static inline fault opening, adding, modifying, waiting, waiting_coarsely, attempting;

  static void mend() noexcept {
    for (fault* each : {&opening, &adding, &modifying, &waiting, &waiting_coarsely, &attempting}) *each = {};
  }

  static int open() noexcept {
    const int error = opening.next();
    return error != 0 ? error : epoll_calls::open();
  }
  static int watch(int epoll, watch_change change, int descriptor, std::uint32_t events) noexcept {
    int error = 0;
    if (change == watch_change::add) error = adding.next();
    if (change == watch_change::modify) error = modifying.next();
    return error != 0 ? error : epoll_calls::watch(epoll, change, descriptor, events);
  }
  static int wait(int epoll, std::span<descriptor_event> into, duration timeout) noexcept {
    const int error = waiting.next();
    return error != 0 ? error : epoll_calls::wait(epoll, into, timeout);
  }
  static int wait_coarsely(int epoll, std::span<descriptor_event> into, duration timeout) noexcept {
    const int error = waiting_coarsely.next();
    return error != 0 ? error : epoll_calls::wait_coarsely(epoll, into, timeout);
  }
  static std::int32_t attempt(const ring_entry& entry, bool again) noexcept {
    const int error = attempting.next();
    return error != 0 ? error : epoll_calls::attempt(entry, again);
  }
};

using failing_ring = basic_epoll_ring<failing_calls>;
using test_io = submission<batch_or_idle, failing_ring>;

class EpollRingTest : public ::testing::Test {
 protected:
  void SetUp() override { failing_calls::mend(); }
  void TearDown() override {
    failing_calls::mend();
    set_diagnostic_sink(nullptr);
  }
};

TEST_F(EpollRingTest, ServesReadinessAndDeclaresTheRest) {
  const epoll_ring real{{}};

  EXPECT_TRUE(ring<epoll_ring>);
  for (const std::uint8_t code :
       {codes::nop, codes::poll, codes::timeout, codes::accept, codes::cancel, codes::connect, codes::close,
        codes::read, codes::write, codes::send, codes::recv}) {
    EXPECT_TRUE(real.supports(code)) << int{code};
  }
  EXPECT_FALSE(real.supports(codes::fsync));
  EXPECT_FALSE(real.supports(codes::msg_ring));
  EXPECT_FALSE(real.supports(codes::refused));
}

TEST_F(EpollRingTest, SaysWhyItCouldNotBeOpened) {
  failing_calls::opening = {.error = -EMFILE, .times = 2};

  const auto refused = failing_ring::open({});

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), std::errc::too_many_files_open);
  EXPECT_THROW(failing_ring{epoll_ring_options{}}, std::system_error);
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
  io.messages_to({.arrived = [](void*, const ring_completion& c) noexcept { seen.push_back(c); }});
  ring_entry many = entries::poll(bell.get(), POLLIN);
  many.length = 1;
  many.user_data = 66;
  ASSERT_TRUE(io.watch(many));
  look(io);
  EXPECT_TRUE(seen.empty());

  ASSERT_EQ(::eventfd_write(bell.get(), 1), 0);
  look(io);
  look(io);  // it still is readable, but nothing has changed
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].user_data, 66U);
  EXPECT_EQ(seen[0].result, POLLIN);
  EXPECT_EQ(seen[0].flags, ring_completion::more);
  ASSERT_EQ(::eventfd_write(bell.get(), 1), 0);
  look(io);
  EXPECT_EQ(seen.size(), 2U);

  io.stop();
  look(io);
  EXPECT_EQ(io.in_flight(), 0U);
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

TEST_F(EpollRingTest, WithoutMemoryForMoreKeepsWhatIsPendingAndSaysSo) {
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

TEST_F(EpollRingTest, FallsBackToWholeMillisecondsWhereThePreciseWaitIsMissing) {
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

TEST_F(EpollRingTest, ASignalEndsAWaitAndLosesNothing) {
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

TEST_F(EpollRingTest, AWaitThatCanNoLongerBeAnswersAllThatWaited) {
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

TEST_F(EpollRingTest, AWatchThatIsRefusedIsTheAnswerOfWhatWanted) {
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

TEST_F(EpollRingTest, AWatchThatCanNotBeRenewedAnswersAllOfItsDescriptor) {
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

TEST_F(EpollRingTest, AReadinessThatWasNoneIsWaitedForAgain) {
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

}  // namespace
}  // namespace pinion::iosubmit::testing
