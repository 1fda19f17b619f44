// SPDX-License-Identifier: Apache-2.0
//
// live_server: an echo server of tasks under load, and what its executor does meanwhile, a line each second.
//
//   live_server [SECONDS [CONNECTIONS]]      // 6 seconds and 64 connections, unless told; 1 to 60 and 1 to 1000
//
// The server's executor is on a thread of its own. Each connection has a task there, with a time for what is
// asked and one for the answer. An executor on this thread is the load: a task for each connection, which
// asks 64 bytes and compares what comes; eight more that connect, say nothing and are let go; and the viewer,
// which has the server's executor look at itself every 10 ms, so that it is woken, too.
//
// Exit status: 0; 1 where an answer was wrong or one side counts other ones than the other; 2 for arguments
// that there are not; 77 where the machine has no io_uring.
#include <sys/resource.h>

#include <array>
#include <charconv>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <future>
#include <pinion/base/histogram.hpp>
#include <pinion/scheduler.hpp>
#include <span>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "examples/sockets.hpp"

namespace pinion::scheduler {
namespace {

using namespace std::chrono_literals;
using message = std::array<std::byte, 64>;
constexpr std::size_t silent_clients = 8;

// Parts that count, in place of the usual ones. The ring: what it is given, and how often it asks the kernel.
struct counted_ring : iosubmit::uring_ring {
  explicit counted_ring(iosubmit::uring_ring made) noexcept : iosubmit::uring_ring(std::move(made)) {}
  static expected<counted_ring, refusal> open(const iosubmit::uring_options& options) {
    auto made = iosubmit::uring_ring::open(options);
    if (!made) return unexpected<refusal>{made.error()};
    return counted_ring{std::move(*made)};
  }
  void put(const ring_entry& entry) noexcept {
    ++entries;
    iosubmit::uring_ring::put(entry);
  }
  ring_entered enter(const ring_wait& wait) noexcept {
    ++enters;
    waits += wait.count != 0 ? 1U : 0U;
    return iosubmit::uring_ring::enter(wait);
  }
  std::uint64_t entries = 0, enters = 0, waits = 0;
};
// What it hands out, on the thread that drains it.
struct counted_inbox : waker::default_inbox {
  template <class Sink>
  std::size_t drain(Sink&& sink) {
    const std::size_t count = waker::default_inbox::drain(std::forward<Sink>(sink));
    drained += count;
    return count;
  }
  static inline thread_local std::uint64_t drained = 0;
};
struct counted_parts : default_parts {
  using inbox = counted_inbox;
  using ring = counted_ring;
};
using server_executor = basic_executor<counted_parts>;

// What a server's executor has done so far.
struct seen {
  std::uint64_t requests = 0, let_go = 0, rounds = 0, waits = 0, wakes = 0, entries = 0, enters = 0;
  std::size_t tasks = 0, armed = 0;
  double processor_seconds = 0;
};

double processor_seconds_of_this_thread() {
  ::rusage used{};
  ::getrusage(RUSAGE_THREAD, &used);
  const auto seconds = [](const ::timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// An executor on a thread of its own.
class server {
 public:
  server() : worker_{up_.get_future().get()} {}
  ~server() {
    block_on([](server& of) -> task<> {
      static_cast<void>(co_await spawn_on(of.worker_, [&of] { return of.ends(); }));
    }(*this));
  }
  [[nodiscard]] const sockaddr_in& address() const noexcept { return listening_.address; }
  [[nodiscard]] const remote_executor& worker() const noexcept { return worker_; }

  // For that executor.
  task<seen> looks() {
    server_executor& loop = here();
    const counted_ring& ring = loop.submission().ring();
    co_return seen{.requests = requests_,
                   .let_go = let_go_,
                   .rounds = rounds_,
                   .waits = ring.waits,
                   .wakes = counted_inbox::drained,
                   .entries = ring.entries,
                   .enters = ring.enters,
                   .tasks = loop.size(),
                   .armed = loop.timers().size(),
                   .processor_seconds = processor_seconds_of_this_thread()};
  }

 private:
  static server_executor& here() noexcept { return static_cast<server_executor&>(*executor_base::current()); }

  void run() noexcept {
    try {
      server_executor loop;
      loop.spawn(accepts()).detach();
      up_.set_value(loop.remote());
      loop.run_on_until([this] {
        ++rounds_;
        return is_over_;
      });
    } catch (...) {
      up_.set_exception(std::current_exception());
    }
  }
  task<> ends() {
    is_over_ = true;
    co_return;
  }
  task<> accepts() {
    for (;;) {
      const auto socket = co_await here().io().accept(listening_.get(), SOCK_CLOEXEC);
      if (socket)
        spawn(serves(descriptor{static_cast<int>(*socket)})).detach();
      else if (!co_await sleep_for(10ms))  // too many descriptors; a task that was cancelled sleeps no more
        break;
    }
  }
  task<> serves(descriptor socket) {
    message bytes{};
    const auto io = here().io();
    bool has_asked = false;
    for (;; ++requests_, has_asked = true) {
      const auto patience = has_asked ? 30s : 2s;  // one that never said anything is let go soon
      const auto got = co_await with_timeout(patience, io.recv_all(socket.get(), bytes));
      if (!got && got.error() == std::errc::timed_out) ++let_go_;
      if (!got || *got != bytes.size()) co_return;
      const auto sent = co_await with_timeout(10s, io.send_all(socket.get(), bytes));
      if (!sent) co_return;
    }
  }

  listener listening_;
  std::uint64_t requests_ = 0, let_go_ = 0, rounds_ = 0;
  bool is_over_ = false;
  std::promise<remote_executor> up_;
  std::jthread thread_{[this] { run(); }};
  remote_executor worker_;
};

// The tasks of this thread.
struct load {
  const sockaddr_in& address;
  executor loop{};
  bool is_over = false;
  std::uint64_t right = 0, wrong = 0;
  histogram<40, 4> latency_ns{};

  task<> asks(std::uint64_t number) {
    const descriptor socket = connected_to(address);
    const auto io = loop.io();
    for (message asked{}, told{}; !is_over; number += 7919) {
      std::memcpy(asked.data(), &number, sizeof number);
      const auto begin = monotonic_clock::now();
      const auto sent = co_await io.send_all(socket.get(), asked);
      const auto got = co_await io.recv_all(socket.get(), told);
      latency_ns.add((monotonic_clock::now() - begin).ns);
      const bool is_right = sent && got && *got == told.size() && told == asked;
      ++(is_right ? right : wrong);
      if (!is_right) break;
    }
  }
  task<> says_nothing() {
    while (!is_over) {
      const descriptor socket = connected_to(address);
      std::byte nothing{};
      const auto told = co_await loop.io().recv(socket.get(), std::span{&nothing, 1});
      if (!told) break;
      if (*told != 0) ++wrong;
    }
  }
};

void print_head() {
  std::puts("  requests/s   P50 us   P99 us |  rounds/s   waits/s  wakes/s | entries/s  enters/s | tasks  "
            "timers  let go/s | "
            "processor");
}
void print(const seen& before, const seen& now, const histogram<40, 4>& latency_ns, double seconds) {
  const auto rate = [seconds](std::uint64_t from, std::uint64_t to) {
    return static_cast<double>(to - from) / seconds;
  };
  const auto us = [&](std::uint32_t in_a_thousand) {
    return static_cast<double>(latency_ns.quantile(in_a_thousand)) / 1e3;
  };
  std::printf("%12.0f %8.1f %8.1f | %9.0f %9.0f %8.0f | %9.0f %9.0f | %5zu %7zu %9.1f | %8.0f%%\n",
              rate(before.requests, now.requests), us(500), us(990), rate(before.rounds, now.rounds),
              rate(before.waits, now.waits), rate(before.wakes, now.wakes), rate(before.entries, now.entries),
              rate(before.enters, now.enters), now.tasks, now.armed, rate(before.let_go, now.let_go),
              (now.processor_seconds - before.processor_seconds) / seconds * 100);
  std::fflush(stdout);
}

task<seen> looks_at(server& of) {
  co_return (co_await spawn_on(of.worker(), [&of] { return of.looks(); })).value();
}
// A line each second; then the load is over.
task<> watches(load& by, server& of, unsigned seconds) {
  seen before = co_await looks_at(of);
  print_head();
  for (; seconds != 0; --seconds) {
    const auto begin = monotonic_clock::now();
    by.latency_ns = {};
    seen now;
    for (int k = 0; k < 100; ++k) {
      static_cast<void>(co_await sleep_for(10ms));
      now = co_await looks_at(of);
    }
    print(before, now, by.latency_ns, static_cast<double>((monotonic_clock::now() - begin).ns) / 1e9);
    before = now;
  }
  by.is_over = true;
}

int run(unsigned seconds, unsigned connections) {
  server serving;
  load asking{.address = serving.address()};
  executor& loop = asking.loop;
  for (unsigned k = 0; k < connections; ++k) loop.spawn(asking.asks(k)).detach();
  for (std::size_t k = 0; k < silent_clients; ++k) loop.spawn(asking.says_nothing()).detach();
  loop.run(watches(asking, serving, seconds));
  loop.run();
  const seen last = loop.run(looks_at(serving));

  std::printf("%llu requests in %u s over %u connections, each answered right; %llu silent ones let go\n",
              static_cast<unsigned long long>(last.requests), seconds, connections,
              static_cast<unsigned long long>(last.let_go));
  if (asking.wrong == 0 && asking.right == last.requests && asking.right != 0) return 0;
  std::fprintf(stderr, "live_server: %llu answers were right and %llu wrong, and the server gave %llu\n",
               static_cast<unsigned long long>(asking.right), static_cast<unsigned long long>(asking.wrong),
               static_cast<unsigned long long>(last.requests));
  return 1;
}

bool read(std::string_view word, unsigned most, unsigned& into) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), into);
  return error == std::errc{} && end == word.data() + word.size() && into >= 1 && into <= most;
}

}  // namespace
}  // namespace pinion::scheduler

int main(int count, char** words) try {
  unsigned seconds = 6, connections = 64;
  if (count > 3 || (count > 1 && !pinion::scheduler::read(words[1], 60, seconds)) ||
      (count > 2 && !pinion::scheduler::read(words[2], 1000, connections))) {
    std::fputs("usage: live_server [SECONDS [CONNECTIONS]], from 1 to 60 and from 1 to 1000\n", stderr);
    return 2;
  }
  ::rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {  // each connection has both its ends here
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  const auto ring = pinion::iosubmit::uring_ring::open({.entries = 1});
  if (!ring) {
    std::printf("Skipped: %s\n", to_string(ring.error()).c_str());
    return 77;
  }
  return pinion::scheduler::run(seconds, connections);
} catch (const std::exception& error) {
  std::fprintf(stderr, "live_server: %s\n", error.what());
  return 1;
}
