// SPDX-License-Identifier: Apache-2.0
//
// What examples with sockets share. No part of pinion.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

/// What a system call returned, or an exception that names it.
template <class Result>
Result must(Result result, const char* call) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), call);
  return result;
}

/// A file descriptor that is closed with its owner.
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

/// A socket that takes connections at a port of loopback that was free.
struct listener : descriptor {
  listener() : descriptor(must(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket")) {
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    must(::bind(get(), reinterpret_cast<sockaddr*>(&address), size), "bind");
    must(::getsockname(get(), reinterpret_cast<sockaddr*>(&address), &size), "getsockname");
    must(::listen(get(), 128), "listen");
  }
  sockaddr_in address{};
};

/// A blocking socket that is connected to it.
inline descriptor connected_to(const sockaddr_in& address) {
  descriptor socket{must(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket")};
  must(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), "connect");
  return socket;
}
