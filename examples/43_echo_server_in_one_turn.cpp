// SPDX-License-Identifier: Apache-2.0
//
// The whole turn of a thread-per-core executor, made of three parts: a timer store, a waker and a submission over
// an io_uring. A server on loopback echoes for a hundred connections. A question mark is answered by another
// thread. A client that asks nothing for two seconds is let go, as the hundred and first is here.
//
//   drain the inbox -> poll the timers -> t = next_wakeup() -> try_arm(), or go round again -> submit and wait until t
//
// The submission is the port that the notifier signals through. A turn makes one system call: it submits all that
// the turn has queued, and waits for completions, for the next timer and for wakes. The calls are counted.
//
// Where no descriptor is left for a client the server stops accepting for 100 ms, and goes on serving those
// that it has.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <future>
#include <memory>
#include <pinion/iosubmit.hpp>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>
#include <span>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

using entries = pinion::iosubmit::entries;
namespace iosubmit = pinion::iosubmit;
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

// A ring that counts: any type with these calls is one.
struct counted_ring : iosubmit::uring_ring {
  using iosubmit::uring_ring::basic_uring_ring;
  void put(const pinion::ring_entry& entry) noexcept {
    ++entries;
    iosubmit::uring_ring::put(entry);
  }
  pinion::ring_entered enter(const pinion::ring_wait& wait) noexcept {
    ++enters;
    return iosubmit::uring_ring::enter(wait);
  }
  std::size_t entries = 0, enters = 0;
};

class server;

// A connection is all in one: what is asked of its socket, one thing at a time; its idle timeout; what travels to the other thread.
struct connection : iosubmit::operation, timer::timer_hook, waker::wake_node {
  connection(server& of, descriptor&& taken)
      : operation{entries::nop(), &answered}, serving(of), socket(std::move(taken)) {}
  static void answered(pinion::ring_answer& self, std::int32_t result) noexcept;

  server& serving;
  descriptor socket;
  std::byte letter{};  // the request, then the answer; belongs to the holder of the node
  bool sends = false;
};

using loop_channel = waker::wake_channel<waker::tagged_inbox, waker::msg_ring_notifier>;

// A thread that takes connections, answers for them and sends them back to the loop.
class worker {
 public:
  explicit worker(const loop_channel& loop) : thread_([this, back = loop.sender()] { run(back); }) {}
  ~worker() {
    sender_.push(stop_);
    thread_.join();
  }

  // By the loop's port: where the worker sleeps it is woken by a futex, and the port is passed by.
  template <class Port>
  void work_on(connection& asked, Port& from) {
    sender_.push(asked, from);
  }

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
        asked.letter = std::byte{'!'};
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
    io_.messages_to({&server::arrived, this});
    io_.watch(wakes_.notifier().watch());  // for the signals that can't be sent as a completion
    io_.queue(accept_);
  }
  server(const server&) = delete;
  server& operator=(const server&) = delete;
  // The channel is destroyed first, so no message may come to it any more. The submission comes next: it answers all
  // operations in flight while the connections are still there.
  ~server() { io_.messages_to({}); }

  // To stop it, push `stop` here.
  [[nodiscard]] loop_channel::sender_type sender() const { return wakes_.sender(); }

  // Serves until it is told to stop and the last connection is gone.
  void run() {
    while (!is_done()) {
      const pinion::instant now = pinion::monotonic_clock::now();
      wakes_.notifier().consume();
      wakes_.drain([this](waker::wake_node& node) {
        &node == &stop_ ? void(stopping_ = true) : answer(static_cast<connection&>(node));
      });
      idle_.poll(now, 64, [this](connection& silent) {
        ++timed_out;
        ::shutdown(silent.socket.get(), SHUT_RDWR);  // which ends what is asked of it
      });

      // From here on the first push signals. If something was pushed since the drain, arming fails, and this turn does not wait.
      const bool may_sleep = !is_done() && wakes_.try_arm();
      may_sleep ? io_.park(now, idle_.next_wakeup()) : io_.turn(now);
      wakes_.disarm();
    }
  }

  [[nodiscard]] const counted_ring& ring() { return io_.ring(); }

  sockaddr_in address{};
  std::size_t connected = 0, asked = 0, told = 0, worked = 0, timed_out = 0;

 private:
  friend connection;

  [[nodiscard]] bool is_done() const { return stopping_ && connections_.empty(); }

  static void arrived(void* context, const pinion::ring_completion& message) noexcept {
    auto& self = *static_cast<server*>(context);
    if (loop_channel::notifier_type::watch_ended(message.result, message.flags))
      self.io_.watch(self.wakes_.notifier().watch());
  }

  // At the end of all, the submission answers with -ECANCELED what still waits.
  static void accepted(pinion::ring_answer& answer, std::int32_t result) noexcept {
    server& self = static_cast<acceptor&>(answer).serving;
    if (result == -ECANCELED) return;
    // An accept that fails would most likely fail again at once: a timeout (-ETIME) goes before the next.
    const bool failed = result < 0 && result != -ETIME;
    self.accept_.ask(failed ? entries::timeout(accept_pause) : self.next_connection());
    self.io_.queue(self.accept_);
    if (result < 0) return;
    ++self.connected;
    self.receive(self.connections_.try_emplace(result, self, descriptor{result}).first->second);
  }

  void served(connection& by, std::int32_t result) {
    if (result != 1) {
      connections_.erase(by.socket.get());
    } else if (by.sends) {
      ++told;
      receive(by);
    } else {
      ++asked;
      read(by);
    }
  }

  void read(connection& from) {
    if (from.letter != std::byte{'?'}) {
      answer(from);
      return;
    }
    ++worked;
    idle_.cancel(from);  // nor may its time be up while the worker has it
    worker_.work_on(from, io_);
  }

  void answer(connection& to) {
    to.sends = true;
    to.ask(entries::send(to.socket.get(), std::span{&to.letter, 1}, MSG_NOSIGNAL));
    io_.queue(to);
  }
  void receive(connection& from) {
    from.sends = false;
    from.ask(entries::recv(from.socket.get(), std::span{&from.letter, 1}));
    idle_.schedule(from, io_.now() + idle_limit);
    io_.queue(from);
  }

  [[nodiscard]] pinion::ring_entry next_connection() const {
    return entries::accept(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
  }

  static constexpr pinion::duration idle_limit = pinion::ceil(std::chrono::seconds{2});
  static constexpr auto accept_pause = pinion::kernel_time::of(pinion::duration{100'000'000});
  static constexpr std::uint64_t woken = 2;  // as user_data: a mark of 2 or more is no operation's

  struct acceptor : iosubmit::operation {
    explicit acceptor(server& of) : operation{of.next_connection(), &accepted}, serving(of) {}
    server& serving;
  };

  // In this order: what is answered, or cancelled, at the end is still there then.
  waker::wake_node& stop_;
  descriptor listener_{checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket")};
  acceptor accept_{*this};
  timer::deferred_hook_wheel<connection> idle_{pinion::monotonic_clock::now()};
  std::unordered_map<int, connection> connections_;
  iosubmit::submission<iosubmit::default_policy, counted_ring> io_{counted_ring{iosubmit::uring_options{}}};
  loop_channel wakes_{io_, woken};
  worker worker_{wakes_};
  bool stopping_ = false;
};

void connection::answered(pinion::ring_answer& self, std::int32_t result) noexcept {
  auto& mine = static_cast<connection&>(self);
  mine.serving.served(mine, result);
}

// The other side, with blocking sockets: a hundred clients that ask ten times each, all at once; then one that waits to be let go.
std::size_t run_clients(const sockaddr_in& address) {
  const auto connect_to = [&] {
    descriptor socket{checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket")};
    checked(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), "connect");
    return socket;
  };
  std::vector<descriptor> clients;
  std::size_t right = 0;
  for (int i = 0; i < 100; ++i) clients.push_back(connect_to());
  for (const char letter : {'a', 'b', 'c', 'd', '?', 'e', 'f', 'g', 'h', 'i'}) {
    for (const descriptor& client : clients) checked(::send(client.get(), &letter, 1, MSG_NOSIGNAL), "send");
    for (const descriptor& client : clients) {
      char answer = 0;
      checked(::recv(client.get(), &answer, 1, 0), "recv");
      right += answer == (letter == '?' ? '!' : letter) ? 1U : 0U;
    }
  }
  clients.clear();
  const descriptor silent = connect_to();
  char nothing = 0;
  checked(::recv(silent.get(), &nothing, 1, 0), "recv");
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
  if (const auto ring = iosubmit::uring_ring::open({}); !ring) {
    std::printf("Skipped: %s\n", to_string(ring.error()).c_str());
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
  std::printf("%zu connections, %zu requests, %zu of them worked on elsewhere\n", serving.connected,
              serving.asked, serving.worked);
  std::printf("%zu answers, %zu of them right\n", serving.told, right);
  std::printf("%zu let go, as it asked nothing\n", serving.timed_out);
  const counted_ring& ring = serving.ring();
  std::printf("%s one enter for each entry\n", ring.enters <= ring.entries ? "at most" : "more than");
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
