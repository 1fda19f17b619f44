// SPDX-License-Identifier: Apache-2.0
//
// over_asio: Boost.Asio's objects on an io_context of one thread, told that it has one; over the backend that
// the file which includes this was compiled for: its epoll reactor, or with BOOST_ASIO_HAS_IO_URING and
// BOOST_ASIO_DISABLE_EPOLL its io_uring.
//
// A completion handler is two pointers and allocated by Asio's own recycling. Enters are not counted: they
// are Asio's own.
#pragma once

#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <pinion/base/time.hpp>
#include <span>
#if defined(BOOST_ASIO_HAS_FILE)
#include <boost/asio/random_access_file.hpp>
#endif

#include "../workloads/engine.hpp"

namespace pinion::iosubmit::bench {

/// `Backend` keeps what is compiled for one of Asio's backends apart from what is compiled for the other.
template <class Backend>
struct over_asio {
  template <class Handler>
  class engine {
   public:
    struct slot {
      std::uint32_t index = 0;
      std::optional<boost::asio::ip::tcp::socket> socket{};
    };

    engine(Handler& handler, std::size_t /*most*/) : handler_(handler) {}

#if defined(BOOST_ASIO_HAS_FILE)
    void read(slot& each, int file, std::span<std::byte> into, std::uint64_t offset) {
      file_of(file).async_read_some_at(offset, boost::asio::buffer(into.data(), into.size()),
                                       told{this, &each});
    }
    void write(slot& each, int file, std::span<const std::byte> from, std::uint64_t offset) {
      file_of(file).async_write_some_at(offset, boost::asio::buffer(from.data(), from.size()),
                                        told{this, &each});
    }
#endif
    void recv(slot& each, int socket, std::span<std::byte> into) {
      socket_of(each, socket)
          .async_read_some(boost::asio::buffer(into.data(), into.size()), told{this, &each});
    }
    void send(slot& each, int socket, std::span<const std::byte> from) {
      socket_of(each, socket)
          .async_write_some(boost::asio::buffer(from.data(), from.size()), told{this, &each});
    }

    void park(instant until = never) {
      if (until == never) {
        context_.run_one();
      } else {
        context_.run_one_until(std::chrono::steady_clock::time_point{
            std::chrono::nanoseconds{static_cast<std::int64_t>(until.ns)}});
      }
    }

    [[nodiscard]] kernel_calls counted() const noexcept { return {.are_counted = false}; }

   private:
    struct told {
      engine* home;
      slot* each;
      void operator()(const boost::system::error_code& error, std::size_t length) const {
        home->handler_.answered(*each, error ? -1 : static_cast<std::int32_t>(length));
      }
    };

    boost::asio::ip::tcp::socket& socket_of(slot& each, int socket) {
      // The handler closes it: Asio is given a name of its own.
      if (!each.socket) each.socket.emplace(context_, boost::asio::ip::tcp::v4(), sure("dup", ::dup(socket)));
      return *each.socket;
    }

    Handler& handler_;
    boost::asio::io_context context_{1};
    // Without work left, a wait until some time would not be one.
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{context_.get_executor()};
#if defined(BOOST_ASIO_HAS_FILE)
    boost::asio::random_access_file& file_of(int file) {
      if (!file_) file_.emplace(context_, sure("dup", ::dup(file)));
      return *file_;
    }
    std::optional<boost::asio::random_access_file> file_;
#endif
  };
};

}  // namespace pinion::iosubmit::bench
