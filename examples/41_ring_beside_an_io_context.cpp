// SPDX-License-Identifier: Apache-2.0
//
// A ring beside an io_context: sockets and their protocol stay with Asio, files are read by submission. A
// server on loopback hands out blocks of a file to sixteen clients.
//
// The ring's descriptor is readable when it has completions, and so the io_context watches it as it watches a
// socket. It has no place to call before it waits, so what a turn's handlers queue is handed over by one more
// handler, which is posted with the first of them and runs when all that were ready have run: nothing is left
// behind (law S1), and what came together goes by one enter.
//
// The ring does without defer_taskrun: with it the kernel posts completions only when the ring is entered,
// and the io_context, which watches the descriptor, would wait for ever.
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <future>
#include <list>
#include <memory>
#include <pinion/iosubmit.hpp>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using entries = pinion::iosubmit::entries;
namespace iosubmit = pinion::iosubmit;
using asio::ip::tcp;

namespace {

constexpr std::size_t blocks = 64, clients_count = 16;
using block = std::array<std::byte, 4096>;

// A submission in an io_context that one thread runs.
class ring_in_context {
 public:
  explicit ring_in_context(asio::io_context& context)
      : context_(context), watched_(context, ::dup(io_.descriptor())) {}

  void queue(iosubmit::operation& what) {
    io_.queue(what);
    if (!std::exchange(is_posted_, true)) {
      asio::post(context_, [this] {
        is_posted_ = false;
        turn();
      });
    }
  }

 private:
  // Until now: hands over all that is queued, and does not wait.
  void turn() {
    io_.park(io_.now());
    listen();
  }

  // A context runs for as long as something is waited for, so it is told when nothing is.
  void listen() {
    if (io_.in_flight() == 0) {
      if (is_listening_) watched_.cancel();
      return;
    }
    if (std::exchange(is_listening_, true)) return;
    watched_.async_wait(asio::posix::stream_descriptor::wait_read,
                        [this](const boost::system::error_code& error) {
                          is_listening_ = false;
                          if (error == asio::error::operation_aborted)
                            listen();
                          else if (!error)
                            turn();
                        });
  }

  asio::io_context& context_;
  iosubmit::submission<iosubmit::default_policy, iosubmit::uring_ring> io_{
      iosubmit::uring_ring{{.defer_taskrun = false}}};
  asio::posix::stream_descriptor watched_;
  bool is_posted_ = false;
  bool is_listening_ = false;
};

// Three times: an operation whose answer comes later, while the io_context waits.
struct ticking : iosubmit::operation {
  explicit ticking(ring_in_context& by) : operation{entries::timeout(period), &ticked}, ring(by) {
    ring.queue(*this);
  }
  static void ticked(pinion::ring_answer& self, std::int32_t result) noexcept {
    auto& mine = static_cast<ticking&>(self);
    if (result == -ETIME && ++mine.ticks < 3) mine.ring.queue(mine);
  }

  static constexpr pinion::kernel_time period = pinion::kernel_time::of(pinion::duration{5'000'000});
  ring_in_context& ring;
  int ticks = 0;
};

class server;

// One client: it names a block by a byte, the ring reads it, Asio sends it.
struct session : iosubmit::operation {
  session(server& of, tcp::socket&& taken)
      : operation{entries::nop(), &read_done}, serving(of), socket(std::move(taken)) {}
  void ask_next();
  static void read_done(pinion::ring_answer& self, std::int32_t result) noexcept;

  server& serving;
  tcp::socket socket;
  std::uint8_t number = 0;
  block bytes;
};

class server {
 public:
  server(asio::io_context& context, int file)
      : file_(file), ring_(context), acceptor_(context, {asio::ip::address_v4::loopback(), 0}) {
    accept();
  }
  [[nodiscard]] tcp::endpoint address() const { return acceptor_.local_endpoint(); }

  std::size_t served = 0;
  [[nodiscard]] int ticks() const { return ticking_.ticks; }

 private:
  friend session;

  void accept() {
    acceptor_.async_accept([this](const boost::system::error_code& error, tcp::socket&& socket) {
      if (error) throw boost::system::system_error(error, "accept");
      sessions_.emplace_back(*this, std::move(socket)).ask_next();
      if (++accepted_ < clients_count) accept();
    });
  }
  void read(session& by) {
    by.ask(entries::read(file_, by.bytes, by.number * sizeof(block)));
    ring_.queue(by);
  }
  void forget(session& gone) {
    sessions_.remove_if([&](const session& each) { return &each == &gone; });
  }

  int file_;
  std::list<session> sessions_;
  ring_in_context ring_;
  ticking ticking_{ring_};
  tcp::acceptor acceptor_;
  std::size_t accepted_ = 0;
};

void session::ask_next() {
  asio::async_read(socket, asio::buffer(&number, 1),
                   [this](const boost::system::error_code& error, std::size_t) {
                     error ? serving.forget(*this) : serving.read(*this);
                   });
}

void session::read_done(pinion::ring_answer& self, std::int32_t result) noexcept {
  auto& mine = static_cast<session&>(self);
  if (result != std::int32_t{sizeof(block)}) {
    mine.serving.forget(mine);
    return;
  }
  ++mine.serving.served;
  asio::async_write(mine.socket, asio::buffer(mine.bytes),
                    [&mine](const boost::system::error_code& error, std::size_t) {
                      error ? mine.serving.forget(mine) : mine.ask_next();
                    });
}

block block_of(std::size_t number) {
  block bytes;
  bytes.fill(static_cast<std::byte>(number));
  return bytes;
}

// The other side, with blocking sockets: all ask for each block, each for another one at a time.
std::size_t run_clients(const tcp::endpoint& address) {
  asio::io_context context;
  std::vector<tcp::socket> clients;
  std::size_t right = 0;
  for (std::size_t i = 0; i < clients_count; ++i) clients.emplace_back(context).connect(address);
  for (std::size_t round = 0; round < blocks; ++round) {
    const auto number_of = [&](std::size_t client) {
      return static_cast<std::uint8_t>((round + client) % blocks);
    };
    for (std::size_t i = 0; i < clients_count; ++i) {
      const std::uint8_t number = number_of(i);
      asio::write(clients[i], asio::buffer(&number, 1));
    }
    for (std::size_t i = 0; i < clients_count; ++i) {
      block bytes;
      asio::read(clients[i], asio::buffer(bytes));
      right += bytes == block_of(number_of(i)) ? 1U : 0U;
    }
  }
  return right;
}

}  // namespace

int main() try {
  constexpr int skipped = 77;
  constexpr long descriptors_needed = 64;  // for both ends of each connection
  if (const long limit = ::sysconf(_SC_OPEN_MAX); limit < descriptors_needed) {
    std::printf("Skipped: %ld descriptors are needed, and the limit is %ld: raise it (ulimit -n)\n",
                descriptors_needed, limit);
    return skipped;
  }
  if (const auto ring = iosubmit::uring_ring::open({}); !ring) {
    std::printf("Skipped: %s\n", to_string(ring.error()).c_str());
    return skipped;
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::tmpfile(), &std::fclose};
  if (!file) throw std::system_error(errno, std::generic_category(), "tmpfile");
  for (std::size_t i = 0; i < blocks; ++i) {
    const block bytes = block_of(i);
    if (std::fwrite(bytes.data(), sizeof(block), 1, file.get()) != 1)
      throw std::runtime_error("the disk is full");
  }
  std::fflush(file.get());

  asio::io_context context{1};
  std::future<std::size_t> asking;  // waits for the clients, whose sockets the server's end closes
  server serving{context, ::fileno(file.get())};
  asking = std::async(std::launch::async, run_clients, serving.address());
  context.run();  // until the clients are gone
  std::printf("%zu blocks for %zu clients, %zu of them right\n", serving.served, clients_count, asking.get());
  std::printf("%d ticks of the ring\n", serving.ticks());
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
