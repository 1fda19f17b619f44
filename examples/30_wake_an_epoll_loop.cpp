// SPDX-License-Identifier: Apache-2.0
//
// An epoll loop that other threads wake: a server on loopback whose requests are worked on by two threads, and answered by the
// loop. A connection is a wake_node, so it travels to a worker and back without anything being allocated, copied or locked. It is a
// timer as well: a client that asks nothing for two seconds is let go, as the hundred and first is here.
//
// What the loop does for it is one turn: drain, poll the timers, arm, and wait until the next one is due, or not at all if arming
// says that there is something. While it is awake no worker makes a system call to wake it.
//
// Where no descriptor is left for a client the server stops accepting for 100 ms, and goes on serving those
// that it has.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <future>
#include <memory>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace timer = pinion::timer;
namespace waker = pinion::waker;

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

struct connection : waker::wake_node, timer::timer_hook {
  explicit connection(descriptor&& of) : socket(std::move(of)) {}

  descriptor socket;
  char letter = 0;  // the request, then the answer; belongs to the holder of the node
};

using loop_channel = waker::wake_channel<waker::tagged_inbox, waker::eventfd_notifier>;

// A thread that takes connections, works on their requests and sends them back to the loop. It waits for nothing else, so a
// futex will do, and it polls for a while where that pays.
class worker {
 public:
  explicit worker(const loop_channel& loop) : thread_([this, back = loop.sender()] { run(back); }) {}
  ~worker() {
    sender_.push(stop_);
    thread_.join();
  }

  void work_on(connection& asked) { sender_.push(asked); }

 private:
  using channel = waker::wake_channel<waker::tagged_inbox, waker::futex_notifier>;

  void run(const loop_channel::sender_type& back) {
    waker::parker park{channel_};
    for (bool stopped = false; !stopped;) {
      park(pinion::never);
      channel_.drain([&](waker::wake_node& node) {
        if (&node == &stop_) {
          stopped = true;
          return;
        }
        auto& asked = static_cast<connection&>(node);
        asked.letter = static_cast<char>(asked.letter - 'a' + 'A');
        back.push(asked);
      });
    }
  }

  waker::wake_node stop_;
  channel channel_;
  channel::sender_type sender_ = channel_.sender();
  std::thread thread_;
};

class server {
 public:
  explicit server(const descriptor& stop) : stop_(stop) {
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    checked(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size), "bind");
    checked(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size), "getsockname");
    checked(::listen(listener_.get(), 128), "listen");
    watch(listener_.get(), EPOLLIN);
    watch(stop_.get(), EPOLLIN);
    // Edge-triggered: each signal is an event of its own, and the descriptor is never read.
    watch(wakes_.notifier().descriptor(), EPOLLIN | EPOLLET);
    for (auto& each : workers_) each = std::make_unique<worker>(wakes_);
  }

  // Serves until `stop`, an eventfd, is written to and the last connection is gone.
  void run() {
    constexpr int events_max = 64;
    std::array<epoll_event, events_max> events;
    while (!stopping_ || !connections_.empty()) {
      wakes_.drain([this](waker::wake_node& node) { answer(static_cast<connection&>(node)); });
      const pinion::instant now = pinion::monotonic_clock::now();
      idle_.poll(now, 64, [this](connection& silent) {
        ++timed_out;
        connections_.erase(silent.socket.get());
      });
      if (accept_again_ <= now) {
        accept_again_ = pinion::never;
        watch(listener_.get(), EPOLLIN);
      }

      // From here on the first push signals. If something was pushed since the drain, arming fails, and this turn does not wait.
      const bool may_sleep = (!stopping_ || !connections_.empty()) && wakes_.try_arm();
      const int ready = ::epoll_wait(epoll_.get(), events.data(), events_max, may_sleep ? until_next() : 0);
      if (ready < 0 && errno != EINTR) checked(ready, "epoll_wait");
      wakes_.disarm();

      for (int i = 0; i < ready; ++i) serve(events[static_cast<std::size_t>(i)].data.fd);
    }
  }

  sockaddr_in address{};
  std::size_t accepted = 0, asked = 0, answered = 0, timed_out = 0;

 private:
  void serve(int fd) {
    if (fd == listener_.get()) {
      accept_all();
    } else if (fd == stop_.get()) {
      stopping_ = true;
      eventfd_t count = 0;
      checked(::eventfd_read(fd, &count), "eventfd_read");
    } else if (fd != wakes_.notifier().descriptor()) {
      read(connections_.at(fd));
    }
  }

  void accept_all() {
    for (;;) {
      descriptor socket{::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
      if (socket.get() < 0 && errno == EAGAIN) return;
      if (socket.get() < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
      if (socket.get() < 0) return pause_accepting();
      const int fd = socket.get();
      watch(fd, request);
      ++accepted;
      connection& client = connections_.try_emplace(fd, std::move(socket)).first->second;
      idle_.schedule(client, pinion::monotonic_clock::now() + idle_limit);
    }
  }

  // Most likely no descriptor is left. The clients stay in the listener's queue; a listener that is still
  // watched would be ready again at once.
  void pause_accepting() {
    checked(::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, listener_.get(), nullptr), "epoll_ctl");
    accept_again_ = pinion::monotonic_clock::now() + accept_pause;
  }

  void read(connection& from) {
    char letter = 0;
    const ssize_t size = ::recv(from.socket.get(), &letter, 1, 0);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) {
      listen_again(from);
      return;
    }
    if (size <= 0) {
      connections_.erase(from.socket.get());
      return;
    }
    from.letter = letter;
    idle_.cancel(from);  // nor may its time be up while a worker has it
    workers_[asked++ % workers_.size()]->work_on(from);
  }

  void answer(connection& to) {
    // A client that does not take its answers is not waited for.
    if (::send(to.socket.get(), &to.letter, 1, MSG_NOSIGNAL) != 1) {
      connections_.erase(to.socket.get());
      return;
    }
    ++answered;
    listen_again(to);
    idle_.schedule(to, pinion::monotonic_clock::now() + idle_limit);
  }

  // As epoll_wait takes it, rounded up: rounded down it would spin through the last millisecond. -1 where nothing will be due.
  [[nodiscard]] int until_next() const {
    using timeout = std::chrono::duration<int, std::milli>;
    const pinion::instant next = std::min(idle_.next_wakeup(), accept_again_);
    return next == pinion::never ? -1
                                 : pinion::ceil_to<timeout>(next - pinion::monotonic_clock::now()).count();
  }

  void listen_again(const connection& to) {
    epoll_event event{.events = request, .data = {.fd = to.socket.get()}};
    checked(::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, to.socket.get(), &event), "epoll_ctl");
  }

  void watch(int fd, std::uint32_t what) {
    epoll_event event{.events = what, .data = {.fd = fd}};
    checked(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
  }

  // One request at a time: while a worker has the connection, the loop hears nothing of it and can't let it go.
  static constexpr std::uint32_t request = EPOLLIN | EPOLLONESHOT;
  static constexpr pinion::duration idle_limit = pinion::ceil(std::chrono::seconds{2});
  static constexpr pinion::duration accept_pause = pinion::ceil(std::chrono::milliseconds{100});

  const descriptor& stop_;
  descriptor epoll_{checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")};
  descriptor listener_{checked(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket")};
  timer::deferred_hook_wheel<connection> idle_{pinion::monotonic_clock::now()};
  std::unordered_map<int, connection> connections_;
  loop_channel wakes_;
  std::array<std::unique_ptr<worker>, 2> workers_;
  pinion::instant accept_again_ = pinion::never;
  bool stopping_ = false;
};

descriptor connect_to(const sockaddr_in& address) {
  descriptor socket{checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket")};
  checked(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), "connect");
  return socket;
}

// The other side, with blocking sockets: a hundred clients that ask ten times each, all at once; then one that waits to be let go.
std::size_t run_clients(const sockaddr_in& address) {
  std::vector<descriptor> clients;
  std::size_t right = 0;
  for (int i = 0; i < 100; ++i) clients.push_back(connect_to(address));
  for (char letter = 'a'; letter <= 'j'; ++letter) {
    for (const descriptor& client : clients) checked(::send(client.get(), &letter, 1, MSG_NOSIGNAL), "send");
    for (const descriptor& client : clients) {
      char answer = 0;
      checked(::recv(client.get(), &answer, 1, 0), "recv");
      right += answer == letter - 'a' + 'A' ? 1U : 0U;
    }
  }
  clients.clear();
  const descriptor silent = connect_to(address);
  char nothing = 0;
  checked(::recv(silent.get(), &nothing, 1, 0), "recv");
  return right;
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
  std::future<std::size_t> asking;  // outlives the server, whose end closes sockets that the clients wait for
  server serving{stop};
  asking = std::async(std::launch::async, [&stop, address = serving.address] {
    const stop_at_exit told{stop};
    return run_clients(address);
  });
  serving.run();
  const std::size_t right = asking.get();
  std::printf("%zu connections, %zu requests\n", serving.accepted, serving.asked);
  std::printf("%zu answers, %zu of them right\n", serving.answered, right);
  std::printf("%zu let go, as it asked nothing\n", serving.timed_out);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
