// SPDX-License-Identifier: Apache-2.0
//
// The other side of the examples' servers: clients with blocking sockets, on a thread of their own. No part
// of pinion.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <future>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

#include "sockets.hpp"

/// What a program returns that was skipped.
inline constexpr int skipped = 77;

/// Says so where a process may open fewer descriptors than an example needs for both ends of its connections.
inline bool lacks_descriptors(long needed = 256) {
  const long limit = ::sysconf(_SC_OPEN_MAX);
  if (limit >= needed) return false;
  std::printf("Skipped: %ld descriptors are needed, and the limit is %ld: raise it (ulimit -n)\n", needed,
              limit);
  return true;
}

/// A client that gives up where nothing comes for ten seconds.
inline descriptor client_of(const sockaddr_in& server) {
  descriptor socket = connected_to(server);
  const timeval limit{.tv_sec = 10, .tv_usec = 0};
  must(::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), "setsockopt");
  return socket;
}

/// A hundred clients that send these letters, each in its turn all at once; how many answers were right. Then
/// one that asks nothing, until it is let go.
template <class Answer>
std::size_t ask_all(const sockaddr_in& server, std::string_view letters, Answer answer_to) {
  std::vector<descriptor> clients;
  std::size_t right = 0;
  for (int i = 0; i < 100; ++i) clients.push_back(client_of(server));
  for (const char letter : letters) {
    for (const descriptor& each : clients) must(::send(each.get(), &letter, 1, MSG_NOSIGNAL), "send");
    for (const descriptor& each : clients) {
      char answer = 0;
      must(::recv(each.get(), &answer, 1, 0), "recv");
      right += answer == answer_to(letter) ? 1U : 0U;
    }
  }
  clients.clear();
  const descriptor silent = client_of(server);
  char nothing = 0;
  must(::recv(silent.get(), &nothing, 1, 0), "recv");
  return right;
}

/// Makes a server, has those clients ask it, pushes its `stop` however they end, and prints what came of it.
/// What main returns.
template <class Server, class Answer>
int serve_clients(std::string_view letters, Answer answer_to) try {
  if (lacks_descriptors()) return skipped;
  Server serving;
  auto right = std::async(std::launch::async, [&, to_server = serving.wakes.sender()] {
    const std::shared_ptr<void> at_exit{nullptr, [&](void*) { to_server.push(serving.stop); }};
    return ask_all(serving.listening.address, letters, answer_to);
  });
  serving.run();
  std::printf("%zu connections, %zu answers, %zu of them right\n", serving.connected, serving.told,
              right.get());
  std::printf("%zu let go, as it asked nothing\n", serving.timed_out);
  if constexpr (requires { serving.io.ring().enters; }) {
    const auto& ring = serving.io.ring();
    std::printf("%s one enter for each entry\n", ring.enters <= ring.entries ? "at most" : "more than");
  }
  return 0;
} catch (const std::system_error& error) {
  // As a sandbox answers where it forbids io_uring.
  const bool is_forbidden =
      error.code() == std::errc::operation_not_permitted || error.code() == std::errc::function_not_supported;
  std::fprintf(is_forbidden ? stdout : stderr, "%s%s\n", is_forbidden ? "Skipped: " : "", error.what());
  return is_forbidden ? skipped : 1;
}
