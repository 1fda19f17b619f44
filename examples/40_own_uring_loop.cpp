// SPDX-License-Identifier: Apache-2.0
//
// A loop that owns its io_uring, here by liburing, and a policy that says when it submits: four calls, and no
// ring of pinion's.
//
//   queued          after an entry was filled in, and again at the end of a turn that leaves something to run: enter now?
//   entered         the kernel has taken some
//   reaped          completions are about to be handled; completed() before, for a policy that follows latencies
//   about_to_park   nothing is left to run: for how many to wait, and for how long at most for more than one
//
// What submission does by itself is the owner's here: all that is queued goes before it waits, in the call
// that waits.
//
// It serves sixty-four clients on loopback that ask twenty times each, under one policy after the other.
#include <arpa/inet.h>
#include <liburing.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <future>
#include <pinion/iosubmit.hpp>
#include <span>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

namespace iosubmit = pinion::iosubmit;

namespace {

constexpr std::size_t clients_count = 64, rounds = 20;

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

// What liburing returned, or an exception that names the call. What passes by itself is none.
int passed(int result, const char* call) {
  if (result < 0 && result != -ETIME && result != -EINTR && result != -EAGAIN && result != -EBUSY)
    throw std::system_error(-result, std::generic_category(), call);
  return result;
}

class liburing {
 public:
  liburing() {
    for (const unsigned flags :
         {IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG, 0U}) {
      result_ = io_uring_queue_init(128, &ring_, flags);
      if (result_ != -EINVAL) break;  // before Linux 6.1 there are no such flags
    }
  }
  liburing(const liburing&) = delete;
  liburing& operator=(const liburing&) = delete;
  ~liburing() {
    if (result_ == 0) io_uring_queue_exit(&ring_);
  }
  [[nodiscard]] int error() const noexcept { return -result_; }
  io_uring* get() noexcept { return &ring_; }

 private:
  io_uring ring_{};
  int result_ = 0;
};

// What is asked of the kernel: the pointer to it is the user_data. When it was queued is for policies that
// follow latencies.
struct asked {
  descriptor socket;
  bool sends = false;
  char letter = 0;
  pinion::instant queued{};
};

template <iosubmit::submit_policy Policy>
class server {
 public:
  server() {
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const int listener = listener_.socket.get();
    checked(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), "bind");
    checked(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), "getsockname");
    checked(::listen(listener, clients_count), "listen");
    accept();
  }
  server(const server&) = delete;
  server& operator=(const server&) = delete;
  // Where serving has failed, no client may wait for ever, and the kernel must not write to a connection that
  // is gone.
  ~server() {
    ::shutdown(listener_.socket.get(), SHUT_RDWR);
    for (const auto& [fd, each] : connections_) ::shutdown(fd, SHUT_RDWR);
  }

  // Serves until the last client is gone.
  void run() {
    constexpr int at_once = 16;  // so that a turn is short, and some of them leave something to run
    while (!is_done()) {
      for (int i = 0; i < at_once && !ready_.empty(); ++i) {
        const auto [what, result] = ready_.front();
        ready_.pop_front();
        serve(*what, result);
      }
      now_ = pinion::monotonic_clock::now();
      if (ready_.empty() && !is_done()) {
        park();
      } else if (depth() != 0 && policy_.queued(state(true))) {
        submit();
      }
      reap();
    }
  }

  sockaddr_in address{};
  std::size_t connected = 0, requests = 0, operations = 0, enters = 0;

 private:
  [[nodiscard]] bool is_done() const { return connected == clients_count && connections_.empty(); }

  // ---- The loop, and the four hooks

  [[nodiscard]] std::uint32_t depth() noexcept { return io_uring_sq_ready(ring_.get()); }
  [[nodiscard]] iosubmit::queue_state state(bool turn_ends = false) noexcept {
    return {
        .depth = depth(), .in_flight = in_flight_, .now = now_, .oldest = oldest_, .turn_ends = turn_ends};
  }

  // Has `fill` say what is asked, and asks it.
  template <class Fill>
  void queue(asked& what, Fill fill) {
    if (depth() == 0) oldest_ = now_;
    io_uring_sqe* place = io_uring_get_sqe(ring_.get());
    // The queue is full, and stays so where the kernel takes nothing until completions are reaped (EBUSY).
    while (place == nullptr) {
      submit();
      reap();
      place = io_uring_get_sqe(ring_.get());
    }
    fill(place);
    io_uring_sqe_set_data(place, &what);
    what.queued = now_;
    ++operations;
    if (policy_.queued(state())) submit();
  }

  void submit() {
    enter([](io_uring* ring) { return io_uring_submit(ring); });
  }

  // This liburing knows no wait for many that ends with the first one after a while; a wait that has an end
  // comes near, and where it brought nothing another one follows.
  void park() {
    const iosubmit::park_wait wait = policy_.about_to_park(state());
    const std::uint32_t count = std::clamp(wait.count, 1U, std::max(1U, depth() + in_flight_));
    if (count == 1 || wait.gather == pinion::duration{0}) {
      enter([](io_uring* ring) { return io_uring_submit_and_wait(ring, 1); });
    } else {
      const auto gather = pinion::kernel_time::of(wait.gather);
      enter([&](io_uring* ring) {
        __kernel_timespec limit{.tv_sec = gather.seconds, .tv_nsec = gather.nanoseconds};
        io_uring_cqe* first = nullptr;
        return io_uring_submit_and_wait_timeout(ring, &first, count, &limit, nullptr);
      });
    }
    now_ = pinion::monotonic_clock::now();
  }

  template <class Enter>
  void enter(Enter call) {
    const std::uint32_t before = depth();
    ++enters;
    passed(call(ring_.get()), "io_uring_enter");
    const std::uint32_t accepted = before - depth();
    in_flight_ += accepted;
    if (accepted != 0) policy_.entered({.accepted = accepted, .now = now_});
    if (depth() != 0) oldest_ = now_;
  }

  // Fetches, where nothing is there, what DEFER_TASKRUN keeps back.
  void reap() {
    std::array<io_uring_cqe*, 64> there;
    const std::uint32_t count = io_uring_peek_batch_cqe(ring_.get(), there.data(), there.size());
    for (const io_uring_cqe* each : std::span{there}.first(count)) {
      auto* const what = static_cast<asked*>(io_uring_cqe_get_data(each));
      if constexpr (iosubmit::latency_policy<Policy>) policy_.completed(now_ - what->queued);
      ready_.emplace_back(what, each->res);
    }
    io_uring_cq_advance(ring_.get(), count);
    in_flight_ -= count;
    policy_.reaped({.count = count, .in_flight = in_flight_, .now = now_});
  }

  // ---- What it is for

  void serve(asked& what, int result) {
    if (&what == &listener_) {
      accepted(passed(result, "accept"));
    } else if (what.sends) {
      receive(what);
    } else if (result == 1) {
      ++requests;
      answer(what);
    } else {
      connections_.erase(what.socket.get());
    }
  }

  void accept() {
    queue(listener_, [this](io_uring_sqe* entry) {
      io_uring_prep_accept(entry, listener_.socket.get(), nullptr, nullptr, SOCK_CLOEXEC);
    });
  }
  void accepted(int socket) {
    if (socket >= 0) {
      ++connected;
      receive(connections_.try_emplace(socket, asked{descriptor{socket}}).first->second);
    }
    if (connected < clients_count) accept();
  }
  void receive(asked& from) {
    from.sends = false;
    queue(from,
          [&](io_uring_sqe* entry) { io_uring_prep_recv(entry, from.socket.get(), &from.letter, 1, 0); });
  }
  void answer(asked& to) {
    to.sends = true;
    to.letter = static_cast<char>(to.letter - 'a' + 'A');
    queue(to, [&](io_uring_sqe* entry) {
      io_uring_prep_send(entry, to.socket.get(), &to.letter, 1, MSG_NOSIGNAL);
    });
  }

  asked listener_{descriptor{checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket")}};
  std::unordered_map<int, asked> connections_;
  std::deque<std::pair<asked*, int>> ready_;
  liburing ring_;
  Policy policy_{};
  std::uint32_t in_flight_ = 0;
  pinion::instant now_ = pinion::monotonic_clock::now();
  pinion::instant oldest_ = now_;
};

// The other side, with blocking sockets: all ask at once, and wait for their answers.
std::size_t run_clients(const sockaddr_in& address) {
  std::vector<descriptor> clients;
  std::size_t right = 0;
  for (std::size_t i = 0; i < clients_count; ++i) {
    clients.emplace_back(checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
    checked(::connect(clients.back().get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
            "connect");
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    const char letter = static_cast<char>('a' + round);
    for (const descriptor& client : clients) checked(::send(client.get(), &letter, 1, MSG_NOSIGNAL), "send");
    for (const descriptor& client : clients) {
      char answer = 0;
      checked(::recv(client.get(), &answer, 1, 0), "recv");
      right += answer == letter - 'a' + 'A' ? 1U : 0U;
    }
  }
  return right;
}

template <class Policy>
void serve_under(const char* name) {
  std::future<std::size_t> asking;  // waits for the clients, whose sockets the server's end closes
  server<Policy> serving;
  asking = std::async(std::launch::async, run_clients, serving.address);
  serving.run();
  const std::size_t right = asking.get();
  std::printf("%s: %zu connections, %zu requests, %zu right answers\n", name, serving.connected,
              serving.requests, right);
  std::printf("  %zu operations, %s one enter for each\n", serving.operations,
              serving.enters <= serving.operations ? "at most" : "more than");
}

}  // namespace

int main() try {
  constexpr int skipped = 77;
  constexpr long descriptors_needed = 256;  // for both ends of each connection
  if (const long limit = ::sysconf(_SC_OPEN_MAX); limit < descriptors_needed) {
    std::printf("Skipped: %ld descriptors are needed, and the limit is %ld: raise it (ulimit -n)\n",
                descriptors_needed, limit);
    return skipped;
  }
  if (const int error = liburing{}.error(); error != 0) {
    std::printf("Skipped: io_uring_setup: %s. Most likely a sandbox or the sysctl kernel.io_uring_disabled "
                "forbids it: allow it, or use epoll\n",
                std::generic_category().message(error).c_str());
    return skipped;
  }
  serve_under<iosubmit::batch_or_idle>("batch_or_idle");
  serve_under<iosubmit::balanced>("balanced");
  serve_under<iosubmit::adaptive>("adaptive");
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
