// SPDX-License-Identifier: Apache-2.0
//
// The samples of use of headers that take several parts, word for word, and what each claims.
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <pinion/iosubmit.hpp>
#include <pinion/preempt.hpp>
#include <pinion/scheduler.hpp>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>
#include <thread>
#include <utility>

#include "small_executor.hpp"

namespace pinion::scheduler {
namespace {

using waker::epoll_set;
using namespace std::chrono_literals;

struct SamplesTest : ::testing::Test {
  void SetUp() override {
    auto ring = iosubmit::open_ring();
    if (!ring) GTEST_SKIP() << to_string(ring.error());
    io_.emplace(std::move(*ring));
  }
  void TearDown() override {
    if (epoll >= 0) ::close(epoll);
  }

  int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  timer::timer_queue<timer::call_wheel> timers;
  std::optional<iosubmit::submission<iosubmit::default_policy, iosubmit::default_ring>> io_;
  waker::default_channel channel;
  testing::small_executor tasks;
};

TEST_F(SamplesTest, ALoopIsATurnUntilItIsDone) {
  auto& io = *io_;
  bool done = false;
  const auto sleeper = [&]() -> testing::task {
    co_await timer::sleep_for(timers, 1ms);
    done = true;
  };
  testing::task all = sleeper();
  tasks.spawn(all);

  turn loop{timers, channel, io};
  while (!done) loop(tasks);  // tasks: anything with has_ready() and run()

  EXPECT_TRUE(all.is_done());
}

TEST_F(SamplesTest, AnEpollLoopWaitsBetweenTwoCalls) {
  constexpr int room = 4;
  waker::epoll_set watched{epoll};
  turn loop{timers, channel, watched};
  epoll_event events[room]{};
  waker::wake_event event{channel};
  channel.sender().push(event);
  const bool could_wait = loop.prepare(tasks) != instant{};
  loop.woke();

  const instant until = loop.prepare(tasks);
  channel.sender().push(event);
  const int count = epoll_wait(epoll, events, room, poll_timeout(until));
  loop.woke();
  channel.drain(waker::call_wakes);

  EXPECT_FALSE(could_wait) << "something was drained";
  EXPECT_EQ(count, 1);
}

TEST_F(SamplesTest, ANotifierIsAttachedToARingAndToAnEpoll) {
  auto& io = *io_;
  {
    const auto in_ring = channel.notifier().attach(io);  // io: a submission
    channel.notifier().signal();
    io.park(never);
  }
  const auto in_epoll = channel.notifier().attach(epoll_set{epoll});
  channel.notifier().signal();
  epoll_event event{};

  EXPECT_EQ(::epoll_wait(epoll, &event, 1, -1), 1);
}

TEST(UringSamplesTest, ASignalIsACompletionInTheOwnersSubmission) {
  using namespace waker;
  using submission = iosubmit::submission<iosubmit::batch_or_idle, iosubmit::uring_ring>;
  auto ring = iosubmit::uring_ring::open({}), other = iosubmit::uring_ring::open({});
  if (!ring || !other) GTEST_SKIP() << to_string((ring ? other : ring).error());
  submission io{std::move(*ring)}, own_io{std::move(*other)};
  ASSERT_TRUE(io.own() && own_io.own());
  const instant next_deadline = monotonic_clock::now() + ceil(10s);
  wake_node task;
  int ran = 0;
  const auto run = [&](wake_node&) { ++ran; };

  wake_channel<tagged_inbox, msg_ring_notifier> channel{io};  // io: the owner's submission
  auto attached = channel.notifier().attach(io);              // has it watch the eventfd
  const auto sender = channel.sender();
  const auto turn = [&] {
    channel.drain(run);  // the owner's turn, or scheduler's turn.hpp
    const bool may_wait = attached.renew() && channel.try_arm();
    io.park(may_wait ? next_deadline : instant{});
    channel.disarm();
    return may_wait;
  };
  const auto any_thread = [&] {
    sender.push(task);  // any thread
  };
  const auto rings_owner = [&] {
    sender.push(task, own_io);  // a ring's owner, with its next submission
  };

  ASSERT_TRUE(channel.try_arm());
  std::thread{any_thread}.join();
  EXPECT_TRUE(turn());
  EXPECT_EQ(ran, 1);
  ASSERT_TRUE(channel.try_arm());
  rings_owner();
  EXPECT_EQ(own_io.depth(), 1U) << "the signal is an entry of that ring";
  own_io.submit();
  EXPECT_TRUE(turn());

  EXPECT_EQ(ran, 2);
  EXPECT_LT(io.now(), next_deadline) << "each signal ended a wait";
}

TEST(UringSamplesTest, AUringSourceEndsASliceByItself) {
  using preempt::uring_source;
  auto ring = iosubmit::uring_ring::open({});
  if (!ring) GTEST_SKIP() << to_string(ring.error());
  constexpr std::uint32_t needed = kernel::setup::defer_taskrun | kernel::setup::taskrun_flag;
  if ((ring->features().setup_flags & needed) != needed) GTEST_SKIP() << "a ring without DEFER_TASKRUN";
  iosubmit::submission<iosubmit::batch_or_idle, iosubmit::uring_ring> io{std::move(*ring)};
  const instant now = monotonic_clock::now();
  constexpr duration quantum = ceil(1ms);
  int queue = 0;
  bool has_ended = false;
  const auto run = [&](int& runs, const preempt::word& word) {
    for (const instant limit = now + ceil(10s); !word.is_due() && monotonic_clock::now() < limit;) ++runs;
    has_ended = word.is_due();
  };

  uring_source source{io};           // io: a submission over iosubmit's uring_ring
  source.begin(now, now + quantum);  // nothing, or queues the timeout, and submits it
  run(queue, source.word());
  source.rest();  // one store

  EXPECT_TRUE(has_ended);
  EXPECT_FALSE(source.needs_submit());
}

struct SyncSamplesTest : ::testing::Test {
  template <class Body>
  testing::task& begin(Body& body) {
    testing::task& one = all.emplace_back(body());
    tasks.spawn(one);
    tasks.run();
    return one;
  }
  std::deque<testing::task> all;
  testing::small_executor tasks;
};

TEST_F(SyncSamplesTest, AnEventLetsAllGoOn) {
  event opened;
  const auto body = [&]() -> testing::task {
    const auto waited = co_await opened.wait();
    if (!waited) co_return;
  };
  const testing::task &one = begin(body), &two = begin(body);
  EXPECT_FALSE(one.is_done() || two.is_done());

  opened.set();
  tasks.run();

  EXPECT_TRUE(one.is_done() && two.is_done());
}

TEST_F(SyncSamplesTest, NobodyElseWritesMeanwhile) {
  mutex writing;
  cancel_slot shutdown;
  event written;
  int file = 0, most = 0, writers = 0;
  const auto write_all = [&](int& to) -> testing::task {
    most = std::max(most, ++writers);
    if (co_await written.wait()) ++to;
    --writers;
  };
  const auto body = [&]() -> testing::task {
    auto guard = co_await writing.lock(shutdown);  // shutdown: a cancel_slot
    if (!guard) co_return;                         // cancelled
    co_await write_all(file);                      // nobody else writes meanwhile
  };
  begin(body);
  begin(body);

  written.set();
  tasks.run();

  EXPECT_EQ(file, 2);
  EXPECT_EQ(most, 1);
}

TEST_F(SyncSamplesTest, UnitsAreGivenBackWithTheirHolder) {
  semaphore memory{64'000};
  constexpr std::size_t size = 1'000;
  const auto body = [&]() -> testing::task {
    auto held = co_await memory.hold(size);
    if (!held) co_return;
    EXPECT_EQ(memory.available(), 63'000U);
  };

  EXPECT_TRUE(begin(body).is_done());

  EXPECT_EQ(memory.available(), 64'000U);
}

TEST_F(SyncSamplesTest, AGateIsClosedWhenAllHaveLeft) {
  gate requests;
  cancel_slot shutdown;
  event answered;
  const auto request = [&]() -> testing::task {
    auto inside = requests.enter();
    if (!inside) co_return;
    if (!co_await answered.wait()) co_return;
  };
  const auto server = [&]() -> testing::task {
    auto over = co_await requests.close(shutdown);
    EXPECT_TRUE(over);
  };
  const testing::task &one = begin(request), &end = begin(server), &late = begin(request);
  EXPECT_TRUE(late.is_done());
  EXPECT_FALSE(one.is_done() || end.is_done());

  answered.set();
  tasks.run();

  EXPECT_TRUE(one.is_done() && end.is_done());
}

TEST_F(SyncSamplesTest, AChannelLeadsFromTaskToTask) {
  struct job {
    int number = 0;
  };
  channel<job, 16> jobs;
  int sum = 0;
  const auto run = [&](const job& one) { sum += one.number; };
  const auto sender = [&]() -> testing::task {
    for (int number = 1; number != 101; ++number) {
      job next{number};
      const auto sent = co_await jobs.send(std::move(next));
      if (!sent) co_return;
    }
    jobs.close();
  };
  const auto receiver = [&]() -> testing::task {
    while (auto job = co_await jobs.receive()) run(*job);
  };

  const testing::task &from = begin(sender), &to = begin(receiver);

  EXPECT_TRUE(from.is_done() && to.is_done());
  EXPECT_EQ(sum, 5'050);
}

}  // namespace
}  // namespace pinion::scheduler
