// SPDX-License-Identifier: Apache-2.0
//
// An echo server of tasks: a task for each connection, which ends where nothing is asked or taken for two
// seconds. At its end the executor cancels what each task waits for, and runs them to their ends.
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <pinion/scheduler.hpp>
#include <span>
#include <system_error>
#include <utility>

#include "clients.hpp"

using namespace pinion::scheduler;
using namespace std::chrono_literals;

struct server {
  task<> serve(descriptor socket) {
    ++connected;
    std::byte letter{};
    const auto io = loop.io();
    for (;; ++told) {
      const auto got = co_await with_timeout(2s, io.recv_all(socket.get(), std::span{&letter, 1}));
      if (!got && got.error() == std::errc::timed_out) ++timed_out;
      if (!got || *got == 0) co_return;
      const auto sent = co_await with_timeout(2s, io.send_all(socket.get(), std::span{&letter, 1}));
      if (!sent) co_return;
    }
  }

  task<> accept_clients() {
    for (;;) {
      const auto client = co_await loop.io().accept(listening.get());
      if (client)
        spawn(serve(descriptor{static_cast<int>(*client)})).detach();
      else if (!co_await sleep_for(100ms))  // the next one would most likely fail at once; or it is the end
        co_return;
    }
  }

  void run() {
    loop.spawn(accept_clients()).detach();
    loop.run_until([this] { return stop.is_woken(); });
  }

  listener listening;
  std::size_t connected = 0, told = 0, timed_out = 0;
  pinion::scheduler::executor loop;  // ends its tasks before what stands above
  pinion::scheduler::executor::channel_type& wakes = loop.channel();
  pinion::waker::wake_event<pinion::scheduler::executor::channel_type> stop{wakes};
};

int main() {
  return serve_clients<server>("abcdefghi", [](char asked) { return asked; });
}
