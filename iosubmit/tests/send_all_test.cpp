// SPDX-License-Identifier: Apache-2.0
//
// send_all and recv_all over every ring: no byte is lost where a socket's buffer is smaller than the message;
// and what SIGPIPE does.
#include <fcntl.h>
#include <gtest/gtest-death-test.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "asked.hpp"
#include "awaiting_rig.hpp"

namespace pinion::iosubmit::testing {
namespace {

using sent = expected<void, std::error_code>;
using came = expected<std::size_t, std::error_code>;

constexpr std::size_t much = 4'000'000;

// Each byte says where it belongs.
std::vector<std::byte> numbered(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t k = 0; k != count; ++k) bytes[k] = static_cast<std::byte>(k * 2'654'435'761U >> 24U);
  return bytes;
}

// Two sockets that hold a few thousand bytes between them.
joined narrow_sockets(bool are_nonblocking = false) {
  joined pair = joined::sockets();
  constexpr int size = 4096;
  for (const int each : {pair.first.get(), pair.second.get()}) {
    EXPECT_EQ(::setsockopt(each, SOL_SOCKET, SO_SNDBUF, &size, sizeof size), 0);
    EXPECT_EQ(::setsockopt(each, SOL_SOCKET, SO_RCVBUF, &size, sizeof size), 0);
    if (are_nonblocking) {
      EXPECT_EQ(::fcntl(each, F_SETFL, ::fcntl(each, F_GETFL) | O_NONBLOCK), 0);
    }
  }
  return pair;
}

class SendAllTest : public AwaitingTest {};

eager give(test_io& io, int socket, std::span<const std::byte> bytes, std::optional<sent>& result) {
  result = co_await send_all(io, socket, bytes);
}
eager take(test_io& io, int socket, std::span<std::byte> into, std::optional<came>& result) {
  result = co_await recv_all(io, socket, into);
}

TEST_P(SendAllTest, FourMillionBytesPassThroughASmallBufferWhole) {
  for (const bool are_nonblocking : {false, true}) {
    SCOPED_TRACE(are_nonblocking ? "nonblocking" : "blocking");
    test_io io{make()};
    const joined pair = narrow_sockets(are_nonblocking);
    const std::vector<std::byte> bytes = numbered(much);
    std::vector<std::byte> arrived(much);
    std::optional<sent> gone;
    std::optional<came> whole;

    take(io, pair.second.get(), arrived, whole);
    for (int turns = 0; turns != 3; ++turns) look(io);  // nothing is there yet
    give(io, pair.first.get(), bytes, gone);
    run_until(io, [&] { return gone && whole; });

    ASSERT_TRUE(gone && whole);
    EXPECT_TRUE(*gone) << gone->error().message();
    ASSERT_TRUE(*whole) << whole->error().message();
    EXPECT_EQ(**whole, much);
    EXPECT_TRUE(arrived == bytes);
  }
}

// The sample of awaiting.hpp.
eager echo(test_io& io, int socket, bool& is_over) {
  std::array<std::byte, 512> bytes;
  while (auto count = co_await awaiting(io, entries::recv(socket, bytes))) {
    if (*count == 0) break;                                                     // the other end has closed
    if (!co_await send_all(io, socket, std::span{bytes}.first(*count))) break;  // no byte is lost
  }
  is_over = true;
}

TEST_P(SendAllTest, AnEchoLosesNothingWhereItsClientReadsLate) {
  test_io io{make()};
  joined pair = narrow_sockets();
  const std::vector<std::byte> bytes = numbered(much / 8);
  std::vector<std::byte> arrived(bytes.size());
  std::optional<sent> gone;
  std::optional<came> whole;
  bool is_over = false;
  echo(io, pair.second.get(), is_over);

  give(io, pair.first.get(), bytes, gone);
  for (int turns = 0; turns != 50; ++turns) look(io);  // the echo's own buffer is full by now
  take(io, pair.first.get(), arrived, whole);
  run_until(io, [&] { return gone && whole; });
  pair.first.close();
  run_until(io, [&] { return is_over; });

  ASSERT_TRUE(gone && *gone && whole && *whole);
  EXPECT_EQ(**whole, bytes.size());
  EXPECT_TRUE(arrived == bytes);
  EXPECT_TRUE(is_over);
}

TEST_P(SendAllTest, FewerComeOnlyWhereTheOtherEndHasClosed) {
  test_io io{make()};
  joined pair = joined::sockets();
  received into;
  std::optional<came> short_of, none;
  take(io, pair.first.get(), std::span{into.bytes}.first(8), short_of);
  look(io);
  ASSERT_EQ(::send(pair.second.get(), "abc", 3, 0), 3);
  for (int turns = 0; turns != 3; ++turns) look(io);
  EXPECT_FALSE(short_of);

  pair.second.close();
  run_until(io, [&] { return short_of.has_value(); });
  take(io, pair.first.get(), std::span{into.bytes}.first(8), none);
  run_until(io, [&] { return none.has_value(); });

  ASSERT_TRUE(short_of && *short_of && none && *none);
  EXPECT_EQ(**short_of, 3U);
  EXPECT_EQ(into.text(3), "abc");
  EXPECT_EQ(**none, 0U);
}

TEST_P(SendAllTest, ARecipientThatGoesIsAnErrorOfTheSystem) {
  test_io io{make()};
  joined pair = narrow_sockets();
  const std::vector<std::byte> bytes = numbered(much);
  std::optional<sent> gone;
  give(io, pair.first.get(), bytes, gone);
  look(io);
  EXPECT_FALSE(gone);

  pair.second.close();
  run_until(io, [&] { return gone.has_value(); });

  ASSERT_TRUE(gone);
  ASSERT_FALSE(*gone);
  EXPECT_EQ(gone->error(), std::errc::broken_pipe);
}

TEST_P(SendAllTest, ASlotEndsItInTheMiddle) {
  test_io io{make()};
  const joined pair = narrow_sockets();
  const std::vector<std::byte> bytes = numbered(much);
  std::vector<std::byte> some(10'000);
  std::optional<sent> gone;
  std::optional<came> part;
  cancel_slot slot;
  const auto giver = [&]() -> eager { gone = co_await send_all(io, pair.first.get(), bytes, slot); };
  giver();
  take(io, pair.second.get(), some, part);
  run_until(io, [&] { return part.has_value(); });
  EXPECT_FALSE(gone);

  slot.request();
  run_until(io, [&] { return gone.has_value(); });

  ASSERT_TRUE(gone);
  ASSERT_FALSE(*gone);
  EXPECT_EQ(gone->error(), std::errc::operation_canceled);
  EXPECT_EQ(io.depth() + io.in_flight(), 0U);
}

TEST_P(SendAllTest, NothingIsAskedForAnEmptyBufferOrACancelledSlot) {
  test_io io{make()};
  const joined pair = joined::sockets();
  received into;
  cancel_slot slot;
  std::optional<sent> nothing, cancelled;
  std::optional<came> empty;
  const auto asker = [&]() -> eager {
    nothing = co_await send_all(io, pair.first.get(), {});
    empty = co_await recv_all(io, pair.first.get(), {});
    slot.request();
    cancelled = co_await send_all(io, pair.first.get(), into.room(), slot);
  };

  asker();
  EXPECT_FALSE(cancelled) << "it gives way all the same";
  run_until(io, [&] { return cancelled.has_value(); });

  ASSERT_TRUE(nothing && empty && cancelled);
  EXPECT_TRUE(*nothing);
  EXPECT_EQ(**empty, 0U);
  EXPECT_EQ(cancelled->error(), std::errc::operation_canceled);
  EXPECT_EQ(::recv(pair.second.get(), into.bytes.data(), into.bytes.size(), MSG_DONTWAIT), -1)
      << "nothing was sent";
}

TEST_P(SendAllTest, StopEndsItWithTheOthers) {
  const joined pair = narrow_sockets();
  const std::vector<std::byte> bytes = numbered(much);
  received into;
  std::optional<sent> gone;
  std::optional<came> none;
  {
    test_io io{make()};
    give(io, pair.first.get(), bytes, gone);
    take(io, pair.first.get(), into.room(), none);
    look(io);
  }

  ASSERT_TRUE(gone && none);
  EXPECT_EQ(gone->error(), std::errc::operation_canceled);
  EXPECT_EQ(none->error(), std::errc::operation_canceled);
}

// In a child: asks for that of a socket whose other end has closed, and leaves with the errno that it is
// answered with.
void ask_of_a_closed_socket(any_ring ring, bool by_write, bool ignores) {
  std::signal(SIGPIPE, ignores ? SIG_IGN : SIG_DFL);
  joined pair = joined::sockets();
  pair.second.close();
  test_io io{std::move(ring)};
  const int socket = pair.first.get();
  asked one{by_write ? entries::write(socket, bytes_of("late")) : entries::send(socket, bytes_of("late"))};
  io.queue(one);
  std::_Exit(-result_of(io, one));
}

TEST_P(SendAllTest, ASendRaisesNoSignalAndAWriteOneThatMayBeIgnored) {
  const auto killed = ::testing::KilledBySignal(SIGPIPE);
  const auto answered = ::testing::ExitedWithCode(EPIPE);

  EXPECT_EXIT(ask_of_a_closed_socket(make(), false, false), answered, "");
  EXPECT_EXIT(ask_of_a_closed_socket(make(), true, true), answered, "");
  EXPECT_EXIT(ask_of_a_closed_socket(make(), true, false), killed, "");
}

// A ring that moves three bytes at a time, and has every other send ended by a signal.
class stingy_ring {
 public:
  [[nodiscard]] bool supports(std::uint8_t) const noexcept { return true; }
  [[nodiscard]] std::uint32_t room() const noexcept { return 8 - pending(); }
  void put(const ring_entry& entry) noexcept { pending_.push_back(entry); }
  [[nodiscard]] std::uint32_t pending() const noexcept { return static_cast<std::uint32_t>(pending_.size()); }
  [[nodiscard]] bool has_completions() const noexcept { return !done_.empty(); }
  [[nodiscard]] bool wants_enter() const noexcept { return false; }
  ring_entered enter(const ring_wait&) noexcept {
    const std::uint32_t taken = pending();
    for (const ring_entry& each : std::exchange(pending_, {})) {
      lengths.push_back(each.length);
      const auto moved = static_cast<std::int32_t>(std::min(3U, each.length));
      const std::int32_t result = (turns_++ & 1U) != 0 ? -EINTR : moved;
      done_.push_back({.user_data = each.user_data, .result = result, .flags = 0});
    }
    return {.accepted = taken};
  }
  template <class Sink>
  std::size_t reap(Sink sink) noexcept {
    const auto done = std::exchange(done_, {});
    for (const ring_completion& each : done) sink(each);
    return done.size();
  }
  template <class Sink>
  std::size_t withdraw(Sink sink) noexcept {
    const auto pending = std::exchange(pending_, {});
    for (const ring_entry& each : pending) sink(each);
    return pending.size();
  }
  static inline std::vector<std::uint32_t> lengths;  // that were asked for

 private:
  std::vector<ring_entry> pending_;
  std::vector<ring_completion> done_;
  std::uint32_t turns_ = 0;
};

TEST(SendAllOnceTest, GoesOnAfterShortSendsAndSignals) {
  submission<batch_or_idle, stingy_ring> io{stingy_ring{}};
  stingy_ring::lengths.clear();
  std::optional<sent> gone;
  const auto giver = [&]() -> eager { gone = co_await send_all(io, 0, bytes_of("sevenby")); };

  giver();
  for (int turns = 0; turns != 20 && !gone; ++turns) io.park(io.now());

  ASSERT_TRUE(gone && *gone);
  EXPECT_EQ(stingy_ring::lengths, (std::vector<std::uint32_t>{7, 4, 4, 1, 1}));
}

INSTANTIATE_TEST_SUITE_P(, SendAllTest, ::testing::ValuesIn(rings()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace pinion::iosubmit::testing
