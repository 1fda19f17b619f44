// SPDX-License-Identifier: Apache-2.0
//
// An echo server for connections that are silent nearly always. The kernel is asked once for all connections
// and once for all that comes in each, and it chooses buffers of a group that all share: a silent connection
// holds none. What 75 asks with one entry for each wait, this asks with one for each connection.
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
  task<> serve(descriptor socket, auto from) {  // a receiver, which goes before the socket
    ++connected;
    for (;;) {
      const auto part = co_await with_timeout(2s, from.next());
      if (!part && part.error() == std::errc::timed_out) ++timed_out;
      if (!part || part->empty()) co_return;
      const std::span<const std::byte> came = part->bytes();
      const auto sent = co_await with_timeout(2s, loop.io().send_all(socket.get(), came));
      if (!sent) co_return;
      told += came.size();
    }  // here the part's buffer goes back to the group
  }

  task<> accept_clients() {
    auto buffers = loop.io().buffers({.count = 64, .size = 512});  // its receivers keep it
    auto connections = loop.io().acceptor(listening.get());
    for (;;) {
      const auto client = co_await connections.next();
      if (client)
        spawn(serve(descriptor{*client}, loop.io().receiver(*client, buffers))).detach();
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
