// SPDX-License-Identifier: Apache-2.0
//
// Asio over its io_uring, for files and for sockets.
//
// Which backend Asio has is decided by macros, and its classes have the same names over either: in one
// program the linker would take one for the other. So all of Asio has another name in this file.
// NOLINTBEGIN(cppcoreguidelines-macro-usage)
#define BOOST_ASIO_HAS_IO_URING 1
#define BOOST_ASIO_DISABLE_EPOLL 1
#define asio asio_with_io_uring
// NOLINTEND(cppcoreguidelines-macro-usage)

#include "../benchmarks.hpp"
#include "over_asio.hpp"
#include "peers.hpp"

#if !defined(BOOST_ASIO_HAS_IO_URING_AS_DEFAULT) || !defined(BOOST_ASIO_HAS_FILE)
#error "this Asio does not take io_uring for everything when it is told to"
#endif

namespace pinion::iosubmit::bench {
namespace {

struct io_uring_backend;

}  // namespace

void add_asio_uring() {
  add_file_work<over_asio<io_uring_backend>>("asio_uring");
  add_burst<over_asio<io_uring_backend>>("asio_uring");
  add_echo<over_asio<io_uring_backend>>("asio_uring");
}

}  // namespace pinion::iosubmit::bench
