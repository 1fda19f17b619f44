// SPDX-License-Identifier: Apache-2.0
//
// The client of the echo workload against servers that are right, wrong, closed and silent.
#include "load.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <thread>
#include <vector>

namespace pinion::iosubmit::bench::load {
namespace {

/// What becomes of the bytes that have come, with the number of the message: whether the connection stays.
using answer = std::function<bool(int socket, std::array<char, message_bytes>& bytes, std::size_t number)>;

bool send_back(int socket, std::array<char, message_bytes>& bytes, std::size_t) {
  return send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

/// Serves so many connections on a thread of its own, until all are closed.
class server {
 public:
  server(std::size_t connections, answer told) : answer_(std::move(told)) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof place;
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&place), length), 0);
    EXPECT_EQ(listen(listener_, static_cast<int>(connections)), 0);
    EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&place), &length), 0);
    port = ntohs(place.sin_port);
    thread_ = std::thread([this, connections] { serve(connections); });
  }
  server(const server&) = delete;
  server& operator=(const server&) = delete;
  ~server() {
    thread_.join();
    close(listener_);
  }

  std::uint16_t port = 0;

 private:
  void serve(std::size_t connections) {
    std::vector<pollfd> open(connections);
    for (pollfd& each : open)
      each = {.fd = accept(listener_, nullptr, nullptr), .events = POLLIN, .revents = 0};
    std::size_t number = 0;
    for (std::size_t left = connections; left != 0;) {
      poll(open.data(), open.size(), -1);
      for (pollfd& each : open) {
        if (each.fd < 0 || each.revents == 0) continue;
        std::array<char, message_bytes> bytes{};
        const bool is_whole =
            recv(each.fd, bytes.data(), bytes.size(), MSG_WAITALL) == static_cast<ssize_t>(bytes.size());
        if (is_whole && answer_(each.fd, bytes, ++number)) continue;
        close(each.fd);
        each.fd = -1;
        --left;
      }
    }
  }

  answer answer_;
  int listener_ = -1;
  std::thread thread_;
};

/// Nothing of it is warm-up, so the first answer counts.
request soon_over(const server& asked, std::size_t connections) {
  return {.port = asked.port,
          .connections = connections,
          .server = getpid(),
          .warm_up = std::chrono::milliseconds{0},
          .measured = std::chrono::milliseconds{50}};
}

/// Ends by a fault, long before its time.
request until_a_fault(const server& asked, std::size_t connections) {
  return {.port = asked.port, .connections = connections, .measured = duration_max};
}

TEST(EchoLoad, CountsWhatComesBackOnAllConnectionsAndChargesTheServer) {
  server asked{8, send_back};

  const figures seen = run(soon_over(asked, 8));

  EXPECT_EQ(seen.fault, "");
  EXPECT_GT(seen.operations, 0U);
  EXPECT_GT(seen.p50_ns, 0);
  EXPECT_GE(seen.p99_ns, seen.p50_ns);
  EXPECT_GT(seen.server_cpu_ns, 0);
}

TEST(EchoLoad, FindsOneByteThatIsNotWhatWasSent) {
  server asked{2, [](int socket, auto& bytes, std::size_t number) {
                 if (number == 10) bytes.back() = static_cast<char>(bytes.back() ^ 1);
                 return send_back(socket, bytes, number);
               }};

  const figures seen = run(until_a_fault(asked, 2));

  EXPECT_NE(seen.fault.find("is not what was sent"), std::string::npos) << seen.fault;
}

TEST(EchoLoad, TakesAnAnswerThatComesInPieces) {
  server asked{1, [](int socket, auto& bytes, std::size_t) {
                 for (char& each : bytes) send(socket, &each, 1, MSG_NOSIGNAL);
                 return true;
               }};

  const figures seen = run(soon_over(asked, 1));

  EXPECT_EQ(seen.fault, "");
  EXPECT_GT(seen.operations, 0U);
}

TEST(EchoLoad, SaysWhichConnectionTheServerClosed) {
  server asked{1, [](int socket, auto& bytes, std::size_t number) {
                 return number < 10 && send_back(socket, bytes, number);
               }};

  const figures seen = run(until_a_fault(asked, 1));

  EXPECT_NE(seen.fault.find("connection 0"), std::string::npos) << seen.fault;
  EXPECT_FALSE(seen.was_silence);
}

TEST(EchoLoad, EndsWhereTheServerFallsSilent) {
  server asked{1, [](int, auto&, std::size_t) { return true; }};

  const figures seen = run(until_a_fault(asked, 1));

  EXPECT_TRUE(seen.was_silence);
  EXPECT_NE(seen.fault.find("silent"), std::string::npos) << seen.fault;
}

TEST(EchoLoad, EndsWhereTheServerTakesNoConnection) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof place;
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&place), length), 0);
  ASSERT_EQ(listen(listener, 0), 0);
  ASSERT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&place), &length), 0);

  const figures seen = run({.port = ntohs(place.sin_port),
                            .connections = 8,
                            .connecting = std::chrono::milliseconds{20},
                            .measured = duration_max});

  EXPECT_TRUE(seen.was_silence) << seen.fault;
  EXPECT_NE(seen.fault.find("connection"), std::string::npos) << seen.fault;
  close(listener);
}

TEST(EchoLoad, RefusesWhatItCanNotAsk) {
  EXPECT_NE(run({.port = 0}).fault.find("port"), std::string::npos);
  EXPECT_NE(run({.port = 1, .connections = 0}).fault.find("1 to 16384"), std::string::npos);
  EXPECT_NE(run({.port = 1, .connections = connections_max + 1}).fault.find("1 to 16384"), std::string::npos);
  EXPECT_NE(run({.port = 1, .measured = duration_max * 2}).fault.find("60000 ms"), std::string::npos);
}

TEST(EchoLoad, ItsLineIsReadBackAsItWasPrinted) {
  const figures seen = from_line(
      as_line({.operations = 331'204, .p50_ns = 377'120.5, .p99_ns = 502'113.25, .server_cpu_ns = 5'102.5}));

  EXPECT_EQ(seen.fault, "");
  EXPECT_EQ(seen.operations, 331'204U);
  EXPECT_NEAR(seen.p50_ns, 377'120.5, 0.1);
  EXPECT_NEAR(seen.p99_ns, 502'113.25, 0.1);
  EXPECT_NEAR(seen.server_cpu_ns, 5'102.5, 0.1);
}

TEST(EchoLoad, WhatIsNotItsLineIsAFault) {
  EXPECT_EQ(from_line("iosubmit_load: no").fault, "iosubmit_load: no");
  EXPECT_NE(from_line("").fault, "");
}

TEST(EchoLoad, AProgramThatIsNotThereIsAFault) {
  EXPECT_NE(run_program("/nowhere/iosubmit_load", {.port = 1}, 0).fault.find("can't be run"),
            std::string::npos);
}

}  // namespace
}  // namespace pinion::iosubmit::bench::load
