// SPDX-License-Identifier: Apache-2.0
//
// A server on one io_context that echoes for four connections, while a coroutine on the same thread hashes
// block after block. It checks after each block, and is never interrupted anywhere else. It hashes until the
// last answer is out: if it did not let the others run, neither would ever end.
//
// Only the hash has been changed: what serves the connections is plain Asio, but for the executor that it is
// spawned by.
#include <unistd.h>

#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <future>
#include <pinion/asio.hpp>
#include <utility>
#include <vector>

namespace net = boost::asio;
using net::awaitable;
using net::use_awaitable;
using net::ip::tcp;

namespace {

constexpr int connections = 4, messages_each = 25;
constexpr int messages = connections * messages_each;

using block = std::array<std::byte, 4096>;
using message = std::array<std::byte, 16>;

/// FNV-1a, a byte at a time: something that takes a while.
std::uint64_t hash(std::uint64_t before, const block& bytes) {
  for (const std::byte each : bytes) before = (before ^ std::to_integer<std::uint64_t>(each)) * 0x100000001b3;
  return before;
}

message message_of(int number) {
  message bytes{};
  bytes.fill(static_cast<std::byte>(number));
  return bytes;
}

class server {
 public:
  explicit server(net::io_context& context)
      : slicer_(context, {.quantum = pinion::ceil(std::chrono::microseconds{200})}),
        acceptor_(slicer_.get_executor(), {net::ip::address_v4::loopback(), 0}) {
    net::co_spawn(slicer_.get_executor(), accept(), [](const std::exception_ptr& failed) {
      if (failed) std::rethrow_exception(failed);  // out of run()
    });
    net::co_spawn(slicer_.get_executor(), hash_on(), net::detached);
  }
  [[nodiscard]] tcp::endpoint address() const { return acceptor_.local_endpoint(); }
  [[nodiscard]] int echoed() const { return echoed_; }
  [[nodiscard]] bool hashed() const { return hashed_; }

 private:
  awaitable<void> accept() {
    for (int i = 0; i < connections; ++i)
      net::co_spawn(slicer_.get_executor(), echo(co_await acceptor_.async_accept(use_awaitable)),
                    net::detached);
  }

  awaitable<void> echo(tcp::socket socket) {
    for (int i = 0; i < messages_each; ++i) {
      message bytes;
      co_await net::async_read(socket, net::buffer(bytes), use_awaitable);
      co_await net::async_write(socket, net::buffer(bytes), use_awaitable);
      ++echoed_;
    }
  }

  awaitable<void> hash_on() {
    const block bytes{};
    std::uint64_t sum = 0xcbf29ce484222325;
    while (echoed_ != messages) {
      sum = hash(sum, bytes);
      // Not due: two loads. Due, after 200 us: everything that is ready goes first.
      if (slicer_.is_due()) co_await pinion::asio::async_yield(slicer_, use_awaitable);
    }
    hashed_ = sum != 0;
  }

  pinion::asio::slicer<> slicer_;
  tcp::acceptor acceptor_;
  int echoed_ = 0;
  bool hashed_ = false;
};

/// The other side, on a thread of its own, with blocking sockets: how many answers were right.
int ask_all(const tcp::endpoint& address) {
  net::io_context context{1};
  std::vector<tcp::socket> sockets;
  for (int i = 0; i < connections; ++i) sockets.emplace_back(context).connect(address);
  int right = 0;
  for (int round = 0; round < messages_each; ++round) {
    for (int i = 0; i < connections; ++i)
      net::write(sockets[static_cast<std::size_t>(i)], net::buffer(message_of(round + i)));
    for (int i = 0; i < connections; ++i) {
      message answer{};
      net::read(sockets[static_cast<std::size_t>(i)], net::buffer(answer));
      right += answer == message_of(round + i) ? 1 : 0;
    }
  }
  return right;
}

}  // namespace

int main() try {
  constexpr int skipped = 77;
  constexpr long descriptors_needed = 32;  // for both ends of each connection
  if (const long limit = ::sysconf(_SC_OPEN_MAX); limit < descriptors_needed) {
    std::printf("Skipped: %ld descriptors are needed, and the limit is %ld: raise it (ulimit -n)\n",
                descriptors_needed, limit);
    return skipped;
  }
  std::future<int> asking;  // waits for the clients, whose sockets the context's end closes
  net::io_context context{1};
  server serving{context};
  asking = std::async(std::launch::async, ask_all, serving.address());
  context.run();
  std::printf("%d connections, %d messages, %d of them answered right\n", connections, messages,
              asking.get());
  std::printf("%d were echoed beside a coroutine that hashed until the last one: %s\n", serving.echoed(),
              serving.hashed() ? "it let them run" : "it did not run");
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
