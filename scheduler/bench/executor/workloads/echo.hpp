// SPDX-License-Identifier: Apache-2.0
//
// TCP echo by a task for each connection, beside the contestants of iosubmit's echo, which tells how it is
// measured: the same client, the same figures.
//
//   outcome m = measure_server<server_of_tasks<true>>(64, asks);   // connections; the program that asks
#pragma once

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <pinion/scheduler.hpp>
#include <span>
#include <utility>

#include "../../../../iosubmit/bench/workloads/echo.hpp"

namespace pinion::scheduler::bench::inline PINION_MODE {

/// With timeouts as servers have them: a connection may be silent for 60 s, the rest of a message that has
/// begun takes 30 s at most, and its answer 10 s.
template <bool HasTimeouts>
class server_of_tasks {
 public:
  explicit server_of_tasks(std::size_t /*connections*/) {}

  /// Takes part from now on.
  void serve(std::size_t /*number*/, int socket) { loop_.spawn(echoes(socket)).detach(); }
  /// Until all connections were closed by the other side.
  void run() { loop_.run(); }

  [[nodiscard]] std::uint64_t requests() const noexcept { return requests_; }
  /// Enters are not counted here: they are where iosubmit's own workload runs.
  [[nodiscard]] static iosubmit::bench::kernel_calls counted() noexcept { return {.are_counted = false}; }

 private:
  template <class Operation>
  static auto in_time(std::chrono::seconds time, Operation operation) {
    if constexpr (HasTimeouts)
      return with_timeout(time, std::move(operation));
    else
      return operation;
  }

  scheduler::task<> echoes(int socket) {
    using std::chrono::seconds;
    std::array<std::byte, iosubmit::bench::load::message_bytes> bytes{};
    const auto io = loop_.io();
    for (;; ++requests_) {
      const auto first = co_await in_time(seconds{60}, io.recv(socket, bytes));
      if (!first || *first == 0) break;
      if (*first != bytes.size()) {
        const auto rest = std::span{bytes}.subspan(*first);
        const auto got = co_await in_time(seconds{30}, io.recv_all(socket, rest));
        if (!got || *got != rest.size()) break;
      }
      if (!co_await in_time(seconds{10}, io.send_all(socket, bytes))) break;
    }
    ::close(socket);
  }

  std::uint64_t requests_ = 0;
  scheduler::executor loop_;
};

}  // namespace pinion::scheduler::bench::inline PINION_MODE
