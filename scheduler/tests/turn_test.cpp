// SPDX-License-Identifier: Apache-2.0
//
// turn over real timers, channels and I/O: what ends its wait, how many system calls a round is, and that
// nothing starves.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <pinion/iosubmit.hpp>
#include <pinion/preempt.hpp>
#include <pinion/scheduler.hpp>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include "small_executor.hpp"

namespace pinion::scheduler {
namespace {

using namespace std::chrono_literals;
using pinion::testing::small_executor;
using pinion::testing::task;

using timer_set = timer::timer_queue<timer::call_wheel>;

// The pairs: each notifier that an owner of I/O can have, over each ring.
template <class Notifier, class Ring, class Inbox>
struct pair {
  using channel = waker::wake_channel<Inbox, Notifier>;
  using io = iosubmit::submission<iosubmit::batch_or_idle, Ring>;
};
template <class Pair>
struct TurnTest : ::testing::Test {
  using io_type = typename Pair::io;
  using channel_type = typename Pair::channel;

  void SetUp() override {
    auto ring = iosubmit::open_ring<ring_type>();
    if (!ring) GTEST_SKIP() << to_string(ring.error());
    io.emplace(std::move(*ring));
    channel.emplace(*io);
  }

  using ring_type = std::remove_const_t<std::remove_reference_t<decltype(std::declval<io_type&>().ring())>>;
  timer_set timers;
  std::optional<io_type> io;
  std::optional<channel_type> channel;
};
using pairs = ::testing::Types<pair<waker::eventfd_notifier, iosubmit::uring_ring, waker::tagged_inbox>,
                               pair<waker::eventfd_notifier, iosubmit::epoll_ring, waker::bounded_inbox<>>,
                               pair<waker::eventfd_notifier, iosubmit::default_ring, waker::mutex_inbox>,
                               pair<waker::msg_ring_notifier, iosubmit::uring_ring, waker::bounded_inbox<>>,
                               pair<waker::msg_ring_notifier, iosubmit::epoll_ring, waker::tagged_inbox>,
                               pair<waker::msg_ring_notifier, iosubmit::default_ring, waker::tagged_inbox>>;
TYPED_TEST_SUITE(TurnTest, pairs);

// Tasks of which there are always some.
template <class Run>
auto always_ready(Run run) {
  return running{[] { return true; }, std::move(run)};
}

// One operation, which says whether it is answered.
struct asked : iosubmit::operation {
  explicit asked(const ring_entry& what) noexcept : operation{what, &done} {}
  static void done(ring_answer& self, std::int32_t /*result*/) noexcept {
    static_cast<asked&>(self).is_answered = true;
  }
  bool is_answered = false;
};

// Whether it is over an io_uring.
bool has_descriptor(const auto& io) {
  if constexpr (requires { io.descriptor(); }) return io.descriptor() >= 0;
  return false;
}

TYPED_TEST(TurnTest, ATimerEndsTheWait) {
  bool fired = false;
  timer::timer_call call{[](timer::timer_call& c) { *static_cast<bool*>(c.context) = true; }, &fired};
  turn loop{this->timers, *this->channel, *this->io};
  this->timers.after(2ms, call);
  const instant due = this->timers.next_wakeup();

  for (int turns = 0; !fired && turns != 10; ++turns) loop();

  EXPECT_TRUE(fired);
  EXPECT_GE(monotonic_clock::now(), due);
}

// Law C6 of wakes: another thread's push ends a wait that has no other end.
TYPED_TEST(TurnTest, AWakeFromAnotherThreadEndsTheWait) {
  constexpr int rounds = 100;
  turn loop{this->timers, *this->channel, *this->io};
  waker::wake_event event{*this->channel};
  small_executor executor;
  int woken = 0;
  const auto body = [](auto& wakes, int& count) -> task {
    while (count != rounds) {
      co_await wakes.wait();
      ++count;
    }
  };
  task all = body(event, woken);
  executor.spawn(all);
  // Each push after the one before was heard of: none may merge, so each has to end a wait.
  std::atomic<int> heard{0};
  std::thread other{[&, to = this->channel->sender()] {
    for (int k = 0; k != rounds; ++k) {
      while (heard.load(std::memory_order_acquire) != k) std::this_thread::yield();
      to.push(event);
    }
  }};

  while (!all.is_done()) {
    loop(executor);
    heard.store(woken, std::memory_order_release);
  }
  other.join();

  EXPECT_EQ(woken, rounds);
}

TYPED_TEST(TurnTest, TasksSleepAskAndAreWokenInOneLoopAndRunInItsRunAlone) {
  turn loop{this->timers, *this->channel, *this->io};
  waker::wake_event event{*this->channel};
  small_executor executor;
  std::string log;
  bool is_running = false;
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  cancel_slot slot;
  std::array<std::byte, 8> bytes{};
  const auto all_kinds = [&]() -> task {
    co_await timer::sleep_for(this->timers, 1ms);
    log += is_running ? 't' : '!';
    const auto count = co_await iosubmit::awaiting(*this->io, iosubmit::entries::read(ends[0], bytes));
    log += is_running && count && *count == 3 ? 'i' : '!';
    co_await event.wait();
    log += is_running ? 'w' : '!';
    const auto never_woken = co_await event.wait(slot);
    log += is_running && !never_woken && never_woken.error() == std::errc::operation_canceled ? 'W' : '!';
    const auto slept = co_await timer::sleep_until(this->timers, never, slot);
    log += is_running && !slept && slept.error() == std::errc::operation_canceled ? 'T' : '!';
    const auto read = co_await iosubmit::awaiting(*this->io, iosubmit::entries::read(ends[0], bytes), slot);
    log += is_running && !read && read.error() == std::errc::operation_canceled ? 'I' : '!';
  };
  task one = all_kinds();
  executor.spawn(one);

  for (int turns = 0; !one.is_done() && turns != 1000; ++turns) {
    loop(running{[&] { return executor.has_ready(); },
                 [&] {
                   is_running = true;
                   executor.run();
                   is_running = false;
                   if (log == "t" && ::write(ends[1], "abc", 3) != 3) log += '!';
                   if (log == "ti") this->channel->sender().push(event);
                   if (log == "tiw") slot.request();
                 }});
  }
  ::close(ends[0]);
  ::close(ends[1]);

  EXPECT_EQ(log, "tiwWTI");
}

// A task that tries again on any error, an operation without a slot, and a push that comes last: all are
// told.
TYPED_TEST(TurnTest, EndsInOneOrderAndLosesNothing) {
  turn loop{this->timers, *this->channel, *this->io};
  small_executor executor;
  cancel_slot closing;
  waker::wake_event event{*this->channel}, last{*this->channel};
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  std::array<std::byte, 8> bytes{};
  int errors = 0;
  const auto reads = [&]() -> task {
    while (!closing.is_requested()) {
      const auto got =
          co_await iosubmit::awaiting(*this->io, iosubmit::entries::read(ends[0], bytes), closing);
      errors += got ? 0 : 1;
    }
  };
  const auto sleeps = [&]() -> task {
    const auto slept = co_await timer::sleep_until(this->timers, never, closing);
    errors += slept ? 0 : 1;
  };
  const auto waits = [&]() -> task {
    const auto woken = co_await event.wait(closing);
    errors += woken ? 0 : 1;
    this->channel->sender().push(last);
  };
  std::array<std::byte, 8> more{};
  const auto asks = [&]() -> task {
    const auto got = co_await iosubmit::awaiting(*this->io, iosubmit::entries::read(ends[0], more));
    EXPECT_FALSE(got);
  };
  task all[] = {reads(), sleeps(), waits()};
  task unbound = asks();
  for (task& each : all) executor.spawn(each);
  executor.spawn(unbound);
  asked without_slot{iosubmit::entries::read(ends[0], bytes)};
  this->io->queue(without_slot);
  while (executor.has_ready()) loop(executor);

  loop.end(closing, executor, [&] { return all[0].is_done() && all[1].is_done() && all[2].is_done(); });
  const waker::push_result later = this->channel->sender().push(event);
  ::close(ends[0]);
  ::close(ends[1]);

  EXPECT_EQ(errors, 3);
  EXPECT_TRUE(unbound.is_done()) << "it waited without a slot, and nobody counted it";
  EXPECT_TRUE(without_slot.is_answered);
  EXPECT_TRUE(last.is_woken());
  EXPECT_EQ(later, waker::push_result::closed);
}

// Law C6: with nothing to do, a round is one enter, which waits; with nothing to say and more to run, it is
// none.
TYPED_TEST(TurnTest, AnIdleRoundIsOneEnterAndABusyOneNone) {
  if (!is_counted) GTEST_SKIP() << "this build counts nothing (PINION_STATISTICS=OFF)";
  turn loop{this->timers, *this->channel, *this->io};
  timer::timer_call call{[](timer::timer_call&) {}, nullptr};
  this->timers.after(1ms, call);
  while (this->timers.size() != 0) loop();  // what was queued to attach has gone
#if PINION_COUNTED
  const auto enters = [&] {
    const auto all = this->io->statistics().enters;
    return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
  };
  const auto before = enters();

  for (int turns = 0; turns != 100; ++turns) loop(always_ready([] {}));
  // epoll tells nothing without being asked; a ring's flags do.
  const std::uint64_t asked = has_descriptor(*this->io) ? 0 : 100;
  EXPECT_EQ(enters() - before, asked);
  for (int ticks = 0; ticks != 10; ++ticks) {
    this->timers.after(2ms, call);
    while (this->timers.size() != 0) loop();
  }

  EXPECT_LE(enters() - before, asked + 10U + 10U) << "one a tick; the kernel may end a wait early";
#endif
}

// Law W1: stop() ends the watch of the notifier's descriptor as well, and the loop goes on.
TYPED_TEST(TurnTest, AWakeEndsAWaitAlsoAfterTheIoWasStopped) {
  turn loop{absent, *this->channel, *this->io};
  waker::wake_event event{*this->channel};
  asked first{iosubmit::entries::nop()};
  this->io->queue(first);
  while (!first.is_answered) loop();
  this->io->stop();
  const kernel_time patience = kernel_time::of(ceil(2s));
  asked limit{iosubmit::entries::timeout(patience)};
  this->io->queue(limit);
  std::thread other{[&, to = this->channel->sender()] {
    std::this_thread::sleep_for(5ms);  // most likely the loop waits by then
    to.push(event);
  }};

  while (!event.is_woken()) loop();
  other.join();

  EXPECT_FALSE(limit.is_answered) << "nothing else ended the wait";
  this->io->stop();
}

// Nothing is pushed into it any more, so there is nothing to go round for; and what a policy keeps back has
// to go.
TYPED_TEST(TurnTest, WithAClosedChannelItWaitsForTheOthers) {
  turn loop{this->timers, *this->channel, *this->io};
  this->channel->close(waker::call_wakes);
  asked first{iosubmit::entries::nop()};
  this->io->queue(first);

  for (int turns = 0; !first.is_answered && turns != 10; ++turns) loop();

  EXPECT_TRUE(first.is_answered);
  this->io->stop();
}

TYPED_TEST(TurnTest, AChannelIsAttachedOnce) {
  turn loop{this->timers, *this->channel, *this->io};

  EXPECT_THROW((turn{this->timers, *this->channel, *this->io}), std::system_error);
}

// Law C6: an answer that pushes into its own channel wakes nobody, since the owner is awake.
TYPED_TEST(TurnTest, AnAnswerThatPushesIntoItsOwnChannelSignalsNobody) {
  turn loop{this->timers, *this->channel, *this->io};
  waker::wake_event event{*this->channel};
  struct pusher : iosubmit::operation {
    pusher(const ring_entry& what, typename TestFixture::channel_type& channel, waker::wake_node& node)
        : operation{what, &done}, to(channel.sender()), pushed(node) {}
    static void done(ring_answer& self, std::int32_t /*result*/) noexcept {
      auto& mine = static_cast<pusher&>(self);
      mine.came_to = mine.to.push(mine.pushed);
    }
    typename TestFixture::channel_type::sender_type to;
    waker::wake_node& pushed;
    waker::push_result came_to{};
  };
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  std::array<std::byte, 1> byte{};
  pusher first{iosubmit::entries::read(ends[0], byte), *this->channel, event};
  this->io->queue(first);
  std::thread other{[&] {
    std::this_thread::sleep_for(5ms);  // most likely the loop waits by then
    EXPECT_EQ(::write(ends[1], "a", 1), 1);
  }};

  while (!event.is_woken()) loop();
  other.join();
  ::close(ends[0]);
  ::close(ends[1]);

  EXPECT_EQ(first.came_to, waker::push_result::queued);
}

// Law C7: what a policy keeps back leaves all the same, however busy the loop is.
TYPED_TEST(TurnTest, WhatIsQueuedLeavesFromALoopThatIsNeverIdle) {
  turn loop{this->timers, *this->channel, *this->io};
  asked first{iosubmit::entries::nop()};
  this->io->queue(first);
  const instant limit = monotonic_clock::now() + ceil(2s);

  while (!first.is_answered && monotonic_clock::now() < limit) loop(always_ready([] {}));
  const bool has_left = first.is_answered;
  this->io->stop();

  EXPECT_TRUE(has_left);
}

TYPED_TEST(TurnTest, WhatRunThrowsPassesThroughAndTheNextRoundGoesOn) {
  preempt::slicer<preempt::always_due> slices;
  turn loop{this->timers, *this->channel, *this->io, slices};
  int runs = 0;
  const auto throws = always_ready([&] {
    ++runs;
    EXPECT_TRUE(slices.word().is_due());
    EXPECT_TRUE(slices.log().is_slicing());
    if (runs == 1) throw std::runtime_error{"from run"};
  });

  EXPECT_THROW(loop(throws), std::runtime_error);
  EXPECT_FALSE(slices.log().is_slicing());
  loop(throws);

  EXPECT_EQ(runs, 2);
}

// Laws C4 and C7: what was to leave in that round leaves, and I/O is served, however often something throws.
TYPED_TEST(TurnTest, WhereRunThrowsTheIoIsServedAllTheSame) {
  turn loop{this->timers, *this->channel, *this->io};
  asked first{iosubmit::entries::nop()};
  const auto throws = always_ready([&] {
    if (!first.is_waiting()) this->io->queue_urgent(first);
    throw std::runtime_error{"from run"};
  });

  for (int turns = 0; !first.is_answered && turns != 3; ++turns)
    EXPECT_THROW(loop(throws), std::runtime_error);

  EXPECT_TRUE(first.is_answered);
  this->io->stop();
}

}  // namespace
}  // namespace pinion::scheduler
