// SPDX-License-Identifier: Apache-2.0
//
// The client of the echo workload: one for all servers, whatever language they are written in.
//
// It keeps one request of 64 bytes under way on each of its connections, over loopback, and looks at every
// byte that comes back. One thread, epoll, plain reads and writes: what it costs is the same for all. After
// the warm-up it counts, and reads from /proc/<server>/task/*/schedstat what the server took meanwhile, all
// its threads together.
//
//   const load::figures seen = load::run({.port = port, .connections = 64, .server = getpid()});
//   if (!seen.fault.empty()) ...   // no answer for a second, a wrong one, a connection that was closed
//
// As a program, for servers of other languages and so that the client has a process of its own:
//
//   iosubmit_load --port 7777 --connections 64 --server 4711 --core 1
//   operations=331204 p50_ns=377120.0 p99_ns=502113.0 server_cpu_ns=5102.4
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace pinion::iosubmit::bench::load {

inline constexpr std::size_t message_bytes = 64;
inline constexpr std::size_t connections_max = 16'384;
inline constexpr std::chrono::milliseconds duration_max{60'000};

struct request {
  std::uint16_t port = 0;       ///< where a server listens on 127.0.0.1 already
  std::size_t connections = 1;  ///< up to connections_max; each has one message under way
  int server = 0;               ///< the process whose CPU time is charged; 0: none is
  /// For each connection. One that finds the server's backlog full is tried again after 1 s, and after 2 s
  /// more.
  std::chrono::milliseconds connecting{5000};
  std::chrono::milliseconds warm_up{500};
  std::chrono::milliseconds measured{2000};
};

struct figures {
  std::uint64_t operations = 0;  ///< messages that came back after the warm-up
  double p50_ns = 0;             ///< from before the write to after the read of a whole message, wall time
  double p99_ns = 0;
  double server_cpu_ns = 0;  ///< a message
  std::string fault{};       ///< what went wrong, if anything did: then the figures mean nothing
  bool was_silence =
      false;  ///< the fault is that the server did not answer: it hangs, or the machine is far too busy
};

/// Connects, talks until the time is over, and closes. Ends on its own, a second after the server fell silent
/// at the latest, or when a connection was not taken in time.
[[nodiscard]] figures run(const request& wanted);

/// The line that the program prints, and the same read back; what is no such line is a fault.
[[nodiscard]] std::string as_line(const figures& seen);
[[nodiscard]] figures from_line(const std::string& line);

/// Runs the program at `path` on that core (as the kernel numbers them), and waits for it. To be called while
/// the server runs: from another thread than its own.
[[nodiscard]] figures run_program(const std::string& path, const request& wanted, int core);

}  // namespace pinion::iosubmit::bench::load
