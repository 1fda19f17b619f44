// SPDX-License-Identifier: Apache-2.0
//
// What servers live on, as tasks await it: connections one after the other, parts of streams in shared
// buffers, and sends in place; each under the slot of its task.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstring>
#include <optional>
#include <pinion/scheduler.hpp>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace pinion::scheduler {
namespace {

using namespace std::chrono_literals;
using the_executor = scheduler::executor;
using iosubmit::buffer_group;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span{text}); }

struct ExecutorStreamsTest : ::testing::Test {
  void SetUp() override {
    socklen_t size = sizeof address;
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), size), 0);
    ASSERT_EQ(::listen(listener, 64), 0);
    ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  }
  ~ExecutorStreamsTest() override {
    for (const int each : opened) ::close(each);
    ::close(listener);
  }
  int client() {
    opened.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(opened.back(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return opened.back();
  }
  static bool is_closed(int socket) {
    char byte = 0;
    return ::recv(socket, &byte, 1, MSG_DONTWAIT) == 0;
  }

  int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  std::vector<int> opened;
  the_executor loop;
};

// A server: what comes in a connection goes back.
task<> serve(the_executor& loop, int socket, buffer_group& buffers) {
  auto from = loop.io().receiver(socket, buffers);
  while (const auto part = co_await from.next()) {
    if (part->empty()) break;
    auto rest = std::span<const std::byte>{part->bytes()};
    while (!rest.empty()) {
      const auto count = co_await loop.io().send_zc(socket, rest);
      if (!count) break;
      rest = rest.subspan(*count);
    }
    if (!rest.empty()) break;
  }
  ::close(socket);
}
task<> listen(the_executor& loop, int listener) {
  auto io = loop.io();
  buffer_group buffers = io.buffers({.count = 256, .size = 4096});
  auto connections = io.acceptor(listener);
  while (const auto socket = co_await connections.next()) spawn(serve(loop, *socket, buffers)).detach();
}
task<std::string> ask(the_executor& loop, int socket, std::string text) {
  std::string back(text.size(), ' ');
  if (!co_await loop.io().send_all(socket, bytes_of(text))) co_return "not sent";
  const auto got = co_await loop.io().recv_all(socket, std::as_writable_bytes(std::span{back}));
  back.resize(got.value_or(0));
  co_return back;
}

TEST_F(ExecutorStreamsTest, AServerAnswersEachOfItsClients) {
  auto server = loop.spawn(listen(loop, listener));
  std::vector<join_handle<std::string>> answers;
  for (int each = 0; each != 12; ++each)
    answers.push_back(
        loop.spawn(ask(loop, client(), std::string(static_cast<std::size_t>(each) * 3'001 + 1, 'x'))));

  const auto all = [](std::vector<join_handle<std::string>>& from) -> task<std::vector<std::size_t>> {
    std::vector<std::size_t> sizes;
    for (auto& each : from) sizes.push_back((co_await each).size());
    co_return sizes;
  };
  const std::vector<std::size_t> sizes = loop.run(all(answers));
  for (std::size_t each = 0; each != sizes.size(); ++each) EXPECT_EQ(sizes[each], each * 3'001 + 1);
  EXPECT_FALSE(server.is_over());
  server.cancel();
  for (int& each : opened) ::close(std::exchange(each, -1));
  loop.run();

  EXPECT_TRUE(server.is_over());
}

TEST_F(ExecutorStreamsTest, ATimeoutAndACancellationEndAWaitForAConnectionAndLoseNone) {
  const auto accepts = [](the_executor& by, int from, int& socket) -> task<std::error_code> {
    auto connections = by.io().acceptor(from, SOCK_CLOEXEC);
    const auto none = co_await with_timeout(2ms, connections.next());
    if (none || none.error() != std::errc::timed_out) co_return std::make_error_code(std::errc::io_error);
    co_await sleep_for(1h);  // until it is cancelled; one comes meanwhile
    const auto cancelled = co_await connections.next();
    socket = cancelled ? *cancelled : -1;
    co_return cancelled ? std::error_code{} : cancelled.error();
  };
  int socket = 0;
  auto handle = loop.spawn(accepts(loop, listener, socket));
  const auto waits = []() -> task<> { co_await sleep_for(10ms); };
  loop.run(waits());
  const int late = client();
  loop.run(waits());
  EXPECT_FALSE(handle.is_over());
  EXPECT_FALSE(is_closed(late));

  handle.cancel();
  loop.run();

  EXPECT_EQ(handle.take(), std::errc::operation_canceled);
  EXPECT_EQ(socket, -1);
  loop.run(waits());
  if (loop.submission().ring().supports(iosubmit::codes::send_zc)) {
    EXPECT_TRUE(is_closed(late)) << "it was accepted, and nobody took it";
  }
}

TEST_F(ExecutorStreamsTest, WhatComesAfterATimeoutIsTheNext) {
  const auto accepts = [](the_executor& by, int from) -> task<int> {
    auto connections = by.io().acceptor(from, SOCK_CLOEXEC);
    for (int times = 0; times != 1'000; ++times) {
      const auto socket = co_await with_timeout(1ms, connections.next());
      if (socket) co_return *socket;
    }
    co_return -1;
  };
  auto handle = loop.spawn(accepts(loop, listener));
  const auto waits = []() -> task<> { co_await sleep_for(5ms); };
  loop.run(waits());
  const int socket = client();

  loop.run();

  opened.push_back(handle.take());
  EXPECT_GE(opened.back(), 0);
  EXPECT_FALSE(is_closed(socket));
}

TEST_F(ExecutorStreamsTest, ATimeoutAndACancellationEndAWaitForBytesAndLoseNone) {
  buffer_group buffers = loop.io().buffers({.count = 4, .size = 64});
  const int socket = client();
  const int server = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  opened.push_back(server);
  const auto receives = [](the_executor& by, int from, buffer_group& by_these,
                           std::string& text) -> task<std::error_code> {
    auto parts = by.io().receiver(from, by_these);
    const auto none = co_await with_timeout(2ms, parts.next());
    if (none || none.error() != std::errc::timed_out) co_return std::make_error_code(std::errc::io_error);
    for (;;) {
      const auto part = co_await parts.next();
      if (!part) co_return part.error();
      text.append(reinterpret_cast<const char*>(part->bytes().data()), part->size());
    }
  };
  std::string text;
  auto handle = loop.spawn(receives(loop, server, buffers, text));
  const auto waits = []() -> task<> { co_await sleep_for(10ms); };
  loop.run(waits());
  ASSERT_EQ(::send(socket, "abc", 3, 0), 3);
  loop.run(waits());
  EXPECT_EQ(text, "abc");
  EXPECT_FALSE(handle.is_over());

  handle.cancel();
  loop.run();

  EXPECT_EQ(handle.take(), std::errc::operation_canceled);
  EXPECT_EQ(buffers.free(), 4U);
}

TEST_F(ExecutorStreamsTest, TheEndOfAnExecutorEndsItsServers) {
  int accepted = 0;
  const auto accepts = [](the_executor& by, int from, int& count) -> task<> {
    auto connections = by.io().acceptor(from, SOCK_CLOEXEC);
    while (const auto socket = co_await connections.next()) {
      ++count;
      ::close(*socket);
    }
  };
  {
    the_executor ends_soon;
    ends_soon.spawn(accepts(ends_soon, listener, accepted)).detach();
    const int socket = client();
    const auto waits = [](const int& count) -> task<> {
      while (count == 0) co_await sleep_for(1ms);
    };
    ends_soon.run(waits(accepted));
    EXPECT_TRUE(is_closed(socket));
  }
  EXPECT_EQ(accepted, 1);
}

}  // namespace
}  // namespace pinion::scheduler
