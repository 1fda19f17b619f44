// SPDX-License-Identifier: Apache-2.0
//
// A raw io_uring loop that other threads wake, with a store of timers beside it: a server on loopback with a hundred connections.
// Letters are worked on by two threads; a dot is answered by a timer, 5 ms later.
//
// Nothing is watched for wakes: a worker that finds the loop asleep puts a completion into its ring, and the one io_uring_enter of
// the turn, which submits and waits until the next timer is due, returns. While the loop is awake no worker makes a call for it.
//
// Where no descriptor is left for a client the server stops accepting for 100 ms, and goes on serving those
// that it has.
#include <arpa/inet.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
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

// What a completion is about: a pointer and, in its lowest bits, what was asked for.
enum kind : std::uint64_t { woken, accepted, received, sent, answered };
constexpr std::uint64_t kinds = 7;

std::uint64_t name_of(const void* what, kind asked) {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(what)) | asked;
}
template <class T>
T& named(std::uint64_t name) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a name is a pointer that went through the kernel as a number
  return *reinterpret_cast<T*>(static_cast<std::uintptr_t>(name & ~kinds));
}

// The ring, and the port to it that pinion's parts take.
class uring {
 public:
  [[nodiscard]] int descriptor() const noexcept { return ring_.get(); }
  [[nodiscard]] bool is_owner() const noexcept { return owner_ == std::this_thread::get_id(); }
  bool queue(pinion::ring_entry entry, pinion::ring_answer& answer) noexcept {
    entry.user_data = name_of(&answer, answered);
    return put(entry);
  }

  bool put(const pinion::ring_entry& entry) noexcept {
    if (*queued_ - taken() == entries) enter(0, pinion::never);
    if (*queued_ - taken() == entries) return false;
    const std::uint32_t place = *queued_ % entries;
    submissions_[place] = entry;
    order_[place] = place;
    std::atomic_ref{*queued_}.store(*queued_ + 1, std::memory_order_release);  // the kernel acquires it
    return true;
  }

  // One system call: submits what was put, and waits for a completion until then.
  void submit_and_wait(pinion::instant until) {
    const int result = enter(1, until);
    if (result < 0 && result != -ETIME && result != -EINTR && result != -EBUSY)
      throw std::system_error(-result, std::generic_category(), "io_uring_enter");
  }

  // Calls `each` with the name, the result and the flags of what was completed.
  template <class Each>
  void reap(Each each) {
    std::uint32_t head = *reaped_;
    while (head != std::atomic_ref{*completed_}.load(std::memory_order_acquire)) {  // the kernel releases it
      const io_uring_cqe done = completions_[head & completion_mask_];
      std::atomic_ref{*reaped_}.store(++head, std::memory_order_release);
      each(done.user_data, done.res, done.flags);
    }
  }

 private:
  static constexpr std::uint32_t entries = 256;

  std::uint32_t taken() noexcept { return std::atomic_ref{*submitted_}.load(std::memory_order_acquire); }

  int enter(unsigned completions, pinion::instant until) noexcept {
    constexpr std::uint64_t second = 1'000'000'000;
    const pinion::duration timeout = until - pinion::monotonic_clock::now();
    __kernel_timespec limit{};
    limit.tv_sec = static_cast<std::int64_t>(timeout.ns / second);
    limit.tv_nsec = static_cast<long long>(timeout.ns % second);
    io_uring_getevents_arg argument{};
    argument.ts = until == pinion::never ? 0 : reinterpret_cast<std::uintptr_t>(&limit);
    const long result = ::syscall(SYS_io_uring_enter, ring_.get(), *queued_ - taken(), completions,
                                  IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &argument, sizeof argument);
    return result < 0 ? -errno : static_cast<int>(result);
  }

  void* map(std::size_t bytes, off_t what) {
    void* const at =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring_.get(), what);
    return at != MAP_FAILED ? at : throw std::system_error(errno, std::generic_category(), "mmap");
  }
  template <class T>
  T* at(std::uint32_t offset) {
    return reinterpret_cast<T*>(static_cast<std::byte*>(rings_) + offset);
  }

  // The mappings stay until the program ends; with them, this is the whole of a ring.
  std::thread::id owner_ = std::this_thread::get_id();
  io_uring_params made_{};
  ::descriptor ring_{
      checked(static_cast<int>(::syscall(SYS_io_uring_setup, entries, &made_)), "io_uring_setup")};
  void* rings_ = map(std::max(made_.sq_off.array + made_.sq_entries * sizeof(std::uint32_t),
                              made_.cq_off.cqes + made_.cq_entries * sizeof(io_uring_cqe)),
                     IORING_OFF_SQ_RING);
  pinion::ring_entry* submissions_ =
      static_cast<pinion::ring_entry*>(map(entries * sizeof(pinion::ring_entry), IORING_OFF_SQES));
  std::uint32_t* submitted_ = at<std::uint32_t>(made_.sq_off.head);
  std::uint32_t* queued_ = at<std::uint32_t>(made_.sq_off.tail);
  std::uint32_t* order_ = at<std::uint32_t>(made_.sq_off.array);
  std::uint32_t* reaped_ = at<std::uint32_t>(made_.cq_off.head);
  std::uint32_t* completed_ = at<std::uint32_t>(made_.cq_off.tail);
  std::uint32_t completion_mask_ = made_.cq_entries - 1;
  io_uring_cqe* completions_ = at<io_uring_cqe>(made_.cq_off.cqes);
};

struct connection : waker::wake_node {
  explicit connection(descriptor&& of) : socket(std::move(of)) {}

  descriptor socket;
  char letter = 0;  // the request, then the answer; belongs to the holder of the node
};

using loop_channel = waker::wake_channel<waker::tagged_inbox, waker::msg_ring_notifier>;

// A thread that takes connections, works on their requests and sends them back to the loop.
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
  explicit server(waker::wake_node& stop) : stop_(stop) {
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    checked(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size), "bind");
    checked(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size), "getsockname");
    checked(::listen(listener_.get(), 128), "listen");
    accept_next();
    put(wakes_.notifier().watch());  // for the signals that can't be sent as a completion
    for (auto& each : workers_) each = std::make_unique<worker>(wakes_);
  }
  server(const server&) = delete;
  server& operator=(const server&) = delete;
  // Where serving has failed, no client may wait for ever, and the kernel must not write to a connection that is
  // gone.
  ~server() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    for (const auto& [fd, each] : connections_) ::shutdown(fd, SHUT_RDWR);
  }

  // To stop it, push `stop` here.
  [[nodiscard]] loop_channel::sender_type sender() const { return wakes_.sender(); }

  // Serves until it is told to stop and the last connection is gone.
  void run() {
    while (!is_done()) {
      wakes_.notifier().consume();
      wakes_.drain([this](waker::wake_node& node) {
        &node == &stop_ ? void(stopping_ = true) : answer(static_cast<connection&>(node));
      });
      timers_.poll(pinion::monotonic_clock::now(), 64,
                   [this](timer::handle, pinion::instant, connection*&& late) {
                     if (late == nullptr) return accept_next();
                     ++by_timer;
                     answer(*late);
                   });

      // From here on the first push signals. If something was pushed since the drain, arming fails, and this turn does not wait.
      const bool may_sleep = !is_done() && wakes_.try_arm();
      ring_.submit_and_wait(may_sleep ? timers_.next_wakeup() : pinion::instant{0});
      wakes_.disarm();

      ring_.reap([this](std::uint64_t name, int result, std::uint32_t flags) { serve(name, result, flags); });
    }
  }

  sockaddr_in address{};
  std::size_t connected = 0, asked = 0, by_timer = 0, told = 0;

 private:
  [[nodiscard]] bool is_done() const { return stopping_ && connections_.empty(); }

  void serve(std::uint64_t name, int result, std::uint32_t flags) {
    switch (name & kinds) {
    case woken:
      if (loop_channel::notifier_type::watch_ended(result, flags)) put(wakes_.notifier().watch());
      break;
    case accepted: accept(result); break;
    case received: read(named<connection>(name), result); break;
    case sent: result == 1 ? listen_again(named<connection>(name)) : forget(named<connection>(name)); break;
    case answered: named<pinion::ring_answer>(name).answered(named<pinion::ring_answer>(name), result); break;
    default: break;
    }
  }

  void accept_next() {
    put({.operation = IORING_OP_ACCEPT, .descriptor = listener_.get(), .user_data = accepted});
  }
  void accept(int result) {
    if (result < 0) {
      // Most likely no descriptor is left, and the next accept would fail at once. A timer without a
      // connection says when to ask again.
      timers_.schedule(pinion::monotonic_clock::now() + accept_pause, nullptr);
      return;
    }
    accept_next();
    ++connected;
    receive(connections_.try_emplace(result, descriptor{result}).first->second);
  }

  void read(connection& from, int size) {
    if (size <= 0) {
      forget(from);
      return;
    }
    ++asked;
    if (from.letter == '.') {
      timers_.schedule(pinion::monotonic_clock::now() + pinion::ceil(std::chrono::milliseconds{5}), &from);
    } else {
      workers_[asked % workers_.size()]->work_on(from);
    }
  }

  // While a worker or a timer has the connection nothing is asked of its socket: it can't go away under them.
  void answer(connection& to) {
    put({.operation = IORING_OP_SEND,
         .descriptor = to.socket.get(),
         .address = name_of(&to.letter, woken),
         .length = 1,
         .operation_flags = MSG_NOSIGNAL,
         .user_data = name_of(&to, sent)});
  }
  void listen_again(connection& to) {
    ++told;
    receive(to);
  }
  void receive(connection& from) {
    put({.operation = IORING_OP_RECV,
         .descriptor = from.socket.get(),
         .address = name_of(&from.letter, woken),
         .length = 1,
         .user_data = name_of(&from, received)});
  }
  void forget(const connection& gone) { connections_.erase(gone.socket.get()); }

  void put(const pinion::ring_entry& entry) {
    if (!ring_.put(entry)) throw std::runtime_error("the kernel takes no more entries");
  }

  static constexpr pinion::duration accept_pause = pinion::ceil(std::chrono::milliseconds{100});

  waker::wake_node& stop_;
  uring ring_;
  descriptor listener_{checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket")};
  std::unordered_map<int, connection> connections_;
  timer::deferred_wheel<connection*> timers_{pinion::monotonic_clock::now()};
  loop_channel wakes_{ring_, woken};
  std::array<std::unique_ptr<worker>, 2> workers_;
  bool stopping_ = false;
};

// The other side, with blocking sockets: a hundred clients that ask ten times each, all at once.
std::size_t run_clients(const sockaddr_in& address) {
  std::vector<descriptor> clients;
  std::size_t right = 0;
  for (int i = 0; i < 100; ++i) {
    clients.emplace_back(checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
    checked(::connect(clients.back().get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
            "connect");
  }
  for (const char letter : {'a', 'b', 'c', 'd', '.', 'e', 'f', 'g', 'h', 'i'}) {
    for (const descriptor& client : clients) checked(::send(client.get(), &letter, 1, MSG_NOSIGNAL), "send");
    for (const descriptor& client : clients) {
      char answer = 0;
      checked(::recv(client.get(), &answer, 1, 0), "recv");
      right += answer == (letter == '.' ? '.' : letter - 'a' + 'A') ? 1U : 0U;
    }
  }
  return right;
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
  io_uring_params parameters{};
  const descriptor probe{static_cast<int>(::syscall(SYS_io_uring_setup, 1, &parameters))};
  if (probe.get() < 0) {
    std::printf("Skipped: io_uring_setup: %s. Most likely a sandbox or the sysctl kernel.io_uring_disabled "
                "forbids it: allow it, or use epoll\n",
                std::generic_category().message(errno).c_str());
    return skipped;
  }
  waker::wake_node stop;            // both outlive the server, and
  std::future<std::size_t> asking;  // this waits for the clients, whose sockets the server's end closes
  server serving{stop};
  asking = std::async(std::launch::async, [&stop, to = serving.sender(), address = serving.address] {
    const std::shared_ptr<void> at_exit{nullptr,
                                        [&](void*) { to.push(stop); }};  // whichever way the clients end
    return run_clients(address);
  });
  serving.run();
  const std::size_t right = asking.get();
  std::printf("%zu connections, %zu requests, %zu of them for later\n", serving.connected, serving.asked,
              serving.by_timer);
  std::printf("%zu answers, %zu of them right\n", serving.told, right);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
