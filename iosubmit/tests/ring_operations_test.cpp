// SPDX-License-Identifier: Apache-2.0
//
// What each operation promises, on every ring that serves it; and that the others say EOPNOTSUPP or EINVAL,
// and nothing crashes.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>

#include <netinet/in.h>
#include <pinion/base/diagnostic.hpp>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <array>
#include <bit>
#include <cerrno>
#include <deque>
#include <limits>
#include <ostream>

#include "allocations.hpp"
#include "asked.hpp"
#include "rings.hpp"

namespace pinion::iosubmit::testing {

// Named in the output of tests.
std::ostream& operator<<(std::ostream& out, const ring_kind& kind) { return out << kind.name; }

namespace {

using test_io = submission<batch_or_idle, any_ring>;

class RingOperationsTest : public ::testing::TestWithParam<ring_kind> {
 protected:
  void SetUp() override {
    set_diagnostic_sink([](const diagnostic&) noexcept {});  // that one falls back is meant
    if (!GetParam().refusal.empty()) GTEST_SKIP() << GetParam().refusal;
  }
  void TearDown() override { set_diagnostic_sink(nullptr); }

  static any_ring make(std::uint32_t entries = 16) { return GetParam().make(entries); }

  // The result of one operation by itself.
  static std::int32_t ask(test_io& io, const ring_entry& what) {
    asked one{what};
    io.queue(one);
    return result_of(io, one);
  }
};

// A listener on a port of the loopback that the kernel chose, and its address.
struct listening {
  owned socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in address{};

  explicit listening(int backlog = 8) {
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const auto* const name = std::bit_cast<const sockaddr*>(&address);
    EXPECT_EQ(::bind(socket.get(), name, size), 0);
    EXPECT_EQ(::listen(socket.get(), backlog), 0);
    EXPECT_EQ(::getsockname(socket.get(), std::bit_cast<sockaddr*>(&address), &size), 0);
  }
};

// What was a descriptor, and is none: each test that opens nothing afterwards may name it.
int closed_descriptor() {
  owned gone{::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 700)};
  if (gone.get() < 0) gone = owned{::memfd_create("gone", MFD_CLOEXEC)};
  return gone.get();
}

TEST_P(RingOperationsTest, NothingIsAnsweredWithNothing) {
  test_io io{make()};

  EXPECT_EQ(ask(io, entries::nop()), 0);
}

TEST_P(RingOperationsTest, ReadAndWriteServePipes) {
  test_io io{make()};
  joined ends = joined::pipe();
  received into;
  asked taken{entries::read(ends.first.get(), into.room())};
  io.queue(taken);
  look(io);
  EXPECT_EQ(taken.answers, 0);

  EXPECT_EQ(ask(io, entries::write(ends.second.get(), bytes_of("through"))), 7);
  EXPECT_EQ(result_of(io, taken), 7);
  EXPECT_EQ(into.text(7), "through");
  ends.second.close();

  EXPECT_EQ(ask(io, entries::read(ends.first.get(), into.room())), 0);
}

TEST_P(RingOperationsTest, RecvAndSendServeSockets) {
  test_io io{make()};
  joined pair = joined::sockets();
  received into;
  asked taken{entries::recv(pair.first.get(), into.room())};
  io.queue(taken);
  look(io);
  EXPECT_EQ(taken.answers, 0);

  EXPECT_EQ(ask(io, entries::send(pair.second.get(), bytes_of("hello"))), 5);
  EXPECT_EQ(result_of(io, taken), 5);
  EXPECT_EQ(into.text(5), "hello");
  EXPECT_EQ(ask(io, entries::recv(pair.first.get(), into.room(), MSG_DONTWAIT)), -EAGAIN);
  pair.second.close();

  EXPECT_EQ(ask(io, entries::recv(pair.first.get(), into.room())), 0);
  EXPECT_EQ(ask(io, entries::send(pair.first.get(), bytes_of("late"))), -EPIPE);
}

TEST_P(RingOperationsTest, BothDirectionsOfADescriptorWaitAtOnce) {
  test_io io{make()};
  const joined pair = joined::sockets();
  std::vector<std::byte> much(1U << 20U);
  while (::send(pair.first.get(), much.data(), much.size(), MSG_DONTWAIT) > 0) {
  }
  received into;
  asked sent{entries::send(pair.first.get(), bytes_of("out"))};
  asked taken{entries::recv(pair.first.get(), into.room())};
  for (asked* each : {&sent, &taken}) io.queue(*each);
  look(io);
  EXPECT_EQ(sent.answers + taken.answers, 0);

  ASSERT_EQ(::send(pair.second.get(), "in", 2, 0), 2);
  EXPECT_EQ(result_of(io, taken), 2);
  EXPECT_EQ(sent.answers, 0);
  while (::recv(pair.second.get(), much.data(), much.size(), MSG_DONTWAIT) > 0) {
  }

  EXPECT_EQ(result_of(io, sent), 3);
}

TEST_P(RingOperationsTest, AcceptAndConnectMeet) {
  test_io io{make()};
  const listening at;
  sockaddr_in from{};
  std::uint32_t size = sizeof from;
  asked accepted{entries::accept(at.socket.get(), &from, &size, SOCK_CLOEXEC)};
  io.queue(accepted);
  look(io);
  EXPECT_EQ(accepted.answers, 0);

  const owned client{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  EXPECT_EQ(ask(io, entries::connect(client.get(), &at.address, sizeof at.address)), 0);
  const owned served{result_of(io, accepted)};

  ASSERT_GE(served.get(), 0);
  EXPECT_EQ(size, sizeof from);
  EXPECT_EQ(from.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
  EXPECT_EQ(::fcntl(served.get(), F_GETFD), FD_CLOEXEC);
  EXPECT_EQ(::fcntl(client.get(), F_GETFL) & O_NONBLOCK, 0);
  received into;
  ASSERT_EQ(::send(client.get(), "x", 1, 0), 1);
  EXPECT_EQ(ask(io, entries::recv(served.get(), into.room())), 1);
}

TEST_P(RingOperationsTest, ConnectSaysThatNobodyListens) {
  test_io io{make()};
  sockaddr_in address{};
  {
    const listening gone;
    address = gone.address;
  }
  const owned client{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};

  EXPECT_EQ(ask(io, entries::connect(client.get(), &address, sizeof address)), -ECONNREFUSED);
}

TEST_P(RingOperationsTest, PollAnswersWithWhatIsThere) {
  test_io io{make()};
  const joined pair = joined::sockets();
  asked readable{entries::poll(pair.first.get(), POLLIN)};
  io.queue(readable);
  look(io);
  EXPECT_EQ(readable.answers, 0);
  EXPECT_EQ(ask(io, entries::poll(pair.first.get(), POLLOUT)), POLLOUT);

  ASSERT_EQ(::send(pair.second.get(), "x", 1, 0), 1);

  EXPECT_EQ(result_of(io, readable), POLLIN);
}

TEST_P(RingOperationsTest, ATimeoutIsNeverEarly) {
  test_io io{make()};
  constexpr duration length{2'000'000};
  const kernel_time time = kernel_time::of(length);
  const instant before = monotonic_clock::now();

  EXPECT_EQ(ask(io, entries::timeout(time)), -ETIME);
  EXPECT_GE(monotonic_clock::now() - before, length);
  const kernel_time wrong{.seconds = 0, .nanoseconds = -1};
  EXPECT_EQ(ask(io, entries::timeout(wrong)), -EINVAL);
}

TEST_P(RingOperationsTest, CancelStopsWhatWaitsAndNothingElse) {
  test_io io{make()};
  const joined pair = joined::sockets();
  const kernel_time hour{.seconds = 3600};
  received into, more;
  asked taken{entries::recv(pair.first.get(), into.room())};
  asked stays{entries::recv(pair.second.get(), more.room())};
  asked waits{entries::timeout(hour)};
  for (asked* each : {&taken, &stays, &waits}) io.queue(*each);
  look(io);

  EXPECT_EQ(ask(io, entries::cancel(taken)), 0);
  EXPECT_EQ(result_of(io, taken), -ECANCELED);
  EXPECT_EQ(ask(io, entries::cancel(taken)), -ENOENT);
  EXPECT_EQ(ask(io, entries::cancel(waits)), 0);
  EXPECT_EQ(result_of(io, waits), -ECANCELED);
  EXPECT_EQ(stays.answers, 0);
  ASSERT_EQ(::send(pair.first.get(), "x", 1, 0), 1);

  EXPECT_EQ(result_of(io, stays), 1);
}

TEST_P(RingOperationsTest, CancelReachesWhatWasQueuedJustBefore) {
  test_io io{make()};
  const joined pair = joined::sockets();
  received into;
  asked taken{entries::recv(pair.first.get(), into.room())};
  asked stop{entries::cancel(taken)};
  for (asked* each : {&taken, &stop}) io.queue(*each);

  EXPECT_EQ(result_of(io, stop), 0);
  EXPECT_EQ(result_of(io, taken), -ECANCELED);
}

TEST_P(RingOperationsTest, CloseGivesTheNumberBackOnce) {
  test_io io{make()};
  joined pair = joined::sockets();
  const int number = pair.first.release();
  received into;

  EXPECT_EQ(ask(io, entries::close(number)), 0);

  EXPECT_EQ(::fcntl(number, F_GETFD), -1);
  EXPECT_EQ(ask(io, entries::close(number)), -EBADF);
  EXPECT_EQ(ask(io, entries::recv(pair.second.get(), into.room())), 0);
}

TEST_P(RingOperationsTest, FilesAreServedOrRefusedInWords) {
  any_ring ring = make();
  const bool serves_files = ring.supports(codes::fsync);
  test_io io{std::move(ring)};
  const owned file{::memfd_create("content", MFD_CLOEXEC)};
  received into;

  EXPECT_EQ(ask(io, entries::write(file.get(), bytes_of("abc"), 0)), serves_files ? 3 : -EOPNOTSUPP);
  EXPECT_EQ(ask(io, entries::read(file.get(), into.room(), 0)), serves_files ? 3 : -EOPNOTSUPP);
  EXPECT_EQ(ask(io, entries::fsync(file.get())), serves_files ? 0 : -EOPNOTSUPP);
  EXPECT_EQ(ask(io, entries::fsync(file.get(), entries::synced::contents_only)),
            serves_files ? 0 : -EOPNOTSUPP);
  struct ::statx told{};
  EXPECT_EQ(ask(io, entries::openat("no such file", O_RDONLY)), serves_files ? -ENOENT : -EOPNOTSUPP);
  EXPECT_EQ(ask(io, entries::statx("no such file", told, STATX_TYPE)), serves_files ? -ENOENT : -EOPNOTSUPP);
}

TEST_P(RingOperationsTest, WhatIsUnknownIsInvalidAndWhatIsDeclaredMissingIsSaidSo) {
  any_ring ring = make();
  const bool sends_messages = ring.supports(codes::msg_ring);
  EXPECT_FALSE(ring.supports(codes::refused));
  test_io io{std::move(ring)};

  EXPECT_EQ(ask(io, {.operation = codes::refused}), -EINVAL);
  EXPECT_EQ(ask(io, {.operation = 201}), -EINVAL);
  EXPECT_EQ(ask(io, entries::msg_ring(closed_descriptor(), 8)), sends_messages ? -EBADF : -EOPNOTSUPP);
}

TEST_P(RingOperationsTest, AClosedOrWrongDescriptorIsTheOperationsOwnError) {
  any_ring ring = make();
  const bool serves_files = ring.supports(codes::fsync);
  test_io io{std::move(ring)};
  const sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {}, .sin_zero = {}};
  received into;

  for (const int none : {-1, closed_descriptor(), std::numeric_limits<int>::max()}) {
    EXPECT_EQ(ask(io, entries::read(none, into.room())), -EBADF) << none;
    EXPECT_EQ(ask(io, entries::write(none, bytes_of("x"))), -EBADF) << none;
    EXPECT_EQ(ask(io, entries::recv(none, into.room())), -EBADF) << none;
    EXPECT_EQ(ask(io, entries::send(none, bytes_of("x"))), -EBADF) << none;
    EXPECT_EQ(ask(io, entries::poll(none, POLLIN)), -EBADF) << none;
    EXPECT_EQ(ask(io, entries::accept(none)), -EBADF) << none;
    EXPECT_EQ(ask(io, entries::connect(none, &address, sizeof address)), -EBADF) << none;
    EXPECT_EQ(ask(io, entries::close(none)), -EBADF) << none;
    EXPECT_EQ(ask(io, entries::fsync(none)), serves_files ? -EBADF : -EOPNOTSUPP) << none;
  }
}

TEST_P(RingOperationsTest, WhatIsNoSocketIsSaidSo) {
  test_io io{make()};
  const joined ends = joined::pipe();
  const owned idle{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {}, .sin_zero = {}};
  received into;

  EXPECT_EQ(ask(io, entries::recv(ends.first.get(), into.room())), -ENOTSOCK);
  EXPECT_EQ(ask(io, entries::send(ends.second.get(), bytes_of("x"))), -ENOTSOCK);
  EXPECT_EQ(ask(io, entries::accept(ends.first.get())), -ENOTSOCK);
  EXPECT_EQ(ask(io, entries::connect(ends.first.get(), &address, sizeof address)), -ENOTSOCK);
  EXPECT_EQ(ask(io, entries::accept(idle.get())), -EINVAL);
  EXPECT_EQ(ask(io, entries::recv(idle.get(), into.room())), -ENOTCONN);
  EXPECT_EQ(ask(io, entries::read(ends.second.get(), into.room())), -EBADF);  // the end that is written
}

TEST_P(RingOperationsTest, ALengthThatAnEntryCanNotSayIsInvalid) {
  test_io io{make()};
  const joined pair = joined::sockets();
  received into;
  const std::size_t too_long = std::size_t{std::numeric_limits<std::uint32_t>::max()} + 1;
  const std::span<std::byte> bytes{into.bytes.data(), too_long};

  EXPECT_EQ(ask(io, entries::read(pair.first.get(), bytes)), -EINVAL);
  EXPECT_EQ(ask(io, entries::write(pair.first.get(), bytes)), -EINVAL);
  EXPECT_EQ(ask(io, entries::recv(pair.first.get(), bytes)), -EINVAL);
  EXPECT_EQ(ask(io, entries::send(pair.first.get(), bytes)), -EINVAL);
}

TEST_P(RingOperationsTest, StopAnswersWhateverIsInFlight) {
  const listening at;
  const joined pair = joined::sockets();
  const joined ends = joined::pipe();
  const kernel_time hour{.seconds = 3600};
  received one, two;
  std::deque<asked> all;
  all.emplace_back(entries::accept(at.socket.get()));
  all.emplace_back(entries::poll(pair.first.get(), POLLIN));
  all.emplace_back(entries::recv(pair.first.get(), one.room()));
  all.emplace_back(entries::read(ends.first.get(), two.room()));
  all.emplace_back(entries::timeout(hour));
  test_io io{make()};
  for (asked& each : all) io.queue(each);
  look(io);
  EXPECT_EQ(io.in_flight(), all.size());
  asked queued{entries::nop()};
  io.queue(queued);

  io.stop();

  for (const asked& each : all) {
    EXPECT_EQ(each.answers, 1) << int{each.entry().operation};
    EXPECT_TRUE(each.result == -ECANCELED || each.result == -EINTR) << each.result;
  }
  EXPECT_EQ(queued.result, -ECANCELED);
  EXPECT_EQ(io.in_flight(), 0U);
}

TEST_P(RingOperationsTest, AnswersEachOfFarMoreThanThereIsRoomFor) {
  constexpr std::size_t count = 300;
  test_io io{make(4)};
  std::vector<joined> pairs;
  std::vector<received> rooms(count / 3);
  std::deque<asked> all;
  for (received& room : rooms) {
    pairs.push_back(joined::sockets());
    all.emplace_back(entries::recv(pairs.back().first.get(), room.room()));
    all.emplace_back(entries::nop());
    all.emplace_back(entries::send(pairs.back().second.get(), bytes_of("x")));
  }

  for (asked& each : all) io.queue(each);

  for (const asked& each : all) {
    EXPECT_EQ(result_of(io, each), each.entry().operation == codes::nop ? 0 : 1);
    EXPECT_EQ(each.answers, 1);
  }
  EXPECT_EQ(io.depth(), 0U);
  EXPECT_EQ(io.in_flight(), 0U);
}

TEST_P(RingOperationsTest, NothingIsAllocatedFromAskingToTheAnswer) {
  test_io io{make()};
  const joined pair = joined::sockets();
  const kernel_time soon = kernel_time::of(duration{1000});
  received into;
  const std::size_t before = pinion::testing::allocations_so_far();

  for (int turn = 0; turn < 20; ++turn) {
    asked taken{entries::recv(pair.first.get(), into.room())};
    asked waits{entries::timeout(soon)};
    asked sent{entries::send(pair.second.get(), bytes_of("x"))};
    for (asked* each : {&taken, &waits, &sent}) io.queue(*each);
    for (const asked* each : {&taken, &waits, &sent}) result_of(io, *each);
  }

  EXPECT_EQ(pinion::testing::allocations_so_far(), before);
}

INSTANTIATE_TEST_SUITE_P(, RingOperationsTest, ::testing::ValuesIn(rings()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace pinion::iosubmit::testing
