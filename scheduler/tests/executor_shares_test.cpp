// SPDX-License-Identifier: Apache-2.0
//
// Law E2 in virtual time: shares, latencies, and that a round is bounded.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <pinion/scheduler/executor.hpp>
#include <pinion/sim/virtual_clock.hpp>
#include <pinion/sim/virtual_ring.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "virtual_executor.hpp"

namespace pinion::scheduler {
namespace {

using namespace std::chrono_literals;

using testing::bell;
using testing::quiet_ring;
using testing::virtual_executor;

struct ExecutorSharesTest : ::testing::Test {
  // Until `limit`, in pieces of such a length.
  task<> hogs(duration piece, instant limit) {
    while (clock.time() < limit) {
      clock.advance_by(piece);
      co_await yield();
    }
  }
  task<> hogs_at_random(std::uint64_t seed, duration most, instant limit) {
    std::mt19937_64 random{seed};
    while (clock.time() < limit) {
      clock.advance_by(duration{1 + random() % most.ns});
      co_await yield();
    }
  }

  sim::virtual_clock clock{instant{0}};
  virtual_executor loop{{}, quiet_ring(clock), clock, clock};
};

TEST_F(ExecutorSharesTest, TimeIsAsSharesAre) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    std::mt19937_64 random{seed};
    const instant begun = clock.time();
    const instant limit = begun + ceil(2s);
    std::vector<task_queue*> queues;
    std::vector<duration> ran_before;
    double shares = 0;
    for (std::size_t k = 0, count = 2 + random() % 6; k != count; ++k) {
      queue_options options{.name = std::to_string(k),
                            .shares = 50 + static_cast<std::uint32_t>(random() % 1000),
                            .quantum = duration{100'000 + random() % 2'000'000}};
      if (random() % 3 == 0) options.latency = duration{200'000 + random() % 1'000'000};
      shares += options.shares;
      queues.push_back(&loop.add_queue(options));
      for (std::uint64_t task = 0, tasks = 1 + random() % 5; task != tasks; ++task)
        loop.spawn_into(*queues.back(), hogs_at_random(random(), ceil(30us), limit)).detach();
    }
    loop.run();

    for (const task_queue* each : queues) {
      const double expected = 2e9 * each->options().shares / shares;
      EXPECT_NEAR(static_cast<double>(each->statistics().ran.ns), expected, expected * 0.05)
          << "queue " << each->options().name << " of " << queues.size() << ", seed " << seed;
    }
  }
}

TEST_F(ExecutorSharesTest, WhoSleptDoesNotMakeUpForIt) {
  task_queue& sleeper = loop.add_queue({.name = "sleeper"});
  task_queue& worker = loop.add_queue({.name = "worker"});
  const instant limit = clock.time() + ceil(2s);
  const auto sleeps_first = [](ExecutorSharesTest& test, instant until) -> task<> {
    co_await sleep_for(1s);
    co_await test.hogs(ceil(10us), until);
  };
  loop.spawn_into(sleeper, sleeps_first(*this, limit)).detach();
  loop.spawn_into(worker, hogs(ceil(10us), limit)).detach();
  loop.run();

  EXPECT_NEAR(static_cast<double>(sleeper.statistics().ran.ns), 0.5e9, 0.025e9);
  EXPECT_NEAR(static_cast<double>(worker.statistics().ran.ns), 1.5e9, 0.075e9);
}

// How late a task is run that is woken in bursts by a hog, beside hogs of another queue. In a burst it takes
// more than its shares.
TEST_F(ExecutorSharesTest, ALatencyHolds) {
  static constexpr duration latency{500'000}, piece{20'000}, work{40'000};
  task_queue& serves = loop.add_queue({.name = "serves", .shares = 10, .latency = latency});
  task_queue& also = loop.add_queue({.name = "also", .shares = 10, .latency = ceil(700us)});
  task_queue& batch = loop.add_queue({.name = "batch", .shares = 1000, .quantum = ceil(10ms)});
  const instant limit = clock.time() + ceil(5s);
  bell rings;
  duration worst{0};
  int times = 0;
  const auto hears = [](ExecutorSharesTest& test, instant until, bell& by, duration& latest,
                        int& count) -> task<> {
    for (; test.clock.time() < until; ++count) {
      co_await by;
      latest = std::max(latest, test.clock.time() - by.rung);
      test.clock.advance_by(work);
    }
  };
  const auto hogs_and_rings = [](ExecutorSharesTest& test, instant until, bell& who) -> task<> {
    std::mt19937_64 random{11};
    while (test.clock.time() < until || who.who) {
      test.clock.advance_by(piece);
      const bool is_burst = test.clock.time().ns / 1'000'000 % 100 < 8;
      if (who.who && (test.clock.time() >= until || (is_burst && random() % 30 == 0))) {
        who.rung = test.clock.time();
        who.who.go_on();
      }
      co_await yield();
    }
  };
  loop.spawn_into(serves, hears(*this, limit, rings, worst, times)).detach();
  loop.spawn_into(batch, hogs_and_rings(*this, limit, rings)).detach();
  for (task_queue* each : {&also, &batch})
    for (int k = 0; k != 3; ++k) loop.spawn_into(*each, hogs(piece, limit)).detach();
  loop.run();

  EXPECT_GT(times, 100);
  EXPECT_LE(worst.ns, (latency + preempt::quantum_min + piece).ns);
}

TEST_F(ExecutorSharesTest, ARoundIsBoundedAndOneTaskRunsInEach) {
  virtual_executor small{{.tasks_a_slice = 10}, quiet_ring(clock), clock, clock};
  int resumed = 0;
  bool is_over = false;
  const auto yields = [](int& count, const bool& over) -> task<> {
    while (!over) {
      ++count;
      co_await yield();
    }
  };
  for (int k = 0; k != 3; ++k) small.spawn(yields(resumed, is_over)).detach();

  int rounds = 0;
  small.run_until([&] { return ++rounds > 5; });
  EXPECT_EQ(resumed, 50) << "ten in each of five rounds, though no time passes";
  is_over = true;
  small.run();
}

TEST_F(ExecutorSharesTest, ARoundHasASliceOfEachQueueThatIsReady) {
  task_queue& other = loop.add_queue({.name = "other"});
  const auto one = loop.spawn(hogs(ceil(10us), instant{1}));
  const auto two = loop.spawn_into(other, hogs(ceil(10us), instant{1}));

  int rounds = 0;
  loop.run_until([&] { return ++rounds > 1; });

  EXPECT_TRUE(one.is_over());
  EXPECT_TRUE(two.is_over());
}

}  // namespace
}  // namespace pinion::scheduler
