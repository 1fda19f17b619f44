// SPDX-License-Identifier: Apache-2.0
//
// Files and sockets as tasks await them: what they give, under which slot they wait, and how they end.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <pinion/scheduler.hpp>
#include <span>
#include <string>
#include <system_error>
#include <utility>

namespace pinion::scheduler {
namespace {

using namespace std::chrono_literals;
using the_executor = scheduler::executor;

struct ExecutorIoTest : ::testing::Test {
  void SetUp() override { ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0); }
  ~ExecutorIoTest() override {
    for (const int each : ends) ::close(each);
  }
  static std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span{text});
  }

  std::array<int, 2> ends{-1, -1};
  the_executor loop;
};

TEST_F(ExecutorIoTest, WhatOneTaskSendsAnotherReceives) {
  const auto sends = [](the_executor& by, int socket, std::string text) -> task<bool> {
    co_return (co_await by.io().send_all(socket, bytes_of(text))).has_value();
  };
  const auto receives = [](the_executor& by, int socket, std::size_t count) -> task<std::string> {
    std::string text(count, ' ');
    const auto got = co_await by.io().recv_all(socket, std::as_writable_bytes(std::span{text}));
    text.resize(got.value_or(0));
    co_return text;
  };
  const std::string all(1'000'000, 'x');  // more than a socket takes at once
  auto sent = loop.spawn(sends(loop, ends[0], all));

  EXPECT_EQ(loop.run(receives(loop, ends[1], all.size())), all);
  EXPECT_TRUE(sent.take());
}

TEST_F(ExecutorIoTest, AFileIsWrittenAndReadAtItsOffsets) {
  const int file = ::memfd_create("executor", MFD_CLOEXEC);
  ASSERT_GE(file, 0);
  const auto copies = [](the_executor& by, int to) -> task<std::string> {
    auto io = by.io();
    const std::string text = "0123456789";
    if (co_await io.write(to, bytes_of(text), 0) != 10U) co_return "not written";
    if (!co_await io.fsync(to)) co_return "not synced";
    std::string part(4, ' ');
    if (co_await io.read(to, std::as_writable_bytes(std::span{part}), 3) != 4U) co_return "not read";
    co_return part;
  };

  EXPECT_EQ(loop.run(copies(loop, file)), "3456");
  ::close(file);
}

TEST_F(ExecutorIoTest, AConnectionIsAcceptedAndConnected) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), size), 0);
  ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  const auto accepts = [](the_executor& by, int from) -> task<int> {
    const auto socket = co_await by.io().accept(from, SOCK_CLOEXEC);
    co_return socket ? static_cast<int>(*socket) : -1;
  };
  const auto connects = [](the_executor& by, int socket, const sockaddr_in& to) -> task<bool> {
    if (!co_await by.io().connect(socket, &to, sizeof to)) co_return false;
    const auto events = co_await by.io().poll(socket, POLLOUT);
    co_return events && (*events & POLLOUT) != 0;
  };
  auto accepted = loop.spawn(accepts(loop, listener));

  EXPECT_TRUE(loop.run(connects(loop, client, address)));
  loop.run();
  const int server = accepted.take();
  EXPECT_GE(server, 0);
  for (const int each : {listener, client, server}) ::close(each);
}

TEST_F(ExecutorIoTest, ATimeoutAndACancellationEndAReceive) {
  const auto receives = [](the_executor& by, int socket,
                           std::chrono::milliseconds limit) -> task<std::error_code> {
    std::array<std::byte, 8> bytes{};
    const auto got = co_await with_timeout(limit, by.io().recv(socket, bytes));
    co_return got ? std::error_code{} : got.error();
  };
  EXPECT_EQ(loop.run(receives(loop, ends[0], 2ms)), std::errc::timed_out);

  auto handle = loop.spawn(receives(loop, ends[0], 1h));
  const auto waits = []() -> task<> { co_await sleep_for(1ms); };
  loop.run(waits());
  EXPECT_FALSE(handle.is_over());
  handle.cancel();
  loop.run();
  EXPECT_EQ(handle.take(), std::errc::operation_canceled);
}

TEST_F(ExecutorIoTest, ThreeOfATasksSleepsSocketsAndPartsWaitUnderOneSlot) {
  int cancelled = 0;
  const auto waits = [](the_executor& by, int socket, int& count) -> task<> {
    std::array<std::byte, 8> bytes{};
    const auto got = co_await by.io().recv(socket, bytes);
    count += !got && got.error() == std::errc::operation_canceled ? 1 : 0;
    const auto slept = co_await sleep_for(1h);
    count += !slept && slept.error() == std::errc::operation_canceled ? 1 : 0;
    event never_set;
    const auto set = co_await never_set.wait();
    count += !set && set.error() == std::errc::operation_canceled ? 1 : 0;
  };
  {
    the_executor ends_soon;
    ends_soon.spawn(waits(ends_soon, ends[0], cancelled)).detach();
    const auto yields = []() -> task<> { co_await yield(); };
    ends_soon.run(yields());
  }
  EXPECT_EQ(cancelled, 3) << "the end of the executor cancels each wait of a task";
}

}  // namespace
}  // namespace pinion::scheduler
