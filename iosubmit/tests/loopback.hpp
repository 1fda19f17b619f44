// SPDX-License-Identifier: Apache-2.0
//
// loopback: a listener on the loopback device, and clients of it.
//
//   const loopback server;
//   const owned client = server.client();
#pragma once

#include <arpa/inet.h>
#include <dirent.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>

#include "asked.hpp"

namespace pinion::iosubmit::testing {

class loopback {
 public:
  explicit loopback(int backlog = 64) : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    socklen_t size = sizeof address_;
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address_), size), 0);
    EXPECT_EQ(::listen(listener_.get(), backlog), 0);
    EXPECT_EQ(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address_), &size), 0);
  }
  [[nodiscard]] int listener() const noexcept { return listener_.get(); }
  /// A socket that is connected, and may not be accepted yet.
  [[nodiscard]] owned client() const {
    owned socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address_), sizeof address_), 0);
    return socket;
  }

 private:
  owned listener_;
  sockaddr_in address_{};
};

/// How many descriptors the process has open: what leaks shows.
inline std::size_t open_descriptors() {
  std::size_t count = 0;
  DIR* const all = ::opendir("/proc/self/fd");
  while (::readdir(all) != nullptr) ++count;
  ::closedir(all);
  return count;
}

/// Whether the other end of that has gone.
inline bool is_closed(const owned& socket) {
  char byte = 0;
  return ::recv(socket.get(), &byte, 1, MSG_DONTWAIT) == 0;
}

}  // namespace pinion::iosubmit::testing
