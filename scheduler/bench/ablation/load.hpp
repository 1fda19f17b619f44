// SPDX-License-Identifier: Apache-2.0
//
// The composite load (terms.hpp) on an executor, on the first core.
//
//   outcome row = measure_load<basic_executor<todays_parts>>(64);   // connections
//
// Each connection has a task, and a coroutine for each request. Measured is from when all tasks wait until
// the last of them is over; that many sleep for an hour meanwhile, and are cancelled behind that.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <bench/program/clock.hpp>
#include <bench/program/cores.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <latch>
#include <optional>
#include <pinion/preempt.hpp>
#include <pinion/scheduler.hpp>
#include <pinion/waker.hpp>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "../../../iosubmit/bench/workloads/echo.hpp"
#include "enters.hpp"
#include "outside.hpp"
#include "terms.hpp"

namespace pinion::scheduler::bench::inline PINION_MODE {

/// A socket of ours that is connected with that listener.
inline int connected_to(const iosubmit::bench::loopback_listener& listener) {
  const int ours = iosubmit::bench::sure("a socket", ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(listener.port());
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  iosubmit::bench::sure("a connection",
                        ::connect(ours, reinterpret_cast<const sockaddr*>(&place), sizeof place));
  const int yes = 1;
  ::setsockopt(ours, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return ours;
}

template <class Executor>
class load_on {
  using channel_type = typename Executor::channel_type;
  using sums = std::vector<join_handle<std::uint64_t>>;

 public:
  explicit load_on(const terms& load) : load_(load), seen_(load), lines_(load.waiting()) {
    const iosubmit::bench::loopback_listener listener{static_cast<int>(load.connections)};
    for (std::size_t k = 0; k < load.connections; ++k) {
      asking_.push_back(connected_to(listener));
      answering_.push_back(listener.accept());
    }
    for (std::size_t k = 0; k < load.waiting(); ++k) events_.emplace_back(loop_.channel());
  }

  [[nodiscard]] pinion::bench::outcome measure() {
    loop_.run(all());
    return seen_.shown(load_);
  }

 private:
  task<> all() {
    for (std::size_t k = 0; k < load_.idle(); ++k) spawn(is_idle()).detach();
    sums each;
    for (const int socket : answering_) each.push_back(spawn(serves(socket)));
    for (std::size_t k = 0; k < load_.waiting(); ++k) each.push_back(spawn(is_woken(k)));
    while (begun_ != load_.idle() + each.size()) co_await yield();

    std::latch is_there{1}, may_begin{1};
    std::thread other{[&] {
      const pinion::bench::on_core place{1};
      const auto sender = loop_.channel().sender();
      outside asking{load_, asking_, lines_, [&](std::size_t which) { sender.push(events_[which]); }};
      is_there.count_down();
      may_begin.wait();
      asking.run(seen_);
    }};
    is_there.wait();
    const pinion::bench::wall_stopwatch wall;
    const pinion::bench::process_stopwatch cpu;
    const std::uint64_t enters = enters_here();
    may_begin.count_down();
    for (std::size_t k = 0; k < load_.sleepers(); ++k) each.push_back(spawn(sleeps(k)));
    each.push_back(spawn(hogs()));
    for (auto& one : each) seen_.checksum += co_await one;
    other.join();
    seen_.wall_seconds = wall.seconds();
    seen_.cpu_seconds += cpu.seconds();
    seen_.enters = enters_here() - enters;
  }

  task<> is_idle() {
    ++begun_;
    const auto slept = co_await sleep_for(std::chrono::hours{1});
    if (slept) waker::bench::give_up("the end");
  }

  task<std::uint64_t> serves(int socket) {
    ++begun_;
    std::uint64_t sum = 0;
    for (;;) {
      const std::optional<std::uint64_t> number = co_await answers_one(socket);
      if (!number) break;
      sum += *number;
    }
    ::close(socket);
    co_return sum;
  }
  /// What the request has as its number; nothing where the connection was closed.
  task<std::optional<std::uint64_t>> answers_one(int socket) {
    message words{};
    const auto bytes = std::as_writable_bytes(std::span{words});
    const auto io = loop_.io();
    const auto got = co_await with_timeout(std::chrono::seconds{30}, io.recv_all(socket, bytes));
    if (!got || *got != bytes.size()) co_return std::nullopt;
    const auto sent = co_await with_timeout(std::chrono::seconds{10}, io.send_all(socket, bytes));
    if (!sent) co_return std::nullopt;
    co_return words[0];
  }

  task<std::uint64_t> is_woken(std::size_t which) {
    ++begun_;
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < terms::wakes_each; ++k) {
      co_await events_[which].wait();
      sum += lines_[which].take(seen_);
    }
    co_return sum;
  }

  task<std::uint64_t> sleeps(std::size_t which) {
    terms::sleep_times times{which};
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < load_.sleeps_each(); ++k) {
      const std::chrono::milliseconds time = times.next();
      const load_clock::time_point then = load_clock::now() + time;
      co_await sleep_for(time);
      seen_.late_ns.push_back(ns_since(then));
      sum += static_cast<std::uint64_t>(time.count());
    }
    co_return sum;
  }

  task<std::uint64_t> hogs() {
    preempt::bench::hog_work work{load_.units()};
    load_clock::time_point next = load_clock::now();
    while (!work.is_done()) {
      for (std::size_t k = 0; k < terms::units_a_job; ++k) {
        work.do_unit();
        co_await preempt::yield_if_needed();
      }
      next = std::max(next + terms::job_every, load_clock::now() + terms::between_jobs);
      co_await sleep_for(next - load_clock::now());
    }
    co_return work.checksum();
  }

  const terms& load_;
  seen seen_;
  std::vector<wake_line> lines_;
  std::vector<int> asking_, answering_;
  std::size_t begun_ = 0;
  Executor loop_;
  std::deque<waker::wake_event<channel_type>> events_;  // they need the channel
};

/// On a thread of its own: a ticker's thread runs where the program's first thread may, which is not pinned.
template <class Executor>
pinion::bench::outcome measure_load(std::size_t connections) {
  pinion::bench::outcome row;
  std::thread owner{[&] {
    const pinion::bench::on_core place{0};
    const terms load{connections};
    row = load_on<Executor>{load}.measure();
  }};
  owner.join();
  return row;
}

}  // namespace pinion::scheduler::bench::inline PINION_MODE
