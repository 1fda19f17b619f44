// SPDX-License-Identifier: Apache-2.0
//
// acceptor over every ring: each connection is handed out or closed, whatever ends the wait, the acceptor or
// the submission.
#include <gtest/gtest-death-test.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "asked.hpp"
#include "awaiting_rig.hpp"
#include "loopback.hpp"
#include "small_executor.hpp"

namespace pinion::iosubmit::testing {
namespace {

using connection = expected<int, std::error_code>;
using test_acceptor = acceptor<test_io>;

using namespace std::chrono_literals;

class AcceptorTest : public AwaitingTest {};

eager take(test_acceptor& from, std::optional<connection>& into) { into = co_await from.next(); }
eager take(test_acceptor& from, std::optional<connection>& into, cancel_slot& slot) {
  into = co_await from.next(slot);
}
// The sample of acceptor.hpp.
eager serve_all(test_io& io, int listener, std::vector<owned>& served, bool& is_over) {
  const auto serve = [&](int socket) { served.emplace_back(socket); };
  acceptor connections{io, listener};
  for (;;) {
    const auto socket = co_await connections.next();
    if (socket)
      serve(*socket);
    else if (socket.error() == std::errc::operation_canceled)
      break;
    else
      static_cast<void>(co_await sleep_for(io, ceil(10ms)));  // too many descriptors, say
  }
  is_over = true;
}

TEST_P(AcceptorTest, EachConnectionIsHandedOutOnce) {
  const loopback server;
  std::vector<owned> served, clients;
  bool is_over = false;
  {
    test_io io{make()};
    serve_all(io, server.listener(), served, is_over);
    for (int round = 0; round != 3; ++round) {
      for (int count = 0; count != 7; ++count) clients.push_back(server.client());
      run_until(io, [&] { return served.size() == clients.size(); });
      EXPECT_EQ(served.size(), clients.size());
    }
    EXPECT_FALSE(is_over);
  }

  EXPECT_TRUE(is_over) << "the end of the submission ends the wait";
  for (const owned& each : clients) EXPECT_FALSE(is_closed(each));
}

TEST_P(AcceptorTest, WhatCameAndWasNotTakenIsClosedWithIt) {
  const loopback server;
  const std::size_t before = open_descriptors();
  {
    test_io io{make()};
    std::optional<connection> first;
    const std::size_t with_ring = open_descriptors();
    std::vector<owned> clients;
    auto connections = std::make_unique<test_acceptor>(io, server.listener());
    take(*connections, first);
    for (int count = 0; count != 5; ++count) clients.push_back(server.client());
    run_until(io, [&] { return first.has_value(); });
    for (int turns = 0; turns != 3; ++turns) look(io);

    connections.reset();
    for (int turns = 0; turns != 10; ++turns) look(io);

    ASSERT_TRUE(first && *first);
    const owned taken{first->value()};
    EXPECT_EQ(io.in_flight(), 0U) << "nothing is accepted any more";
    EXPECT_EQ(open_descriptors(), with_ring + clients.size() + 1) << "a connection leaks, or was closed";
    EXPECT_FALSE(is_closed(clients.front())) << "it was handed out";
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST_P(AcceptorTest, WhatWasNotTakenIsClosedAtTheEndOfTheSubmissionToo) {
  const loopback server;
  const std::size_t before = open_descriptors();
  std::vector<owned> clients;
  {
    test_io io{make()};
    std::optional<connection> first;
    auto connections = std::make_unique<test_acceptor>(io, server.listener());
    take(*connections, first);
    for (int count = 0; count != 5; ++count) clients.push_back(server.client());
    run_until(io, [&] { return first.has_value(); });
    const owned taken{first->value()};
    connections.reset();
  }
  EXPECT_EQ(open_descriptors(), before + clients.size());
}

TEST_P(AcceptorTest, WhatComesWhileItGoesIsClosed) {
  const loopback server;
  std::optional<connection> first;
  test_io io{make()};
  auto connections = std::make_unique<test_acceptor>(io, server.listener());
  take(*connections, first);
  const owned one = server.client();
  run_until(io, [&] { return first.has_value(); });
  const owned taken{first->value()};
  std::optional<connection> second;
  cancel_slot slot;
  take(*connections, second, slot);
  look(io);
  slot.request();
  run_until(io, [&] { return second.has_value(); });
  const std::size_t open = open_descriptors();

  const owned late = server.client();
  connections.reset();
  for (int turns = 0; turns != 6; ++turns) look(io);

  EXPECT_EQ(open_descriptors(), open + 1) << "the client's own, and none of the server's";
  EXPECT_EQ(io.in_flight(), 0U);
}

TEST_P(AcceptorTest, AWaitThatIsCancelledLosesNoConnection) {
  const loopback server;
  test_io io{make()};
  test_acceptor connections{io, server.listener()};
  std::optional<connection> cancelled, refused, later;
  cancel_slot slot;
  take(connections, cancelled, slot);
  look(io);

  slot.request();
  EXPECT_FALSE(cancelled) << "not from inside request()";
  const owned client = server.client();
  run_until(io, [&] { return cancelled.has_value(); });
  take(connections, refused, slot);
  EXPECT_FALSE(refused) << "it gives way all the same";
  run_until(io, [&] { return refused.has_value(); });
  take(connections, later);
  run_until(io, [&] { return later.has_value(); });

  ASSERT_TRUE(cancelled && refused && later);
  EXPECT_EQ(cancelled->error(), std::errc::operation_canceled);
  EXPECT_EQ(refused->error(), std::errc::operation_canceled);
  ASSERT_TRUE(*later) << later->error().message();
  const owned taken{**later};
  EXPECT_FALSE(is_closed(client));
}

// The backlog of the listener holds the others.
TEST_P(AcceptorTest, StopsWhereTooManyWaitAndGoesOnWhenTheyAreTaken) {
  const loopback server;
  test_io io{make()};
  test_acceptor connections{io, server.listener(), SOCK_CLOEXEC, 2};
  std::vector<owned> clients, served;
  std::optional<connection> one;
  take(connections, one);
  look(io);
  for (int count = 0; count != 3; ++count) clients.push_back(server.client());
  run_until(io, [&] { return one.has_value(); });
  for (int turns = 0; turns != 5; ++turns) look(io);
  EXPECT_EQ(io.in_flight(), 0U) << "it accepts on";
  for (int count = 0; count != 5; ++count) clients.push_back(server.client());

  for (;;) {
    ASSERT_TRUE(one && *one) << one->error().message();
    served.emplace_back(**one);
    if (served.size() == clients.size()) break;
    one.reset();
    take(connections, one);
    run_until(io, [&] { return one.has_value(); });
  }

  for (const owned& each : clients) EXPECT_FALSE(is_closed(each));
}

TEST_P(AcceptorTest, AnErrorIsGivenOnceAndTheNextWaitAsksAgain) {
  const loopback server;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  test_io io{make()};
  test_acceptor connections{io, server.listener()};
  std::optional<connection> full, free;
  const owned client = server.client();
  const owned lowest{::dup(client.get())};
  const rlimit none{.rlim_cur = static_cast<rlim_t>(lowest.get() + 1), .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  take(connections, full);
  run_until(io, [&] { return full.has_value(); });
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);

  take(connections, free);
  run_until(io, [&] { return free.has_value(); });

  ASSERT_TRUE(full && free);
  EXPECT_EQ(full->error(), std::errc::too_many_files_open);
  ASSERT_TRUE(*free) << free->error().message();
  const owned taken{**free};
  EXPECT_FALSE(is_closed(client));
}

TEST_P(AcceptorTest, WhatDoesNotListenIsAnErrorOfTheSystem) {
  test_io io{make()};
  const owned socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  test_acceptor connections{io, socket.get()}, nowhere{io, -1};
  std::optional<connection> deaf, closed;

  take(connections, deaf);
  take(nowhere, closed);
  run_until(io, [&] { return deaf && closed; });

  ASSERT_TRUE(deaf && closed);
  EXPECT_EQ(deaf->error(), std::errc::invalid_argument);
  EXPECT_EQ(closed->error(), std::errc::bad_file_descriptor);
}

TEST_P(AcceptorTest, ATaskIsMadeReadyAndRunsInItsTurn) {
  const loopback server;
  test_io io{make()};
  pinion::testing::small_executor executor;
  test_acceptor connections{io, server.listener()};
  std::optional<connection> one, cancelled;
  cancel_slot slot;
  const auto body = [&]() -> pinion::testing::task {
    one = co_await connections.next(slot);
    cancelled = co_await connections.next(slot);
  };
  pinion::testing::task all = body();
  executor.spawn(all);
  executor.run();
  const owned client = server.client();

  run_until(io, [&] { return executor.has_ready(); });
  EXPECT_FALSE(one);
  executor.run();
  slot.request();
  EXPECT_FALSE(executor.has_ready());
  run_until(io, [&] { return executor.has_ready(); });
  EXPECT_FALSE(cancelled);
  executor.run();

  ASSERT_TRUE(one && *one && cancelled);
  const owned taken{**one};
  EXPECT_EQ(cancelled->error(), std::errc::operation_canceled);
  EXPECT_TRUE(all.is_done());
}

TEST_P(AcceptorTest, ItMayGoAfterItsSubmissionIfNothingIsAsked) {
  const loopback server;
  std::optional<test_acceptor> connections;
  {
    test_io io{make()};
    connections.emplace(io, server.listener());
    std::optional<connection> ended;
    cancel_slot slot;
    take(*connections, ended, slot);
    io.stop();
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->error(), std::errc::operation_canceled);
  }
  connections.reset();
}

void destroy_one_that_is_waited_for(any_ring ring) {
  test_io io{std::move(ring)};
  const loopback server;
  std::optional<connection> one;
  auto connections = std::make_unique<test_acceptor>(io, server.listener());
  take(*connections, one);
  connections.reset();
}
void wait_twice(any_ring ring) {
  test_io io{std::move(ring)};
  const loopback server;
  std::optional<connection> one, two;
  test_acceptor connections{io, server.listener()};
  take(connections, one);
  take(connections, two);
}
TEST_P(AcceptorTest, BrokenContractsAreViolations) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";

  EXPECT_DEATH(destroy_one_that_is_waited_for(make()), "destroyed while a coroutine waits for its next");
  EXPECT_DEATH(wait_twice(make()), "two coroutines wait for the next");
}

INSTANTIATE_TEST_SUITE_P(, AcceptorTest, ::testing::ValuesIn(rings()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace pinion::iosubmit::testing
