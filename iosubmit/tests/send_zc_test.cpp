// SPDX-License-Identifier: Apache-2.0
//
// send_zc over every ring: what is sent arrives, the coroutine goes on when its buffer is free, and what
// can't be sent in place is copied.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cerrno>
#include <coroutine>
#include <cstddef>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "asked.hpp"
#include "awaiting_rig.hpp"
#include "loopback.hpp"

namespace pinion::iosubmit::testing {
namespace {

class SendZcTest : public AwaitingTest {};

eager give(test_io& io, int socket, std::span<const std::byte> bytes, std::optional<answer>& result) {
  const auto count = co_await send_zc(io, socket, bytes);  // how many; the buffer may be used again
  result = count;
}
eager give(test_io& io, int socket, std::span<const std::byte> bytes, std::optional<answer>& result,
           cancel_slot& slot) {
  result = co_await send_zc(io, socket, bytes, slot);
}

// A connection over the loopback device, which takes buffers in place.
joined connected() {
  const loopback server{1};
  joined pair{.first = server.client(), .second = {}};
  pair.second = owned{::accept4(server.listener(), nullptr, nullptr, SOCK_CLOEXEC)};
  return pair;
}

TEST_P(SendZcTest, TheBufferMayBeWrittenToWhenTheCoroutineGoesOn) {
  test_io io{make()};
  const joined pair = connected();
  std::vector<std::byte> bytes(32'768), arrived;
  std::vector<std::byte> expected_bytes;

  for (int round = 1; round != 9; ++round) {
    std::optional<answer> gone;
    std::fill(bytes.begin(), bytes.end(), static_cast<std::byte>(round));
    give(io, pair.first.get(), bytes, gone);
    std::vector<std::byte> into(bytes.size());
    const auto reads = [&] {
      const ssize_t count = ::recv(pair.second.get(), into.data(), into.size(), MSG_DONTWAIT);
      if (count > 0) arrived.insert(arrived.end(), into.begin(), into.begin() + count);
    };
    const instant limit = monotonic_clock::now() + patience;
    while (!gone && io.now() < limit) {
      io.park(io.now() + duration{1'000'000});
      reads();
    }
    ASSERT_TRUE(gone && *gone);
    expected_bytes.insert(expected_bytes.end(), **gone, static_cast<std::byte>(round));
    while (arrived.size() != expected_bytes.size() && monotonic_clock::now() < limit) reads();
  }

  EXPECT_TRUE(arrived == expected_bytes);
  EXPECT_EQ(io.depth() + io.in_flight(), 0U);
}

TEST_P(SendZcTest, ASocketThatCanNotSendInPlaceCopies) {
  test_io io{make()};
  const joined pair = joined::sockets();
  received into;
  std::optional<answer> gone;

  give(io, pair.first.get(), bytes_of("abc"), gone);
  run_until(io, [&] { return gone.has_value(); });

  ASSERT_TRUE(gone && *gone) << gone->error().message();
  EXPECT_EQ(**gone, 3U);
  EXPECT_EQ(::recv(pair.second.get(), into.bytes.data(), into.bytes.size(), MSG_DONTWAIT), 3);
  EXPECT_EQ(into.text(3), "abc");
}

TEST_P(SendZcTest, AnErrorIsTheOneOfTheSystem) {
  test_io io{make()};
  std::optional<answer> gone;

  give(io, -1, bytes_of("abc"), gone);
  run_until(io, [&] { return gone.has_value(); });

  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->error(), std::errc::bad_file_descriptor);
}

TEST_P(SendZcTest, ASlotEndsAWaitForRoom) {
  test_io io{make()};
  const joined pair = connected();
  std::vector<std::byte> much(8'000'000);
  while (::send(pair.first.get(), much.data(), much.size(), MSG_DONTWAIT) > 0) {
  }
  std::optional<answer> gone, before;
  cancel_slot slot;
  give(io, pair.first.get(), much, gone, slot);
  for (int turns = 0; turns != 3; ++turns) look(io);
  EXPECT_FALSE(gone);

  slot.request();
  EXPECT_FALSE(gone) << "not from inside request()";
  run_until(io, [&] { return gone.has_value(); });
  give(io, pair.first.get(), much, before, slot);
  run_until(io, [&] { return before.has_value(); });

  ASSERT_TRUE(gone && before);
  EXPECT_EQ(gone->error(), std::errc::operation_canceled);
  EXPECT_EQ(before->error(), std::errc::operation_canceled);
  EXPECT_EQ(io.depth() + io.in_flight(), 0U);
}

INSTANTIATE_TEST_SUITE_P(, SendZcTest, ::testing::ValuesIn(rings()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace pinion::iosubmit::testing
