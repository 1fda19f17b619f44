// SPDX-License-Identifier: Apache-2.0
//
// An echo server of coroutines that runs with io_uring and without: default_ring is the kernel's ring, or
// epoll's where that is forbidden. Another thread wakes it, and it ends in order: a slot stops what waits,
// and the loop runs until the last task is over.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <future>
#include <pinion/iosubmit.hpp>
#include <pinion/scheduler.hpp>
#include <pinion/waker.hpp>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace iosubmit = pinion::iosubmit;
namespace waker = pinion::waker;
using entries = iosubmit::entries;

namespace {

class loop {
 public:
  using channel = waker::wake_channel<waker::tagged_inbox, waker::eventfd_notifier>;
  using submission = iosubmit::submission<iosubmit::default_policy, iosubmit::default_ring>;

  explicit loop(iosubmit::default_ring ring) : io_{std::move(ring)} {}

  submission& io() noexcept { return io_; }
  channel& wakes() noexcept { return wakes_; }
  pinion::run_queue& tasks() noexcept { return tasks_; }
  void count_task(int change) noexcept { left_ += change; }

  // Until no task is left. So none waits any more when the submission goes.
  void run() {
    while (left_ != 0) turn_(tasks_);
  }

 private:
  submission io_;
  channel wakes_{io_};
  pinion::scheduler::turn<pinion::scheduler::nothing, channel, submission> turn_{pinion::scheduler::absent,
                                                                                 wakes_, io_};
  pinion::run_queue tasks_;
  int left_ = 0;
};

// A coroutine that begins in the next turn, and is gone at its end. What it awaits makes it ready, by
// executor().
struct task {
  struct promise_type : pinion::runnable {
    explicit promise_type(loop& on, auto&...) noexcept : on_(on) {
      where = std::coroutine_handle<promise_type>::from_promise(*this);
      on_.count_task(1);
      on_.tasks().ready(*this);
    }
    promise_type(const promise_type&) = delete;
    promise_type& operator=(const promise_type&) = delete;
    ~promise_type() { on_.count_task(-1); }
    pinion::run_queue& executor() noexcept { return on_.tasks(); }
    static task get_return_object() noexcept { return {}; }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    static void unhandled_exception() noexcept { std::terminate(); }

   private:
    loop& on_;
  };
};

struct counts {
  int connections = 0, stopped = 0;
  std::size_t bytes = 0;
};

task serve(loop& on, int socket, pinion::cancel_slot& stopping, counts& told) {
  std::array<std::byte, 4096> bytes;
  for (;;) {
    const auto came = co_await iosubmit::awaiting(on.io(), entries::recv(socket, bytes), stopping);
    if (!came && came.error() == std::errc::operation_canceled) ++told.stopped;
    if (!came || *came == 0) break;  // stopped, or an error; or the client has closed
    if (!co_await iosubmit::send_all(on.io(), socket, std::span{bytes}.first(*came), stopping)) break;
    told.bytes += *came;
  }
  ::close(socket);
}

// Where an accept fails, the next would most likely fail as well: it pauses before that.
task accept_all(loop& on, int listener, pinion::cancel_slot& stopping, counts& told) {
  constexpr pinion::duration pause = pinion::ceil(std::chrono::milliseconds{100});
  while (!stopping.is_requested()) {
    const auto socket = co_await iosubmit::awaiting(on.io(), entries::accept(listener), stopping);
    if (socket) {
      ++told.connections;
      serve(on, static_cast<int>(*socket), stopping, told);
    } else if (!co_await iosubmit::sleep_for(on.io(), pause, stopping)) {
      break;
    }
  }
}

using wake_event = waker::wake_event<loop::channel>;

task stop_when_told(loop&, wake_event& told, pinion::cancel_slot& stopping) {
  co_await told.wait();
  stopping.request();  // resumes no task: what waits under it goes on in the next turns
}

// The other side, with blocking sockets: five clients that send three messages each. How many came back as
// they were. Then the server is told to stop, and each client waits for its end.
int run_clients(const sockaddr_in& address, wake_event& told, const loop::channel::sender_type& server) {
  std::vector<int> clients;
  int right = 0;
  while (clients.size() < 5) {
    const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (client < 0 || ::connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      std::perror("a client: are descriptors left (ulimit -n)");
      break;
    }
    clients.push_back(client);
  }
  for (const char letter : {'a', 'b', 'c'}) {
    for (const int client : clients) {
      const std::string message(10'000, letter);
      std::string answer(message.size(), ' ');
      ::send(client, message.data(), message.size(), MSG_NOSIGNAL);
      ::recv(client, answer.data(), answer.size(), MSG_WAITALL);
      right += answer == message ? 1 : 0;
    }
  }
  server.push(told);
  for (const int client : clients) {
    char nothing = 0;
    ::recv(client, &nothing, 1, 0);
    ::close(client);
  }
  return right;
}

// What a system call returned, or an exception that names it.
int checked(int result, const char* call) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), call);
  return result;
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
  auto ring = iosubmit::open_ring();
  if (!ring) {
    std::fprintf(stderr, "%s\n", to_string(ring.error()).c_str());
    return 1;
  }
  const int listener = checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  checked(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), "bind");
  checked(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), "getsockname");
  checked(::listen(listener, 16), "listen");

  loop on{std::move(*ring)};
  pinion::cancel_slot stopping;
  wake_event told{on.wakes()};
  counts count;
  accept_all(on, listener, stopping, count);
  stop_when_told(on, told, stopping);

  auto asking = std::async(std::launch::async, [&told, server = on.wakes().sender(), address] {
    return run_clients(address, told, server);
  });
  on.run();
  std::printf("%d messages came back as they were\n", asking.get());
  std::printf("%d connections, %zu bytes echoed, %d stopped while they waited\n", count.connections,
              count.bytes, count.stopped);
  ::close(listener);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
