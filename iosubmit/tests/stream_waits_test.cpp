// SPDX-License-Identifier: Apache-2.0
//
// Waits of acceptors and receivers that meet each other, or outlive what they wait for.
#include <gtest/gtest-death-test.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <coroutine>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "asked.hpp"
#include "awaiting_rig.hpp"
#include "loopback.hpp"
#include "small_executor.hpp"

namespace pinion::iosubmit::testing {
namespace {

using next_part = expected<buffer_lease, std::error_code>;
using connection = expected<int, std::error_code>;
using test_acceptor = acceptor<test_io>;
using test_receiver = receiver<test_io>;

class StreamWaitsTest : public AwaitingTest {};

eager take(test_acceptor& from, std::optional<connection>& into) { into = co_await from.next(); }
eager take(test_acceptor& from, std::optional<connection>& into, cancel_slot& slot) {
  into = co_await from.next(slot);
}
eager take(test_receiver& from, std::optional<next_part>& into) { into = co_await from.next(); }
eager take(test_receiver& from, std::optional<next_part>& into, cancel_slot& slot) {
  into = co_await from.next(slot);
}
void give(const owned& socket, std::string_view text) {
  ASSERT_EQ(::send(socket.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
}

// Which of them has bytes to come the kernel alone knows.
TEST_P(StreamWaitsTest, ABufferThatComesBackServesWhomeverBytesComeFor) {
  test_io io{make()};
  const joined full = joined::sockets(), quiet = joined::sockets(), busy = joined::sockets();
  buffer_group buffers{io, {.count = 1, .size = 4}};
  test_receiver first{io, full.first.get(), buffers}, second{io, quiet.first.get(), buffers},
      third{io, busy.first.get(), buffers};
  std::optional<next_part> lease, none, part;
  cancel_slot slot;
  give(full.second, "abc");
  take(first, lease);
  run_until(io, [&] { return lease.has_value(); });
  take(second, none, slot);
  take(third, part);
  for (int turns = 0; turns != 3; ++turns) look(io);

  lease.reset();
  for (int turns = 0; turns != 3; ++turns) look(io);
  give(busy.second, "xyz");
  run_until(io, [&] { return part.has_value(); });

  ASSERT_TRUE(part && *part) << "a buffer is free, and nobody was told";
  EXPECT_EQ((*part)->size(), 3U);
  EXPECT_FALSE(none);
  slot.request();
  run_until(io, [&] { return none.has_value(); });
}

// The receiver waits for a buffer: nothing of its own is in flight, so it is gone at once.
TEST_P(StreamWaitsTest, WhatIsWaitedForMayGoWithTheRequest) {
  const loopback server;
  test_io io{make()};
  const joined pair = joined::sockets(), full = joined::sockets();
  buffer_group buffers{io, {.count = 1, .size = 4}};
  test_receiver first{io, full.first.get(), buffers};
  std::optional<next_part> lease;
  give(full.second, "abc");
  take(first, lease);
  run_until(io, [&] { return lease.has_value(); });
  give(pair.second, "xyz");
  auto connections = std::make_unique<test_acceptor>(io, server.listener());
  auto from = std::make_unique<test_receiver>(io, pair.first.get(), buffers);
  std::optional<connection> one;
  std::optional<next_part> part;
  cancel_slot slot;
  take(*connections, one, slot);
  take(*from, part, slot);
  for (int turns = 0; turns != 3; ++turns) look(io);

  slot.request();
  connections.reset();
  from.reset();
  run_until(io, [&] { return one && part; });

  ASSERT_TRUE(one && part);
  EXPECT_EQ(one->error(), std::errc::operation_canceled);
  EXPECT_EQ(part->error(), std::errc::operation_canceled);
}

void wait_beside_one_that_is_ready(any_ring ring) {
  const loopback server;
  test_io io{std::move(ring)};
  pinion::testing::small_executor executor;
  test_acceptor connections{io, server.listener()};
  std::optional<connection> one, two;
  const auto body = [&]() -> pinion::testing::task { one = co_await connections.next(); };
  pinion::testing::task first = body();
  executor.spawn(first);
  executor.run();
  const owned client = server.client();
  run_until(io, [&] { return executor.has_ready(); });
  take(connections, two);
}
void receive_by_a_foreign_group(any_ring ring, any_ring other) {
  test_io io{std::move(ring)}, another{std::move(other)};
  buffer_group buffers{io, {.count = 1, .size = 4}};
  const joined pair = joined::sockets();
  const test_receiver from{another, pair.first.get(), buffers};
}
TEST_P(StreamWaitsTest, BrokenContractsAreViolations) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";

  EXPECT_DEATH(wait_beside_one_that_is_ready(make()), "two coroutines wait for the next");
  test_io io{make()};
  if (buffer_group{io}.is_kernels()) {
    EXPECT_DEATH(receive_by_a_foreign_group(make(), make()), "buffers of another submission's group");
  }
}

INSTANTIATE_TEST_SUITE_P(, StreamWaitsTest, ::testing::ValuesIn(rings()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace pinion::iosubmit::testing
