// SPDX-License-Identifier: Apache-2.0
//
// The tutorial, step 3: a server that greets by name, a task for each connection; and two clients.
#include <array>
#include <coroutine>
#include <cstdio>
#include <pinion/scheduler.hpp>
#include <span>
#include <string>
#include <system_error>
#include <type_traits>

#include "sockets.hpp"

using namespace pinion::scheduler;

template <class T>
T value_of(const pinion::expected<T, std::error_code>& answer) {
  if (!answer) throw std::system_error{answer.error()};
  if constexpr (!std::is_void_v<T>) return *answer;
}

struct greeter {
  task<> serve(descriptor client) {
    std::array<char, 64> name{};
    const auto got = co_await loop.io().recv(client.get(), std::as_writable_bytes(std::span{name}));
    if (!got || *got == 0) co_return;
    const std::string greeting = "hello, " + std::string(name.data(), *got);
    const auto sent = co_await loop.io().send_all(client.get(), std::as_bytes(std::span{greeting}));
    if (!sent) std::fprintf(stderr, "not greeted: %s\n", sent.error().message().c_str());
  }
  task<> accept_clients() {
    for (;;) {
      const auto client = co_await loop.io().accept(listening.get());
      if (!client) co_return;
      spawn(serve(descriptor{static_cast<int>(*client)})).detach();
    }
  }

  listener listening;
  pinion::scheduler::executor loop;
};

task<> asks(greeter& server, std::string line) {
  auto io = server.loop.io();
  const descriptor socket{must(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket")};
  const sockaddr_in& address = server.listening.address;
  value_of(co_await io.connect(socket.get(), &address, sizeof address));
  value_of(co_await io.send_all(socket.get(), std::as_bytes(std::span{line})));
  std::array<char, 64> answer{};
  value_of(co_await io.recv_all(socket.get(), std::as_writable_bytes(std::span{answer})));
  std::fputs(answer.data(), stdout);
}

task<> asks_twice(greeter& server) {
  co_await asks(server, "Ada\n");
  co_await asks(server, "Bob\n");
}

int main() {
  greeter server;
  server.loop.spawn(server.accept_clients()).detach();
  server.loop.run(asks_twice(server));
}
