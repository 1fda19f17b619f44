// SPDX-License-Identifier: Apache-2.0
//
// The whole executor in virtual time: its clock, its ring, its notifier and its network are sim's.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <pinion/preempt/fixed_sources.hpp>
#include <pinion/scheduler/executor.hpp>
#include <pinion/scheduler/task_group.hpp>
#include <pinion/scheduler/with_timeout.hpp>
#include <pinion/sim/virtual_clock.hpp>
#include <pinion/sim/virtual_network.hpp>
#include <pinion/sim/virtual_notifier.hpp>
#include <pinion/sim/virtual_ring.hpp>
#include <pinion/waker/wake_event.hpp>
#include <system_error>

namespace pinion::scheduler {
namespace {

using namespace std::chrono_literals;

using simulated = basic_executor<
    parts<timer::call_wheel, waker::tagged_inbox, sim::virtual_notifier, iosubmit::batch_or_idle,
          sim::virtual_ring, preempt::never_due, default_frames, sim::virtual_clock::view>>;

struct ExecutorSimulatedTest : ::testing::Test {
  ExecutorSimulatedTest() { network.serve(loop.submission().ring()); }

  // Until the task is over, or nothing is left that would end its wait.
  void run(task<>&& what) {
    const auto handle = loop.spawn(std::move(what));
    const auto& counts = loop.submission().ring().counts();
    loop.run_until([&] { return handle.is_over() || counts.stuck != 0; });
    EXPECT_TRUE(handle.is_over());
  }

  sim::virtual_clock clock{instant{0}};
  sim::virtual_network network{clock, 1};
  simulated loop{{}, sim::virtual_ring{clock}, clock};
};

TEST_F(ExecutorSimulatedTest, AnHourOfTimeoutsTakesNoTimeAndIsNeitherShortNorLong) {
  int timeouts = 0;
  const auto waits = [](ExecutorSimulatedTest& in, int& count) -> task<> {
    const int listener = in.network.listen(&count, sizeof count);
    for (int second = 0; second != 3600; ++second) {
      const auto accepted = co_await with_timeout(1s, in.loop.io().accept(listener));
      if (!accepted && accepted.error() == std::errc::timed_out) ++count;
    }
    in.network.close(listener);
  };

  run(waits(*this, timeouts));

  EXPECT_EQ(timeouts, 3600);
  EXPECT_GE(clock.time(), instant{} + ceil(1h));
  EXPECT_LE(clock.time(), instant{} + ceil(1h) + ceil(10s)) << "a timer is late by its granularity at most";
  EXPECT_EQ(network.waiting(), 0U);
}

TEST_F(ExecutorSimulatedTest, AnotherThreadWakesATaskAtItsTime) {
  std::optional<instant> woken;
  const auto sender = loop.channel().sender();
  waker::wake_event event{loop.channel()};
  loop.submission().ring().at(clock.time() + ceil(3us), [&] { sender.push(event); });
  const auto waits = [](ExecutorSimulatedTest& in, decltype(event)& for_that,
                        std::optional<instant>& at) -> task<> {
    const auto done = co_await for_that.wait(in.loop.slot());
    if (done) at = in.clock.time();
  };

  run(waits(*this, event, woken));

  EXPECT_EQ(woken, instant{} + ceil(3us));
  EXPECT_EQ(loop.channel().notifier().signals(), 1U);
}

TEST_F(ExecutorSimulatedTest, WhatALostSignalWasForIsFoundByTheNextRoundAndNotBefore) {
  std::optional<instant> woken;
  const auto sender = loop.channel().sender();
  waker::wake_event event{loop.channel()};
  loop.channel().notifier().lose(1);
  loop.submission().ring().at(instant{} + ceil(3us), [&] { sender.push(event); });
  const auto sleeps = []() -> task<> { co_await sleep_for(1s); };
  const auto waits = [](ExecutorSimulatedTest& in, decltype(event)& for_that,
                        std::optional<instant>& at) -> task<> {
    const auto done = co_await for_that.wait(in.loop.slot());
    if (done) at = in.clock.time();
  };
  loop.spawn(sleeps()).detach();

  run(waits(*this, event, woken));

  ASSERT_TRUE(woken);
  EXPECT_GT(*woken, instant{} + ceil(1ms)) << "nothing but a timer ends the wait";
}

TEST_F(ExecutorSimulatedTest, ANotifierIsAttachedOnceAndKeepsASignalFromBefore) {
  EXPECT_THROW(static_cast<void>(loop.channel().notifier().attach(loop.submission())), std::system_error);

  sim::virtual_notifier bell;
  EXPECT_TRUE(bell.signal());
  EXPECT_FALSE(loop.submission().ring().has_completions());
  {
    const auto held = bell.attach(loop.submission());
    EXPECT_TRUE(loop.submission().ring().has_completions());
  }
  EXPECT_NO_THROW(static_cast<void>(bell.attach(loop.submission())));
}

TEST_F(ExecutorSimulatedTest, AnEndInTheMiddleOfEverythingLeavesNothing) {
  const int address = 0;
  const int listener = network.listen(&address, sizeof address);
  struct closing {
    sim::virtual_network& of;
    int descriptor;
    ~closing() { of.close(descriptor); }
  };
  const auto serves = [](sim::virtual_network& of, simulated& by, int socket) -> task<> {
    const closing at_end{of, socket};
    std::array<std::byte, 8> bytes{};
    const auto got = co_await by.io().recv(socket, bytes);
    EXPECT_FALSE(got);
  };
  const auto accepts = [](sim::virtual_network& of, simulated& by, int from, auto serve) -> task<> {
    const closing at_end{of, from};
    for (;;) {
      const auto client = co_await by.io().accept(from);
      if (!client) co_return;
      spawn(serve(of, by, static_cast<int>(*client))).detach();
    }
  };
  const auto connects = [](sim::virtual_network& of, simulated& by, const int& to) -> task<> {
    const closing socket{of, of.socket()};
    const auto connected = co_await by.io().connect(socket.descriptor, &to, sizeof to);
    EXPECT_TRUE(connected);
    std::array<std::byte, 8> bytes{};
    const auto got = co_await by.io().recv(socket.descriptor, bytes);
    EXPECT_FALSE(got);
  };

  {
    simulated other{{}, sim::virtual_ring{clock}, clock};
    network.serve(other.submission().ring());
    other.spawn(accepts(network, other, listener, serves)).detach();
    for (int k = 0; k != 3; ++k) other.spawn(connects(network, other, address)).detach();
    other.run_until([&] { return network.waiting() == 7; });  // the accept, and a recv at each end
  }

  EXPECT_EQ(network.waiting(), 0U);
  EXPECT_EQ(network.open_descriptors(), 0U);
}

// Over it an acceptor asks for each connection, a receiver polls, and a send is a copy.
TEST_F(ExecutorSimulatedTest, AServerAcceptsAndReceivesAndClosesWhatItDidNotTake) {
  const int address = 0;
  const int listener = network.listen(&address, sizeof address);
  const auto asks = [](sim::virtual_network& of, simulated& by, const int& to) -> task<std::size_t> {
    const int socket = of.socket();
    std::array<std::byte, 8> bytes{};
    const auto connected = co_await by.io().connect(socket, &to, sizeof to);
    const auto sent = co_await by.io().send_zc(socket, bytes);
    const auto got = co_await by.io().recv_all(socket, bytes);
    of.close(socket);
    co_return connected&& sent ? got.value_or(0) : 0;
  };
  const auto serves = [](sim::virtual_network& of, simulated& by, int from) -> task<std::size_t> {
    auto buffers = by.io().buffers({.count = 1, .size = 8});
    auto connections = by.io().acceptor(from);
    const auto socket = co_await connections.next();
    if (!socket) co_return std::size_t{0};
    auto parts = by.io().receiver(*socket, buffers);
    std::size_t count = 0;
    while (const auto part = co_await parts.next()) {
      if (part->empty()) break;
      count += part->size();
      if (!co_await by.io().send_all(*socket, part->bytes())) break;
    }
    of.close(*socket);
    const auto none = co_await with_timeout(std::chrono::milliseconds{1}, connections.next());
    co_await sleep_for(2s);
    co_return none ? 0 : count;
  };
  const auto asks_late = [](auto ask, sim::virtual_network& of, simulated& by,
                            const int& to) -> task<std::size_t> {
    co_await sleep_for(1s);
    co_return co_await ask(of, by, to);
  };
  auto asked = loop.spawn(asks(network, loop, address));
  auto late = loop.spawn(asks_late(asks, network, loop, address));

  EXPECT_EQ(loop.run(serves(network, loop, listener)), 8U);
  EXPECT_EQ(asked.take(), 8U);
  EXPECT_FALSE(late.is_over()) << "it was accepted";
  loop.run();
  EXPECT_EQ(late.take(), 0U) << "and closed, since nobody took it";
  EXPECT_EQ(network.waiting(), 0U) << "the accept has gone with its acceptor";
  EXPECT_EQ(network.close(listener), 0);
  EXPECT_EQ(network.open_descriptors(), 0U);
}

TEST(executor_simulated_samples, AnExecutorOverANetwork) {
  const std::uint64_t seed = 7;
  const std::uint16_t address = 80;

  sim::virtual_clock clock{instant{0}};
  sim::virtual_network network{clock, seed, {.shorts = 300, .resets = 5}};  // of a thousand
  simulated loop{{}, sim::virtual_ring{clock}, clock};                      // an executor over a virtual_ring
  network.serve(loop.submission().ring());

  const int listening = network.listen(&address, sizeof address);  // any bytes: a sockaddr, or a number
  const int client = network.socket();                             // for connect with the same bytes

  const auto connects = [](simulated& by, int socket, const std::uint16_t& to) -> task<bool> {
    const auto done = co_await by.io().connect(socket, &to, sizeof to);
    co_return done.has_value();
  };
  EXPECT_TRUE(loop.run(connects(loop, client, address)));
  EXPECT_EQ(network.close(listening), 0);
  const std::uint64_t hash = network.hash();  // of all that happened: the same for the same seed
  EXPECT_NE(hash, 0U);
}

}  // namespace
}  // namespace pinion::scheduler
