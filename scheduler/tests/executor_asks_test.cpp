// SPDX-License-Identifier: Apache-2.0
//
// What the kernel is asked when a task asks its executor's io(): the entry of that name, with all that the
// task named.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <pinion/base/ring.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <pinion/scheduler/executor.hpp>
#include <pinion/scheduler/with_timeout.hpp>
#include <pinion/sim/virtual_clock.hpp>
#include <pinion/sim/virtual_ring.hpp>
#include <span>
#include <utility>

#include "virtual_executor.hpp"

namespace pinion::scheduler {
namespace {

using iosubmit::entries;
using testing::virtual_executor;

struct ExecutorAsksTest : ::testing::Test {
  // A ring that answers 0 at once, and keeps what it was asked last, but who asked.
  sim::virtual_ring keeping_ring() {
    sim::virtual_ring made{clock};
    made.serve([this](const ring_entry& what, instant now) {
      if (what.operation == expected_operation) seen = what;
      return sim::virtual_answer{.at = answers && what.operation == expected_operation ? now : never};
    });
    return made;
  }
  template <class Asked>
  void expect_asked(Asked asked, ring_entry expected) {
    expected_operation = expected.operation;
    seen = {};
    const auto awaits = [](Asked what) -> task<> { static_cast<void>(co_await std::move(what)); };
    loop.run(awaits(std::move(asked)));
    seen.user_data = expected.user_data;
    EXPECT_EQ(std::memcmp(&seen, &expected, sizeof seen), 0)
        << "offset " << seen.offset << ", length " << seen.length << ", flags " << seen.operation_flags
        << ", descriptor " << seen.descriptor;
  }

  sim::virtual_clock clock{instant{0}};
  int expected_operation = -1;
  bool answers = true;
  ring_entry seen;
  virtual_executor loop{{}, keeping_ring(), clock, clock};
  std::array<std::byte, 8> bytes{};
};

TEST_F(ExecutorAsksTest, OfFilesWhatTheTaskNames) {
  const auto io = loop.io();
  struct ::statx fields{};

  expect_asked(io.read(3, bytes, 5), entries::read(3, bytes, 5));
  expect_asked(io.read(3, bytes), entries::read(3, bytes));
  expect_asked(io.write(3, bytes, 5), entries::write(3, bytes, 5));
  expect_asked(io.write(3, bytes), entries::write(3, bytes));
  expect_asked(io.fsync(3), entries::fsync(3));
  expect_asked(io.fsync(3, entries::synced::contents_only),
               entries::fsync(3, entries::synced::contents_only));
  expect_asked(io.openat("name", O_CREAT, 0600, 7), entries::openat("name", O_CREAT, 0600, 7));
  expect_asked(io.statx("name", fields, STATX_SIZE, AT_SYMLINK_NOFOLLOW, 7),
               entries::statx("name", fields, STATX_SIZE, AT_SYMLINK_NOFOLLOW, 7));
  expect_asked(io.close(3), entries::close(3));
}

TEST_F(ExecutorAsksTest, OfSocketsWhatTheTaskNames) {
  const auto io = loop.io();
  const sockaddr_storage address{};

  expect_asked(io.recv(3, bytes), entries::recv(3, bytes));
  expect_asked(io.send(3, bytes), entries::send(3, bytes));
  expect_asked(io.accept(3, SOCK_CLOEXEC), entries::accept(3, nullptr, nullptr, SOCK_CLOEXEC));
  expect_asked(io.connect(3, &address, sizeof address), entries::connect(3, &address, sizeof address));
  expect_asked(io.poll(3, POLLPRI), entries::poll(3, POLLPRI));
}

TEST_F(ExecutorAsksTest, OfAListenerConnectionsWithTheFlagsThatTheTaskNames) {
  answers = false;
  expected_operation = iosubmit::codes::accept;
  const auto accepts = [](virtual_executor& by) -> task<> {
    auto connections = by.io().acceptor(3, SOCK_NONBLOCK);
    static_cast<void>(co_await with_timeout(std::chrono::milliseconds{1}, connections.next()));
  };
  loop.run(accepts(loop));

  EXPECT_EQ(seen.operation_flags, static_cast<std::uint32_t>(SOCK_NONBLOCK));
  EXPECT_EQ(seen.descriptor, 3);
}

}  // namespace
}  // namespace pinion::scheduler
