// SPDX-License-Identifier: Apache-2.0
//
// The samples of use of the executor's headers, word for word, and what each claims.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdio>
#include <pinion/preempt/tsc_budget.hpp>
#include <pinion/scheduler.hpp>
#include <span>
#include <string>
#include <system_error>
#include <vector>

namespace pinion::scheduler {
namespace {

using namespace std::chrono_literals;
using executor = scheduler::executor;

task<> hello() {
  co_await sleep_for(10ms);
  std::puts("hello");
}

TEST(ExecutorSamplesTest, HelloIsAfterTenMilliseconds) {
  const auto begun = std::chrono::steady_clock::now();
  ::testing::internal::CaptureStdout();

  executor loop;
  loop.run(hello());

  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "hello\n");
  EXPECT_GE(std::chrono::steady_clock::now() - begun, 10ms);
}

TEST(ExecutorSamplesTest, AnotherBackendIsAnotherType) {
  struct own_parts : default_parts {
    using source = preempt::tsc_budget;
  };
  basic_executor<own_parts> loop;
  const auto yields = []() -> task<int> {
    for (int k = 0; k != 10'000; ++k) co_await yield();
    co_return 5;
  };
  EXPECT_EQ(loop.run(yields()), 5);
}

task<int> answer() { co_return 42; }

task<> asks() {
  const int here = co_await answer();            // runs it here: a part of this task
  join_handle<int> other = spawn(answer());      // a task beside this one
  std::printf("%d %d\n", here, co_await other);  // waits for its end
}

TEST(ExecutorSamplesTest, ATaskAwaitsAndJoins) {
  ::testing::internal::CaptureStdout();
  executor loop;
  loop.run(asks());
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "42 42\n");
}

TEST(ExecutorSamplesTest, ASleepIsCancelledWithItsTask) {
  bool has_gone_on = false;
  const auto sleeps = [](bool& gone_on) -> task<> {
    const auto slept = co_await sleep_for(250ms);
    if (!slept) co_return;  // the task was cancelled
    gone_on = true;
  };
  const auto sleeps_until = [](instant deadline) -> task<> { co_await sleep_until(deadline); };
  executor loop;
  auto handle = loop.spawn(sleeps(has_gone_on));
  handle.cancel();
  loop.run(sleeps_until(monotonic_clock::now() + ceil(2ms)));

  EXPECT_TRUE(handle.is_over());
  EXPECT_FALSE(has_gone_on);
}

TEST(ExecutorSamplesTest, ALoopEchoesUntilTheOtherEndCloses) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  executor all;
  const auto echoes = [](executor& loop, int socket) -> task<> {
    std::array<std::byte, 64> bytes{};
    auto io = loop.io();
    while (const auto count = co_await with_timeout(5s, io.recv(socket, bytes))) {
      if (*count == 0 || !co_await io.send_all(socket, std::span{bytes}.first(*count))) break;
    }
  };
  ASSERT_EQ(::write(ends[1], "abc", 3), 3);
  ASSERT_EQ(::shutdown(ends[1], SHUT_WR), 0);

  all.run(echoes(all, ends[0]));

  std::array<char, 4> back{};
  EXPECT_EQ(::read(ends[1], back.data(), back.size()), 3);
  EXPECT_STREQ(back.data(), "abc");
  for (const int each : ends) ::close(each);
}

task<int> asks(int server) {
  const auto slept = co_await sleep_for(std::chrono::milliseconds{server});
  if (!slept) throw std::system_error{slept.error()};
  co_return server;
}

TEST(ExecutorSamplesTest, ATimeoutEndsWhatTakesTooLong) {
  int replies = 0;
  const auto waits = [](int server, int& count) -> task<> {
    const auto reply = co_await with_timeout(5s, asks(server));
    if (!reply && reply.error() == std::errc::timed_out) co_return;
    ++count;
  };
  executor loop;
  loop.run(waits(1, replies));
  EXPECT_EQ(replies, 1);
}

int told = 0;
task<> tells(int server) {
  co_await sleep_for(std::chrono::milliseconds{server});
  ++told;
}

TEST(ExecutorSamplesTest, AGroupIsJoined) {
  told = 0;
  const auto spawns = [](const std::vector<int>& servers) -> task<> {
    task_group all;
    for (const int each : servers) all.spawn(tells(each));
    co_await all.join();  // until each is over; throws what the first of them threw
  };
  executor loop;
  const std::vector<int> servers{1, 2, 3};
  loop.run(spawns(servers));
  EXPECT_EQ(told, 3);
}

TEST(ExecutorSamplesTest, AllAndAny) {
  ::testing::internal::CaptureStdout();
  const auto waits = [](int one, int other) -> task<int> {
    const auto [a, b] = co_await when_all(asks(one), asks(other));

    const auto first = co_await when_any(asks(one), asks(other));  // the other one is cancelled, and awaited
    std::printf("%zu: %d\n", first.index, first.value);
    co_return a + b;
  };
  executor loop;
  EXPECT_EQ(loop.run(waits(200, 1)), 201);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "1: 1\n");
}

task<> reads_all(const std::string& files) {
  EXPECT_EQ(files, "all");
  co_return;
}

TEST(ExecutorSamplesTest, QueuesHaveSharesAndLatencies) {
  const std::string files = "all";
  executor loop;
  task_queue& serve = loop.add_queue({.name = "serve", .shares = 900, .latency = ceil(500us)});
  task_queue& index = loop.add_queue({.name = "index", .shares = 100, .quantum = ceil(10ms)});

  loop.spawn_into(index, reads_all(files)).detach();
  loop.run();

  EXPECT_EQ(index.statistics().resumed, 1U);
  EXPECT_EQ(serve.statistics().resumed, 0U);
}

task<int> adds(int one, int other) { co_return one + other; }

TEST(ExecutorSamplesTest, ATaskIsAllThereIs) {
  const int sum = block_on(adds(40, 2));
  EXPECT_EQ(sum, 42);
}

TEST(ExecutorSamplesTest, AnExecutorIsReachedByItsName) {
  bool was_called = false;
  struct sets : waker::wake_call {
    explicit sets(bool& it)
        : wake_call([](wake_call& self) { static_cast<sets&>(self).flag = true; }), flag(it) {}
    bool& flag;
  } call{was_called};
  executor loop;

  const remote_executor worker = loop.remote();
  worker.push(call);
  loop.run_until([&] { return was_called; });

  EXPECT_TRUE(was_called);
}

TEST(ExecutorSamplesTest, ATaskOfAnotherExecutorIsAwaited) {
  int result = 0;
  const auto asks = [](const remote_executor& worker, int& into) -> task<> {
    const auto sum = co_await spawn_on(worker, [] { return adds(40, 2); });
    if (!sum) co_return;  // that executor has ended
    into = *sum;
  };
  {
    const executor_pool pool{{.count = 1}};
    block_on(asks(pool[0], result));
  }
  EXPECT_EQ(result, 42);
}

TEST(ExecutorSamplesTest, APoolHasAnExecutorForEachProcessor) {
  const auto asks = []() -> task<int> {
    executor_pool pool;  // an executor for each processor
    const auto sum = co_await spawn_on(pool[0], [] { return adds(40, 2); });
    EXPECT_EQ(pool.size(), processors_allowed());
    co_return sum.value_or(0);
  };
  EXPECT_EQ(block_on(asks()), 42);
}

}  // namespace
}  // namespace pinion::scheduler
