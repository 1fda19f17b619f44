// SPDX-License-Identifier: Apache-2.0
//
// TCP echo: a server that sends back what each of its connections sends, on the first core. Load comes from
// the program of load/, which has the second core and a process of its own.
//
//   echoed m = measure_echo<contestant>(64);   // connections
//
// The server is the few lines of echo_server: each connection has one operation under way, and each answer
// asks for the next. The load's figures are taken over: CPU time of this process a request, and latency as
// the client sees it. It looks at every byte that comes back. Enters are this side's, of the whole run.
//
// PINION_BENCH_ECHO_MS says how long is measured; a fourth of that is the warm-up before.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <bench/program/cores.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "../load/load.hpp"
#include "engine.hpp"

namespace pinion::iosubmit::bench {

/// One contestant's server.
template <class Contestant>
class echo_server {
  using engine = typename Contestant::template engine<echo_server>;
  struct connection : engine::slot {
    int socket = -1;
    bool is_sending = false;
    std::array<std::byte, load::message_bytes> bytes{};
  };

 public:
  explicit echo_server(std::size_t connections)
      : engine_(*this, connections), connections_(numbered_slots<connection>(connections)) {}

  /// Takes part from now on.
  void serve(std::size_t number, int socket) {
    connections_[number].socket = socket;
    ++open_;
    receive(connections_[number]);
  }

  void answered(typename engine::slot& done, std::int32_t result) noexcept {
    auto& each = static_cast<connection&>(done);
    if (result <= 0) {
      ::close(each.socket);
      --open_;
    } else if (each.is_sending) {
      each.is_sending = false;
      receive(each);
    } else {
      each.is_sending = true;
      ++requests_;
      engine_.send(each, each.socket, std::span{each.bytes}.first(static_cast<std::size_t>(result)));
    }
  }

  /// Until all connections were closed by the other side.
  void run() {
    while (open_ != 0) engine_.park();
  }

  [[nodiscard]] std::uint64_t requests() const noexcept { return requests_; }
  [[nodiscard]] kernel_calls counted() noexcept { return engine_.counted(); }

 private:
  void receive(connection& each) noexcept { engine_.recv(each, each.socket, each.bytes); }

  engine engine_;
  std::vector<connection> connections_;
  std::size_t open_ = 0;
  std::uint64_t requests_ = 0;
};

/// A listening socket of 127.0.0.1, at a port that the kernel chose.
class loopback_listener {
 public:
  explicit loopback_listener(int backlog)
      : descriptor_(sure("a socket", ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof place;
    auto* const address = reinterpret_cast<sockaddr*>(&place);
    sure("binding to 127.0.0.1", ::bind(descriptor_, address, length));
    sure("listening", ::listen(descriptor_, backlog));
    sure("asking for the port", ::getsockname(descriptor_, address, &length));
    port_ = ntohs(place.sin_port);
  }
  loopback_listener(const loopback_listener&) = delete;
  loopback_listener& operator=(const loopback_listener&) = delete;
  ~loopback_listener() { ::close(descriptor_); }

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  /// The next connection, without Nagle's delay.
  [[nodiscard]] int accept() const {
    const int socket = sure("accept", ::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC));
    const int yes = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return socket;
  }

 private:
  int descriptor_;
  std::uint16_t port_ = 0;
};

/// How long the load lasts.
inline load::request echo_request(std::uint16_t port, std::size_t connections) {
  const char* const said = std::getenv("PINION_BENCH_ECHO_MS");
  const long asked = said != nullptr ? std::strtol(said, nullptr, 10) : 0;
  const std::chrono::milliseconds measured{asked > 0 ? asked : 500};
  return {.port = port,
          .connections = connections,
          .server = ::getpid(),
          .warm_up = measured / 4,
          .measured = measured};
}

/// The program beside this one that asks.
inline std::string load_program() {
  std::array<char, 4096> path{};
  const ssize_t length = sure("readlink", ::readlink("/proc/self/exe", path.data(), path.size()));
  const std::string self(path.data(), static_cast<std::size_t>(length));
  return self.substr(0, self.rfind('/')) + "/load/iosubmit_load";
}

/// By a server that has the members of echo_server, and the program that asks.
template <class Server>
outcome measure_server(std::size_t connections, const std::string& asks) {
  const pinion::bench::on_core place{0};
  const loopback_listener listener{static_cast<int>(connections)};
  const std::vector<std::size_t>& cores = pinion::bench::usable_cores();
  load::figures seen;
  std::thread asking{[&] {
    seen = load::run_program(asks, echo_request(listener.port(), connections),
                             static_cast<int>(cores[1 % cores.size()]));
  }};
  Server server{connections};
  for (std::size_t k = 0; k < connections; ++k) server.serve(k, listener.accept());
  server.run();
  asking.join();

  const auto requests = static_cast<double>(server.requests());
  outcome all{.seconds = seen.server_cpu_ns * static_cast<double>(seen.operations) * 1e-9,
              .checksum = connections * load::message_bytes,
              .expected = connections * load::message_bytes,
              .figures = {{"cpu_ns", seen.server_cpu_ns},
                          {"latency_p50_ns", seen.p50_ns},
                          {"latency_p99_ns", seen.p99_ns}},
              .fault = seen.fault};
  if (server.requests() < seen.operations) all.fault = "more requests came back than the server was sent";
  add_counts(all, server.counted(), requests);
  return all;
}

template <class Contestant>
outcome measure_echo(std::size_t connections) {
  return measure_server<echo_server<Contestant>>(connections, load_program());
}

}  // namespace pinion::iosubmit::bench
