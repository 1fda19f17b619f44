// SPDX-License-Identifier: Apache-2.0
//
// A wheel dropped into an epoll loop: an echo server on loopback that closes connections which send nothing
// for a while. Each request pushes its connection's timeout on, which in a deferred_wheel is one store. The
// wheel has no thread and no descriptor; the loop needs three lines for it: how long to wait, what time it
// is, poll.
//
// Of a hundred clients seventy ask on for longer than the timeout, thirty fall silent after one request.
//
// Where no descriptor is left for a client the server stops accepting for 100 ms, by a timer of the same
// wheel, and goes on serving those that it has.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <future>
#include <pinion/timer.hpp>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

namespace {

// What a system call returned, or an exception that names it.
template <class Result>
Result checked(Result result, const char* call) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), call);
  return result;
}

// A file descriptor that is closed with its owner.
class descriptor {
 public:
  explicit descriptor(int fd) noexcept : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  ~descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const noexcept { return fd_; }

 private:
  int fd_;
};

class echo_server {
 public:
  static constexpr pinion::duration read_timeout = pinion::ceil(700ms);
  static constexpr pinion::duration accept_pause = pinion::ceil(100ms);

  explicit echo_server(const descriptor& stop) : stop_(stop) {
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    checked(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size), "bind");
    checked(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size), "getsockname");
    checked(::listen(listener_.get(), 128), "listen");
    watch(listener_.get());
    watch(stop_.get());
  }

  // Serves until `stop`, an eventfd, is written to and the last connection is gone.
  void run() {
    constexpr int events_max = 64;
    std::array<epoll_event, events_max> events;
    while (!stopping_ || !connections_.empty()) {
      // Until something is ready or a timer is due. epoll_wait takes an int of milliseconds: rounded up, so
      // as not to wake just before the deadline, and what does not fit, such as `never`, becomes the longest
      // there is.
      using timeout = std::chrono::duration<int, std::milli>;
      const auto wait = pinion::ceil_to<timeout>(timers_.next_wakeup() - pinion::monotonic_clock::now());
      const int ready = ::epoll_wait(epoll_.get(), events.data(), events_max, wait.count());
      if (ready < 0 && errno != EINTR) checked(ready, "epoll_wait");

      // One reading for the whole turn. Requests before timeouts: a request that came in time is served,
      // however late it is.
      now_ = pinion::monotonic_clock::now();
      for (int i = 0; i < ready; ++i) serve(events[static_cast<std::size_t>(i)].data.fd);

      // At most 64 timeouts a turn. If more are due, next_wakeup() is not in the future and the next wait is
      // 0.
      timers_.poll(now_, 64, [&](pinion::timer::handle, pinion::instant, int fd) {
        if (fd == listener_.get()) return watch(fd);
        ++timed_out;
        connections_.erase(fd);
      });
    }
  }

  sockaddr_in address{};
  std::size_t accepted = 0, closed_by_client = 0, timed_out = 0, bytes_echoed = 0;

 private:
  struct connection {
    descriptor socket;
    pinion::timer::handle timeout;
  };

  void serve(int fd) {
    if (fd == listener_.get()) {
      accept_all();
    } else if (fd == stop_.get()) {
      stopping_ = true;
      eventfd_t count = 0;
      checked(::eventfd_read(fd, &count), "eventfd_read");
    } else {
      echo(connections_.at(fd));
    }
  }

  void accept_all() {
    for (;;) {
      descriptor socket{::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
      if (socket.get() < 0 && errno == EAGAIN) return;
      if (socket.get() < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
      if (socket.get() < 0) return pause_accepting();
      const int fd = socket.get();
      watch(fd);
      ++accepted;
      connections_.try_emplace(fd, std::move(socket), timers_.schedule(now_ + read_timeout, int{fd}));
    }
  }

  // Most likely no descriptor is left. The clients stay in the listener's queue; a listener that is still
  // watched would be ready again at once.
  void pause_accepting() {
    checked(::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, listener_.get(), nullptr), "epoll_ctl");
    timers_.schedule(now_ + accept_pause, listener_.get());
  }

  void echo(connection& from) {
    std::array<char, 4096> buffer;
    const int fd = from.socket.get();
    const ssize_t size = ::recv(fd, buffer.data(), buffer.size(), 0);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    // A client that does not take its answers is not waited for.
    if (size <= 0 || ::send(fd, buffer.data(), static_cast<std::size_t>(size), MSG_NOSIGNAL) != size) {
      ++closed_by_client;
      timers_.cancel(from.timeout);
      connections_.erase(fd);
      return;
    }
    bytes_echoed += static_cast<std::size_t>(size);
    timers_.reschedule(from.timeout, now_ + read_timeout);
  }

  void watch(int fd) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
    checked(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
  }

  const descriptor& stop_;
  descriptor epoll_{checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")};
  descriptor listener_{checked(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket")};
  pinion::instant now_ = pinion::monotonic_clock::now();
  pinion::timer::deferred_wheel<int> timers_{now_};
  std::unordered_map<int, connection> connections_;
  bool stopping_ = false;
};

void ask(const descriptor& socket) {
  char letter = 'x';
  checked(::send(socket.get(), &letter, 1, MSG_NOSIGNAL), "send");
  checked(::recv(socket.get(), &letter, 1, 0), "recv");
}

// The other side, with blocking sockets: 70 ask 20 times, 50 ms apart, and hang up; 30 ask once and wait.
void run_clients(const sockaddr_in& server) {
  std::vector<descriptor> busy, silent;
  for (int i = 0; i < 100; ++i) {
    descriptor socket{checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket")};
    checked(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&server), sizeof server), "connect");
    (i < 70 ? busy : silent).push_back(std::move(socket));
  }
  for (const descriptor& socket : silent) ask(socket);
  for (int round = 0; round < 20; ++round) {
    for (const descriptor& socket : busy) ask(socket);
    std::this_thread::sleep_for(50ms);
  }
  busy.clear();
  char none = 0;
  for (const descriptor& socket : silent) checked(::recv(socket.get(), &none, 1, 0), "wait to be closed");
}

// Tells the server to stop, whichever way the clients end.
struct stop_at_exit {
  const descriptor& stop;
  ~stop_at_exit() { ::eventfd_write(stop.get(), 1); }
};

}  // namespace

int main() try {
  constexpr int skipped = 77;
  constexpr long descriptors_needed = 256;  // for both ends of each connection
  if (const long limit = ::sysconf(_SC_OPEN_MAX); limit < descriptors_needed) {
    std::printf("Skipped: %ld descriptors are needed, and the limit is %ld: raise it (ulimit -n)\n",
                descriptors_needed, limit);
    return skipped;
  }
  const descriptor stop{checked(::eventfd(0, EFD_CLOEXEC), "eventfd")};
  std::future<void> asking;  // outlives the server, whose end closes sockets that the clients wait for
  echo_server server{stop};
  asking = std::async(std::launch::async, [&stop, address = server.address] {
    const stop_at_exit told{stop};
    run_clients(address);
  });
  server.run();
  asking.get();
  std::printf("%zu connections, %zu bytes echoed\n", server.accepted, server.bytes_echoed);
  std::printf("%zu closed by the client, %zu by their timeout\n", server.closed_by_client, server.timed_out);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
