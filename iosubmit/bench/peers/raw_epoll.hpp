// SPDX-License-Identifier: Apache-2.0
//
// raw_epoll: an epoll loop as it is written by hand for sockets: level-triggered, each socket watched once
// and for good, and an operation tried at once: recv() when the socket is readable, send() when it is asked
// for, as there is nearly always room.
//
// What counts as an enter is epoll_wait(); recv() and send() are system calls of their own, and not counted.
#pragma once

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <pinion/base/time.hpp>
#include <span>
#include <vector>

#include "../workloads/engine.hpp"

namespace pinion::iosubmit::bench {

struct raw_epoll {
  template <class Handler>
  class engine {
   public:
    struct slot {
      std::uint32_t index = 0;
      int watched = -1;
      std::span<std::byte> into{};
      std::int32_t sent = 0;
    };

    engine(Handler& handler, std::size_t most)
        : handler_(handler), epoll_(sure("epoll_create1", ::epoll_create1(EPOLL_CLOEXEC))) {
      sent_.reserve(most);
    }
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;
    ~engine() { ::close(epoll_); }

    void recv(slot& each, int socket, std::span<std::byte> into) noexcept {
      each.into = into;
      if (each.watched == socket) return;
      each.watched = socket;
      epoll_event interest{};
      interest.events = EPOLLIN;
      interest.data.ptr = &each;
      sure("epoll_ctl", ::epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &interest));
    }
    /// Answered when the handler has returned: an answer from inside would nest.
    void send(slot& each, int socket, std::span<const std::byte> from) noexcept {
      const ssize_t length = ::send(socket, from.data(), from.size(), MSG_NOSIGNAL);
      each.sent = length < 0 ? -errno : static_cast<std::int32_t>(length);
      sent_.push_back(&each);
    }

    void park() noexcept {
      std::array<epoll_event, 512> ready{};
      ++counted_.enters;
      const int count = ::epoll_wait(epoll_, ready.data(), static_cast<int>(ready.size()), -1);
      if (count < 0 && errno == EINTR) return;  // also where the machine itself was suspended
      sure("epoll_wait", count);
      for (int k = 0; k < count; ++k) {
        auto& each = *static_cast<slot*>(ready[static_cast<std::size_t>(k)].data.ptr);
        const ssize_t length = ::recv(each.watched, each.into.data(), each.into.size(), MSG_DONTWAIT);
        if (length < 0 && errno == EAGAIN) continue;
        ++counted_.completions;
        handler_.answered(each, length < 0 ? -errno : static_cast<std::int32_t>(length));
        answer_sent();
      }
    }

    [[nodiscard]] kernel_calls counted() const noexcept { return counted_; }

   private:
    void answer_sent() noexcept {
      while (!sent_.empty()) {
        slot& each = *sent_.back();
        sent_.pop_back();
        ++counted_.completions;
        handler_.answered(each, each.sent);
      }
    }

    Handler& handler_;
    int epoll_;
    std::vector<slot*> sent_;
    kernel_calls counted_{};
  };
};

}  // namespace pinion::iosubmit::bench
