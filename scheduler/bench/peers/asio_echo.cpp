// SPDX-License-Identifier: Apache-2.0
//
// Asio is charged for two coroutines of each connection: one serves it, and one watches its deadline, as in
// Asio's own examples of timeouts. A read or a write reads the clock and moves the deadline. The
// watching coroutine waits for the connection's steady_timer, and again when the deadline has moved on; a
// deadline that comes before the timer's wakes it. So of the timers little is charged but the clock. Awaited
// by `deferred`, and as_tuple() in place of exceptions; a write is async_write(), which goes on after a part.
// asio_epoll is iosubmit's: handlers with an object for each connection, without timeouts.
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "../../../iosubmit/bench/peers/over_asio.hpp"
#include "../executor/benchmarks.hpp"
#include "asio_tasks.hpp"

namespace pinion::scheduler::bench {
namespace {

namespace asio = boost::asio;

class asio_server {
  using clock = std::chrono::steady_clock;

 public:
  explicit asio_server(std::size_t /*connections*/) {}

  /// Takes part from now on.
  void serve(std::size_t /*number*/, int socket) {
    connection& each = connections_.emplace_back(context_, socket);
    asio::co_spawn(context_, echoes(each), asio::detached);
    asio::co_spawn(context_, watches(each), asio::detached);
  }
  /// Until all connections were closed by the other side.
  void run() { context_.run(); }

  [[nodiscard]] std::uint64_t requests() const noexcept { return requests_; }
  /// They are Asio's own.
  [[nodiscard]] static iosubmit::bench::kernel_calls counted() noexcept { return {.are_counted = false}; }

 private:
  /// Outlives both of its coroutines, as the server destroys it.
  struct connection {
    asio::ip::tcp::socket socket;
    asio::steady_timer timer;
    clock::time_point deadline = clock::now() + std::chrono::seconds{60};

    connection(asio::io_context& context, int descriptor)
        : socket(context, asio::ip::tcp::v4(), descriptor), timer(context, deadline) {}

    void move_deadline(std::chrono::seconds time) {
      deadline = clock::now() + time;
      if (deadline < timer.expiry()) timer.cancel();
    }
    /// A read or write that is under way ends with an error, and so does each later one.
    void close() {
      socket.close();
      timer.cancel();
    }
  };

  asio::awaitable<void> echoes(connection& each) {
    constexpr auto awaited = asio::as_tuple(asio::deferred);
    std::array<std::byte, iosubmit::bench::load::message_bytes> bytes{};
    for (;; ++requests_) {
      each.move_deadline(std::chrono::seconds{60});
      const auto [silent, first] = co_await each.socket.async_read_some(asio::buffer(bytes), awaited);
      if (silent) break;
      if (first != bytes.size()) {
        each.move_deadline(std::chrono::seconds{30});
        const auto [unread, rest] =
            co_await asio::async_read(each.socket, asio::buffer(bytes) + first, awaited);
        if (unread) break;
      }
      each.move_deadline(std::chrono::seconds{10});
      const auto [unsent, sent] = co_await asio::async_write(each.socket, asio::buffer(bytes), awaited);
      if (unsent) break;
    }
    each.close();
  }

  static asio::awaitable<void> watches(connection& each) {
    while (each.socket.is_open() && clock::now() < each.deadline) {
      each.timer.expires_at(each.deadline);
      co_await each.timer.async_wait(asio::as_tuple(asio::deferred));
    }
    each.close();
  }

  asio::io_context context_{1};
  std::deque<connection> connections_;
  std::uint64_t requests_ = 0;
};

struct epoll_reactor;

}  // namespace

void add_asio_echo() {
  add_echo<asio_server>("asio");
  add_echo<iosubmit::bench::echo_server<iosubmit::bench::over_asio<epoll_reactor>>>("asio_epoll", 2);
}

}  // namespace pinion::scheduler::bench
