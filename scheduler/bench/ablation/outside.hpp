// SPDX-License-Identifier: Apache-2.0
//
// outside: the thread on the second core that asks requests of the load, checks each answer, and wakes tasks.
//
//   outside asking{load, sockets, lines, [&](std::size_t which) { sender.push(events[which]); }};
//   asking.run(result);   // until all is answered, and every wake was taken
//
// One thread, epoll, plain calls on sockets, and the signals that a wake needs. Its CPU time is charged to
// nobody; the signals are counted.
#pragma once

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <bench/program/clock.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <pinion/config.hpp>
#include <utility>
#include <vector>

#include "../../../iosubmit/bench/workloads/engine.hpp"
#include "../../../waker/bench/workloads/sleeper.hpp"
#include "terms.hpp"

namespace pinion::scheduler::bench::inline PINION_MODE {

/// What a task is told with its wake. Memory ordering: what the pusher writes is handed over by the push;
/// taken is stored with release by the task and loaded with acquire by the pusher, which writes again then.
struct alignas(64) wake_line {
  std::uint64_t payload = 0;
  load_clock::time_point pushed{};
  std::atomic<std::size_t> taken{0};

  /// Of the task: what it was told.
  std::uint64_t take(seen& into) {
    into.wake_ns.push_back(ns_since(pushed));
    const std::uint64_t told = payload;
    taken.store(taken.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    return told;
  }
};

class outside {
 public:
  /// `push` wakes the task of that number.
  outside(const terms& load, const std::vector<int>& sockets, std::vector<wake_line>& lines,
          std::function<void(std::size_t)> push)
      : load_(load), lines_(lines), push_(std::move(push)), pushed_(lines.size()),
        epoll_(iosubmit::bench::sure("an epoll", ::epoll_create1(EPOLL_CLOEXEC))) {
    for (std::size_t k = 0; k < sockets.size(); ++k) {
      connections_.push_back({.socket = sockets[k]});
      epoll_event event{.events = EPOLLIN, .data = {.u64 = k}};
      iosubmit::bench::sure("a socket in an epoll", ::epoll_ctl(epoll_, EPOLL_CTL_ADD, sockets[k], &event));
    }
  }
  outside(const outside&) = delete;
  outside& operator=(const outside&) = delete;
  ~outside() { ::close(epoll_); }

  /// Closes the sockets, and thereby ends the tasks of the connections.
  void run(seen& result) {
    const std::uint64_t signals = waker::bench::signals_so_far();
    const pinion::bench::stopwatch cpu;
    for (connection& each : connections_) ask(each);
    while (open_ != 0) look(result, silence_ms);
    for (int looks = 0; !all_taken(); ++looks) {
      if (looks > silence_ms) waker::bench::give_up("the last wakes");
      for (std::size_t k = 0; k < lines_.size(); ++k) wake_next();
      look(result, 1);
    }
    result.signals = waker::bench::signals_so_far() - signals;
    result.cpu_seconds -= cpu.seconds();
  }

 private:
  static constexpr int silence_ms = 10'000;

  struct connection {
    int socket;
    std::size_t asked = 0;
    load_clock::time_point since{};
  };

  void ask(connection& each) {
    const message words = message_of(number_of(each), each.asked++);
    each.since = load_clock::now();
    if (::send(each.socket, words.data(), sizeof words, MSG_NOSIGNAL) != sizeof words)
      iosubmit::bench::give_up("sending a request", errno);
  }
  void answered(connection& each, seen& result) {
    message words{};
    if (::recv(each.socket, words.data(), sizeof words, MSG_WAITALL) != sizeof words)
      iosubmit::bench::give_up("an answer", errno);
    result.answer_ns.push_back(ns_since(each.since));
    if (words != message_of(number_of(each), each.asked - 1))
      iosubmit::bench::give_up("an answer that is the request", EBADMSG);
    if (each.asked < terms::requests_each) {
      ask(each);
    } else {
      ::close(each.socket);
      --open_;
    }
  }
  void look(seen& result, int at_most_ms) {
    std::array<epoll_event, 64> events{};
    const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), at_most_ms);
    if (count == 0 && open_ != 0) waker::bench::give_up("an answer");
    for (int k = 0; k < count; ++k) {
      answered(connections_[events[static_cast<std::size_t>(k)].data.u64], result);
      wake_next();
    }
  }

  /// The next one in turn, unless it has not taken its last wake yet.
  void wake_next() {
    const std::size_t which = turn_++ % lines_.size();
    wake_line& line = lines_[which];
    std::size_t& pushed = pushed_[which];
    if (pushed == terms::wakes_each || line.taken.load(std::memory_order_acquire) != pushed) return;
    line.payload = stamp(which, pushed++);
    line.pushed = load_clock::now();
    push_(which);
  }
  [[nodiscard]] bool all_taken() const noexcept {
    for (const wake_line& each : lines_)
      if (each.taken.load(std::memory_order_acquire) != terms::wakes_each) return false;
    return true;
  }
  [[nodiscard]] std::size_t number_of(const connection& each) const noexcept {
    return static_cast<std::size_t>(&each - connections_.data());
  }

  const terms& load_;
  std::vector<wake_line>& lines_;
  std::function<void(std::size_t)> push_;
  std::vector<std::size_t> pushed_;
  std::vector<connection> connections_;
  int epoll_;
  std::size_t open_ = load_.connections;
  std::size_t turn_ = 0;
};

}  // namespace pinion::scheduler::bench::inline PINION_MODE
