// SPDX-License-Identifier: Apache-2.0
//
// What servers live on, as tasks await it: connections one after the other, parts of streams in shared
// buffers, and sends in place; each under the slot of its task.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
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
using iosubmit::buffer_group;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span{text}); }

bool is_closed(int socket) {
  char byte = 0;
  return ::recv(socket, &byte, 1, MSG_DONTWAIT) == 0;
}

struct over_epoll : default_parts {
  using ring = iosubmit::epoll_ring;
};

template <class Loop>
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

  int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  std::vector<int> opened;
  Loop loop;
};
using loops = ::testing::Types<scheduler::executor, basic_executor<over_epoll>>;
TYPED_TEST_SUITE(ExecutorStreamsTest, loops, );

// A server: what comes in a connection goes back.
template <class Loop>
task<> serve(Loop& loop, int socket, buffer_group& buffers) {
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
template <class Loop>
task<> listen(Loop& loop, int listener) {
  auto io = loop.io();
  buffer_group buffers = io.buffers({.count = 256, .size = 4096});
  auto connections = io.acceptor(listener);
  for (;;) {
    const auto socket = co_await connections.next();
    if (socket)
      spawn(serve(loop, *socket, buffers)).detach();
    else if (socket.error() == std::errc::operation_canceled)
      break;
    else
      co_await sleep_for(10ms);  // too many descriptors, say: the others wait in the backlog
  }
}
template <class Loop>
task<std::string> ask(Loop& loop, int socket, std::string text) {
  std::string back(text.size(), ' ');
  if (!co_await loop.io().send_all(socket, bytes_of(text))) co_return "not sent";
  const auto got = co_await loop.io().recv_all(socket, std::as_writable_bytes(std::span{back}));
  back.resize(got.value_or(0));
  co_return back;
}

TYPED_TEST(ExecutorStreamsTest, AServerAnswersEachOfItsClients) {
  auto server = this->loop.spawn(listen(this->loop, this->listener));
  std::vector<join_handle<std::string>> answers;
  for (int each = 0; each != 12; ++each)
    answers.push_back(this->loop.spawn(
        ask(this->loop, this->client(), std::string(static_cast<std::size_t>(each) * 3'001 + 1, 'x'))));

  const auto all = [](std::vector<join_handle<std::string>>& from) -> task<std::vector<std::size_t>> {
    std::vector<std::size_t> sizes;
    for (auto& each : from) {
      const std::string text = co_await each;
      sizes.push_back(text.size());
    }
    co_return sizes;
  };
  const std::vector<std::size_t> sizes = this->loop.run(all(answers));
  for (std::size_t each = 0; each != sizes.size(); ++each) EXPECT_EQ(sizes[each], each * 3'001 + 1);
  EXPECT_FALSE(server.is_over());
  server.cancel();
  for (int& each : this->opened) ::close(std::exchange(each, -1));
  this->loop.run();

  EXPECT_TRUE(server.is_over());
}

TYPED_TEST(ExecutorStreamsTest, ATimeoutAndACancellationEndAWaitForAConnectionAndLoseNone) {
  const auto accepts = [](TypeParam& by, int from, int& socket) -> task<std::error_code> {
    auto connections = by.io().acceptor(from, SOCK_CLOEXEC);
    const auto none = co_await with_timeout(2ms, connections.next());
    if (none || none.error() != std::errc::timed_out) co_return std::make_error_code(std::errc::io_error);
    co_await sleep_for(1h);  // until it is cancelled; one comes meanwhile
    const auto cancelled = co_await connections.next();
    socket = cancelled ? *cancelled : -1;
    co_return cancelled ? std::error_code{} : cancelled.error();
  };
  int socket = 0;
  auto handle = this->loop.spawn(accepts(this->loop, this->listener, socket));
  const auto waits = []() -> task<> { co_await sleep_for(10ms); };
  this->loop.run(waits());
  const int late = this->client();
  this->loop.run(waits());
  EXPECT_FALSE(handle.is_over());
  EXPECT_FALSE(is_closed(late));

  handle.cancel();
  this->loop.run();

  EXPECT_EQ(handle.take(), std::errc::operation_canceled);
  EXPECT_EQ(socket, -1);
  this->loop.run(waits());
  if (this->loop.submission().ring().supports(iosubmit::codes::send_zc)) {
    EXPECT_TRUE(is_closed(late)) << "it was accepted, and nobody took it";
  }
}

TYPED_TEST(ExecutorStreamsTest, NoMoreConnectionsThanAskedForWaitToBeTaken) {
  const auto accepts = [](TypeParam& by, int from) -> task<> {
    auto connections = by.io().acceptor(from, SOCK_CLOEXEC, 1);
    const auto none = co_await with_timeout(1ms, connections.next());
    EXPECT_FALSE(none);
    co_await sleep_for(1h);  // until it is cancelled; two come meanwhile
  };
  auto handle = this->loop.spawn(accepts(this->loop, this->listener));
  const auto waits = []() -> task<> { co_await sleep_for(5ms); };
  this->loop.run(waits());
  this->client();
  for (int k = 0; k != 3; ++k) this->loop.run(waits());  // the kernel is told to stop
  const int second = this->client();
  this->loop.run(waits());

  handle.cancel();
  this->loop.run();
  this->loop.run(waits());

  EXPECT_FALSE(is_closed(second)) << "it waits in the backlog";
}

TYPED_TEST(ExecutorStreamsTest, NoMorePartsThanAskedForWaitToBeTaken) {
  buffer_group buffers = this->loop.io().buffers({.count = 8, .size = 64});
  const int socket = this->client();
  const int server = ::accept4(this->listener, nullptr, nullptr, SOCK_CLOEXEC);
  this->opened.push_back(server);
  const auto receives = [](TypeParam& by, int from, buffer_group& by_these) -> task<> {
    auto parts = by.io().receiver(from, by_these, 1);
    const auto none = co_await with_timeout(1ms, parts.next());
    EXPECT_FALSE(none);
    co_await sleep_for(1h);  // until it is cancelled; six come meanwhile
  };
  auto handle = this->loop.spawn(receives(this->loop, server, buffers));
  const auto waits = []() -> task<> { co_await sleep_for(3ms); };
  this->loop.run(waits());
  for (int k = 0; k != 6; ++k) {
    ASSERT_EQ(::send(socket, "a", 1, 0), 1);
    this->loop.run(waits());
  }

  EXPECT_GE(buffers.free(), 5U);
  handle.cancel();
  this->loop.run();
}

TYPED_TEST(ExecutorStreamsTest, WhatComesAfterATimeoutIsTheNext) {
  const auto accepts = [](TypeParam& by, int from) -> task<int> {
    auto connections = by.io().acceptor(from, SOCK_CLOEXEC);
    for (int times = 0; times != 1'000; ++times) {
      const auto socket = co_await with_timeout(1ms, connections.next());
      if (socket) co_return *socket;
    }
    co_return -1;
  };
  auto handle = this->loop.spawn(accepts(this->loop, this->listener));
  const auto waits = []() -> task<> { co_await sleep_for(5ms); };
  this->loop.run(waits());
  const int socket = this->client();

  this->loop.run();

  this->opened.push_back(handle.take());
  EXPECT_GE(this->opened.back(), 0);
  EXPECT_FALSE(is_closed(socket));
}

TYPED_TEST(ExecutorStreamsTest, ATimeoutAndACancellationEndAWaitForBytesAndLoseNone) {
  buffer_group buffers = this->loop.io().buffers({.count = 4, .size = 64});
  const int socket = this->client();
  const int server = ::accept4(this->listener, nullptr, nullptr, SOCK_CLOEXEC);
  this->opened.push_back(server);
  const auto receives = [](TypeParam& by, int from, buffer_group& by_these,
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
  auto handle = this->loop.spawn(receives(this->loop, server, buffers, text));
  const auto waits = []() -> task<> { co_await sleep_for(10ms); };
  this->loop.run(waits());
  ASSERT_EQ(::send(socket, "abc", 3, 0), 3);
  this->loop.run(waits());
  EXPECT_EQ(text, "abc");
  EXPECT_FALSE(handle.is_over());

  handle.cancel();
  this->loop.run();

  EXPECT_EQ(handle.take(), std::errc::operation_canceled);
  EXPECT_EQ(buffers.free(), 4U);
}

TYPED_TEST(ExecutorStreamsTest, TheEndOfAnExecutorEndsItsServers) {
  int accepted = 0;
  const auto accepts = [](TypeParam& by, int from, int& count) -> task<> {
    auto connections = by.io().acceptor(from, SOCK_CLOEXEC);
    while (const auto socket = co_await connections.next()) {
      ++count;
      ::close(*socket);
    }
  };
  {
    TypeParam ends_soon;
    ends_soon.spawn(accepts(ends_soon, this->listener, accepted)).detach();
    const int socket = this->client();
    const auto waits = [](const int& count) -> task<> {
      while (count == 0) co_await sleep_for(1ms);
    };
    ends_soon.run(waits(accepted));
    EXPECT_TRUE(is_closed(socket));
  }
  EXPECT_EQ(accepted, 1);
}

// The table goes before its tasks, which the executor's end ends.
TYPED_TEST(ExecutorStreamsTest, ATableMayStandBesideItsExecutor) {
  const int client_end = this->client();
  const int socket = ::accept(this->listener, nullptr, nullptr);
  this->opened.push_back(socket);
  const auto receives = [](TypeParam& by, iosubmit::registered_files& files, int from, int& ended) -> task<> {
    const auto file = files.add(from);
    std::array<std::byte, 8> bytes{};
    const auto got = co_await by.io().ask(file.by_place(iosubmit::entries::recv(from, bytes)));
    ended = got ? 1 : got.error().value();
  };
  int ended = 0;
  {
    TypeParam ends_soon;
    iosubmit::registered_files files = ends_soon.io().registered_files();
    ends_soon.spawn(receives(ends_soon, files, socket, ended)).detach();
    const auto waits = []() -> task<> { co_await sleep_for(2ms); };
    ends_soon.run(waits());
    EXPECT_EQ(ended, 0);
  }
  EXPECT_EQ(ended, ECANCELED);
  EXPECT_FALSE(is_closed(client_end));
}

TYPED_TEST(ExecutorStreamsTest, WhatIsRegisteredServesATaskAsAnyOther) {
  const int client_end = this->client();
  const int socket = ::accept(this->listener, nullptr, nullptr);
  this->opened.push_back(socket);
  const auto back_and_forth = [](TypeParam& by, int one, int other) -> task<std::string> {
    const auto io = by.io();
    const auto memory = io.registered_memory(8192);
    auto files = io.registered_files(2);
    if (memory.bytes().size() != 8192 || (files.count() != 0 && files.count() != 2))
      co_return "not as large as asked for";
    const auto from = files.add(one), to = files.add(other);
    std::memcpy(memory.bytes().data(), "gear", 4);
    const auto written = co_await io.ask(from.by_place(memory.write(one, memory.bytes().first(4))));
    const auto part = memory.bytes().last(16);
    const auto late = co_await with_timeout(1ms, io.ask(from.by_place(memory.read(one, part))));
    const auto read = co_await io.ask(to.by_place(memory.read(other, part)));
    if (!written || late || !read) co_return "failed";
    co_return std::string(reinterpret_cast<const char*>(part.data()), *read);
  };

  EXPECT_EQ(this->loop.run(back_and_forth(this->loop, client_end, socket)), "gear");
}

}  // namespace
}  // namespace pinion::scheduler
