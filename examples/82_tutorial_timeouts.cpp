// SPDX-License-Identifier: Apache-2.0
//
// The tutorial, step 4: the server lets go of silent clients, survives a lack of descriptors, and ends.
#include <array>
#include <chrono>
#include <coroutine>
#include <cstdio>
#include <pinion/scheduler.hpp>
#include <span>
#include <string>
#include <system_error>
#include <type_traits>

#include "sockets.hpp"

using namespace pinion::scheduler;
using namespace std::chrono_literals;

template <class T>
T value_of(const pinion::expected<T, std::error_code>& answer) {
  if (!answer) throw std::system_error{answer.error()};
  if constexpr (!std::is_void_v<T>) return *answer;
}

struct greeter {
  task<> serve(descriptor client) {
    std::array<char, 64> name{};
    const auto bytes = std::as_writable_bytes(std::span{name});
    const auto got = co_await with_timeout(1s, loop.io().recv(client.get(), bytes));
    if (!got && got.error() == std::errc::timed_out) std::puts("a client said nothing for a second");
    if (!got || *got == 0) co_return;
    const std::string greeting = "hello, " + std::string(name.data(), *got);
    const auto sent =
        co_await with_timeout(1s, loop.io().send_all(client.get(), std::as_bytes(std::span{greeting})));
    if (!sent) std::fprintf(stderr, "not greeted: %s\n", sent.error().message().c_str());
  }
  task<> accept_clients() {
    task_group connections;
    for (;;) {
      const auto client = co_await loop.io().accept(listening.get());
      if (client) {
        connections.spawn(serve(descriptor{static_cast<int>(*client)}));
      } else {  // no descriptor is free, say; or the server is cancelled
        const auto slept = co_await sleep_for(100ms);
        if (!slept) break;
      }
    }
    co_await connections.join();
    std::puts("the server is over");
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

task<> asks_and_ends(greeter& server, join_handle<> accepting) {
  co_await asks(server, "Ada\n");
  co_await asks(server, "");
  accepting.cancel();
  co_await accepting;
}

int main() {
  greeter server;
  server.loop.run(asks_and_ends(server, server.loop.spawn(server.accept_clients())));
}
