// SPDX-License-Identifier: Apache-2.0
//
// receiver over every ring: no byte is lost, no buffer leaks, and one that idles holds none.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <coroutine>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "asked.hpp"
#include "awaiting_rig.hpp"
#include "loopback.hpp"

namespace pinion::iosubmit::testing {
namespace {

using next_part = expected<buffer_lease, std::error_code>;
using test_receiver = receiver<test_io>;

class ReceiverTest : public AwaitingTest {};

std::string text_of(const buffer_lease& lease) {
  return {reinterpret_cast<const char*>(lease.bytes().data()), lease.size()};
}
eager take(test_receiver& from, std::optional<next_part>& into) { into = co_await from.next(); }
eager take(test_receiver& from, std::optional<next_part>& into, cancel_slot& slot) {
  into = co_await from.next(slot);
}
// The sample of receiver.hpp.
eager take_all(test_io& io, int socket, buffer_group& buffers, std::string& all, bool& is_over) {
  const auto consume = [&](std::span<const std::byte> bytes) {
    all.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  receiver from{io, socket, buffers};
  while (auto part = co_await from.next()) {
    if (part->empty()) break;  // the other end closed
    consume(part->bytes());
  }
  is_over = true;
}
// The sample of buffer_group.hpp.
eager take_all(test_io& io, int socket, std::string& all, bool& is_over) {
  const auto consume = [&](std::span<const std::byte> bytes) {
    all.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  buffer_group buffers{io, {.count = 64, .size = 4096}};
  receiver from{io, socket, buffers};
  while (auto part = co_await from.next()) {
    if (part->empty()) break;  // the other end closed
    consume(part->bytes());
  }
  is_over = true;
}
void give(const owned& socket, std::string_view text) {
  ASSERT_EQ(::send(socket.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
}

TEST_P(ReceiverTest, EachByteComesOnceAndInOrderUntilTheEnd) {
  test_io io{make()};
  joined pair = joined::sockets();
  buffer_group buffers{io, {.count = 4, .size = 64}};
  std::string all, sent;
  bool is_over = false;
  take_all(io, pair.first.get(), buffers, all, is_over);

  for (int round = 0; round != 40; ++round) {
    const std::string text(static_cast<std::size_t>(round) * 13 % 200 + 1,
                           static_cast<char>('a' + round % 26));
    give(pair.second, text);
    sent += text;
    if (round % 3 == 0) run_until(io, [&] { return all.size() == sent.size(); });
  }
  pair.second.close();
  run_until(io, [&] { return is_over; });

  EXPECT_TRUE(is_over);
  EXPECT_EQ(all, sent);
  EXPECT_EQ(buffers.free(), 4U);
  look(io);
  EXPECT_EQ(io.in_flight(), 0U);
}

TEST_P(ReceiverTest, AGroupMayGoWithItsReceiver) {
  test_io io{make()};
  joined pair = joined::sockets();
  std::string all;
  bool is_over = false;
  take_all(io, pair.first.get(), all, is_over);

  give(pair.second, "abc");
  run_until(io, [&] { return all.size() == 3; });
  pair.second.close();
  run_until(io, [&] { return is_over; });

  EXPECT_EQ(all, "abc");
}

TEST_P(ReceiverTest, TheKernelChoosesWhereItCan) {
  test_io io{make()};

  const buffer_group buffers{io, {.count = 5, .size = 16}};

  EXPECT_EQ(buffers.is_kernels(), io.ring().supports(codes::send_zc));
  EXPECT_EQ(buffers.count(), 5U);
  EXPECT_EQ(buffers.free(), 5U);
}

TEST_P(ReceiverTest, AnIdleOneHoldsNoBuffer) {
  test_io io{make()};
  buffer_group buffers{io, {.count = 1, .size = 16}};
  std::vector<joined> pairs;
  std::vector<std::unique_ptr<test_receiver>> all;
  std::vector<std::optional<next_part>> parts(6);
  for (std::optional<next_part>& each : parts) {
    pairs.push_back(joined::sockets());
    all.push_back(std::make_unique<test_receiver>(io, pairs.back().first.get(), buffers));
    take(*all.back(), each);
  }
  look(io);

  for (std::size_t one = parts.size(); one-- != 0;) {
    give(pairs[one].second, "x" + std::to_string(one));
    run_until(io, [&] { return parts[one].has_value(); });
    ASSERT_TRUE(parts[one] && *parts[one]) << one;
    EXPECT_EQ(text_of(**parts[one]), "x" + std::to_string(one));
    parts[one].reset();
  }

  EXPECT_EQ(buffers.free(), 1U);
}

TEST_P(ReceiverTest, WaitsForABufferThatComesBack) {
  test_io io{make()};
  const joined pair = joined::sockets(), other = joined::sockets();
  buffer_group buffers{io, {.count = 1, .size = 4}};
  test_receiver from{io, pair.first.get(), buffers}, beside{io, other.first.get(), buffers};
  std::optional<next_part> first, second, third;
  give(pair.second, "abcdefg");
  give(other.second, "hij");
  take(from, first);
  run_until(io, [&] { return first.has_value(); });
  ASSERT_TRUE(first && *first);
  take(from, second);
  take(beside, third);
  for (int turns = 0; turns != 5; ++turns) look(io);
  EXPECT_FALSE(second || third);
  EXPECT_EQ(buffers.free(), 0U);

  EXPECT_EQ(text_of(**first), "abcd");
  first.reset();
  EXPECT_FALSE(second || third) << "not from inside a lease's destructor";
  run_until(io, [&] { return second || third; });
  const bool was_second = second.has_value();
  std::string texts;
  for (int each = 0; each != 2; ++each) {
    run_until(io, [&] { return second || third; });
    std::optional<next_part>& there = second ? second : third;
    ASSERT_TRUE(there && *there) << each;
    texts += text_of(**there);
    there.reset();
  }

  EXPECT_EQ(texts, was_second ? "efghij" : "hijefg");
  EXPECT_EQ(buffers.free(), 1U);
}

// Two that wait for the one buffer, which a lease has; the one that waits longer is `from`.
class TwoReceiversTest : public ReceiverTest {
 protected:
  void begin(int socket) {
    from = std::make_unique<test_receiver>(io, socket, buffers);
    beside = std::make_unique<test_receiver>(io, other.first.get(), buffers);
    give(other.second, "hij");
    take(*from, first);
    run_until(io, [&] { return first.has_value(); });
    take(*from, second, slot);
    for (int turns = 0; turns != 3; ++turns) look(io);
    take(*beside, third);
    for (int turns = 0; turns != 3; ++turns) look(io);
    EXPECT_FALSE(second || third);
    EXPECT_EQ(io.depth() + io.in_flight(), 0U) << "it asks for what there is no buffer for";
  }
  void expect_third() {
    run_until(io, [&] { return third.has_value(); });
    ASSERT_TRUE(third && *third);
    EXPECT_EQ(text_of(**third), "hij");
  }

  joined pair = joined::sockets(), other = joined::sockets();
  test_io io{make()};
  buffer_group buffers{io, {.count = 1, .size = 4}};
  std::unique_ptr<test_receiver> from, beside;
  std::optional<next_part> first, second, third;
  cancel_slot slot;
};

TEST_P(TwoReceiversTest, AWaitThatIsCancelledIsNotToldOfABuffer) {
  give(pair.second, "abcdefg");
  begin(pair.first.get());

  slot.request();
  run_until(io, [&] { return second.has_value(); });
  first.reset();

  expect_third();
}

TEST_P(TwoReceiversTest, WhatWasToldOfABufferAndGoesTellsTheNext) {
  give(pair.second, "abcdefg");
  begin(pair.first.get());
  received stolen;

  first.reset();
  EXPECT_EQ(::recv(pair.first.get(), stolen.bytes.data(), stolen.bytes.size(), 0), 3);
  for (int turns = 0; turns != 3; ++turns) look(io);
  EXPECT_FALSE(second) << "that there is nothing to receive is no error";
  slot.request();
  run_until(io, [&] { return second.has_value(); });
  from.reset();

  expect_third();
}

TEST_P(TwoReceiversTest, WhatWasToldOfABufferAndFailsTellsTheNext) {
  const loopback server{1};
  owned client = server.client();
  const owned accepted{::accept4(server.listener(), nullptr, nullptr, SOCK_CLOEXEC)};
  give(client, "abcdefg");
  begin(accepted.get());
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ASSERT_EQ(::setsockopt(client.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
  received stolen;
  EXPECT_EQ(::recv(accepted.get(), stolen.bytes.data(), stolen.bytes.size(), 0), 3);
  client.close();

  first.reset();

  expect_third();
  ASSERT_TRUE(second && !*second);
  EXPECT_EQ(second->error(), std::errc::connection_reset);
}

TEST_P(ReceiverTest, ItGoesWithBytesThatNobodyTookAndLeaksNoBuffer) {
  test_io io{make()};
  const joined pair = joined::sockets();
  buffer_group buffers{io, {.count = 8, .size = 4}};
  auto from = std::make_unique<test_receiver>(io, pair.first.get(), buffers);
  std::optional<next_part> first;
  take(*from, first);
  give(pair.second, "0123456789abcdef");
  run_until(io, [&] { return first.has_value(); });
  for (int turns = 0; turns != 3; ++turns) look(io);
  give(pair.second, "ghijkl");

  from.reset();
  for (int turns = 0; turns != 4; ++turns) look(io);

  EXPECT_EQ(io.in_flight(), 0U);
  EXPECT_EQ(buffers.free(), 7U) << "the lease has one";
  first.reset();
  EXPECT_EQ(buffers.free(), 8U);
}

TEST_P(ReceiverTest, StopsWhereTooMuchWaitsAndLosesNothing) {
  test_io io{make()};
  joined pair = joined::sockets();
  buffer_group buffers{io, {.count = 16, .size = 8}};
  test_receiver from{io, pair.first.get(), buffers, 2};
  std::optional<next_part> one;
  std::string sent, all;
  take(from, one);
  look(io);
  for (int round = 0; round != 10; ++round) {
    give(pair.second, "0123" + std::to_string(round));
    sent += "0123" + std::to_string(round);
    for (int turns = 0; turns != 3; ++turns) look(io);
  }
  EXPECT_EQ(io.in_flight(), 0U) << "it receives on";
  EXPECT_GE(buffers.free(), 11U) << "it takes the buffers of all";
  pair.second.close();

  for (;;) {
    ASSERT_TRUE(one && *one);
    if ((*one)->empty()) break;
    all += text_of(**one);
    one.reset();
    take(from, one);
    run_until(io, [&] { return one.has_value(); });
  }

  EXPECT_EQ(all, sent);
  std::optional<next_part> again;
  take(from, again);
  ASSERT_TRUE(again && *again);
  EXPECT_TRUE((*again)->empty()) << "the end stays";
}

TEST_P(ReceiverTest, AWaitThatIsCancelledLosesNoByte) {
  test_io io{make()};
  const joined pair = joined::sockets();
  buffer_group buffers{io, {.count = 2, .size = 8}};
  test_receiver from{io, pair.first.get(), buffers};
  std::optional<next_part> cancelled, later;
  cancel_slot slot;
  take(from, cancelled, slot);
  look(io);

  slot.request();
  EXPECT_FALSE(cancelled) << "not from inside request()";
  give(pair.second, "abc");
  run_until(io, [&] { return cancelled.has_value(); });
  for (int turns = 0; turns != 3; ++turns) look(io);
  take(from, later);
  run_until(io, [&] { return later.has_value(); });

  ASSERT_TRUE(cancelled && later && *later);
  EXPECT_EQ(cancelled->error(), std::errc::operation_canceled);
  EXPECT_EQ(text_of(**later), "abc");
}

TEST_P(ReceiverTest, AnErrorComesAfterWhatCameBefore) {
  test_io io{make()};
  buffer_group buffers{io, {.count = 2, .size = 8}};
  test_receiver nowhere{io, -1, buffers};
  const owned deaf{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  test_receiver unconnected{io, deaf.get(), buffers};
  std::optional<next_part> closed, alone;

  take(nowhere, closed);
  take(unconnected, alone);
  run_until(io, [&] { return closed && alone; });

  ASSERT_TRUE(closed && alone);
  EXPECT_EQ(closed->error(), std::errc::bad_file_descriptor);
  EXPECT_EQ(alone->error(), std::errc::not_connected);
  EXPECT_EQ(buffers.free(), 2U);
}

TEST_P(ReceiverTest, GroupsOfOneRingHaveNamesOfTheirOwn) {
  test_io io{make()};
  const joined pair = joined::sockets(), other = joined::sockets();
  auto before = std::make_unique<buffer_group>(io, buffer_group_options{.count = 2, .size = 8});
  buffer_group buffers{io, {.count = 2, .size = 16}};
  test_receiver one{io, pair.first.get(), *before}, two{io, other.first.get(), buffers};
  std::optional<next_part> small, large;
  before.reset();  // its receiver has it still
  const buffer_group third{io, {.count = 2, .size = 8}};

  give(pair.second, "0123456789");
  give(other.second, "0123456789");
  take(one, small);
  take(two, large);
  run_until(io, [&] { return small && large; });

  ASSERT_TRUE(small && *small && large && *large);
  EXPECT_EQ(text_of(**small), "01234567");
  EXPECT_EQ(text_of(**large), "0123456789");
  EXPECT_EQ(third.free(), 2U);
}

TEST_P(ReceiverTest, LeasesOutliveEverything) {
  const joined pair = joined::sockets();
  std::optional<next_part> first, ended;
  {
    test_io io{make()};
    buffer_group buffers{io, {.count = 2, .size = 8}};
    test_receiver from{io, pair.first.get(), buffers};
    give(pair.second, "abc");
    take(from, first);
    run_until(io, [&] { return first.has_value(); });
    take(from, ended);
    io.stop();
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->error(), std::errc::operation_canceled);
  }

  ASSERT_TRUE(first && *first);
  EXPECT_EQ(text_of(**first), "abc");
  buffer_lease moved{*std::move(*first)};
  EXPECT_TRUE((*first)->empty());
  (*first) = std::move(moved);
  EXPECT_EQ((*first)->size(), 3U);
}

INSTANTIATE_TEST_SUITE_P(, TwoReceiversTest, ::testing::ValuesIn(rings()),
                         [](const auto& kind) { return kind.param.name; });
INSTANTIATE_TEST_SUITE_P(, ReceiverTest, ::testing::ValuesIn(rings()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace pinion::iosubmit::testing
