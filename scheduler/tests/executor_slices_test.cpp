// SPDX-License-Identifier: Apache-2.0
//
// Which slice is next and how long it is, in virtual time, under each cell.
#include <gtest/gtest.h>

#include <algorithm>
#include <allocations.hpp>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <pinion/scheduler/executor.hpp>
#include <pinion/sim/virtual_clock.hpp>
#include <string>
#include <utility>
#include <vector>

#include "virtual_executor.hpp"

namespace pinion::scheduler {
namespace {

using namespace std::chrono_literals;
using testing::bell;

template <class Cell>
struct ExecutorSlicesTest : ::testing::Test {
  using executor = testing::virtual_executor_by<Cell>;

  // Until the slice that runs is over.
  duration left() { return loop.slicer().source().until() - clock.time(); }
  // Takes so much time in each piece, until then, and tells when it ran.
  task<> hogs(duration piece, instant limit) {
    while (clock.time() < limit) {
      clock.advance_by(piece);
      co_await yield();
    }
  }
  task<> notes(std::vector<std::string>& into, const char* name) {
    into.emplace_back(name);
    co_return;
  }
  task<duration> tells_what_is_left() { co_return left(); }

  sim::virtual_clock clock{instant{1'000'000'000}};
  executor loop{{}, testing::quiet_ring(clock), clock, clock};
};
using both_cells = ::testing::Types<unchecked_cell, checked_cell>;
TYPED_TEST_SUITE(ExecutorSlicesTest, both_cells, );

TYPED_TEST(ExecutorSlicesTest, ASliceIsAsLongAsTheQuantumOfItsQueue) {
  task_queue& brief = this->loop.add_queue({.name = "brief", .quantum = ceil(100us)});
  auto in_main = this->loop.spawn(this->tells_what_is_left());
  auto in_brief = this->loop.spawn_into(brief, this->tells_what_is_left());

  this->loop.run();

  EXPECT_EQ(in_main.take(), ceil(1ms));
  EXPECT_EQ(in_brief.take(), ceil(100us));
  EXPECT_EQ(brief.statistics().slices, 1U);
}

// The times of the first tasks are those at which they became ready, though no slice was before.
TYPED_TEST(ExecutorSlicesTest, ALatencyBeginsWhenATaskBecomesReadyAndIsNoPriority) {
  std::vector<std::string> seen;
  task_queue& serves = this->loop.add_queue({.name = "serves", .latency = ceil(500us)});
  this->loop.spawn(this->notes(seen, "main")).detach();
  this->loop.spawn_into(serves, this->notes(seen, "serves")).detach();

  this->loop.run();

  EXPECT_EQ(seen, (std::vector<std::string>{"main", "serves"}));
}

// It has used more by its shares than the others, and so it waits for as long as it may.
TYPED_TEST(ExecutorSlicesTest, WhoComesBackAheadOfItsSharesWaitsItsLatencyAndTheSliceBeforeEndsThen) {
  static constexpr duration latency{500'000}, slice{100'000}, piece{20'000};
  task_queue& serves = this->loop.add_queue({.name = "serves", .shares = 10, .latency = latency});
  task_queue& batch = this->loop.add_queue({.name = "batch", .shares = 1000, .quantum = slice});
  bell rings;
  instant heard = never;
  const auto hears = [](auto& test, bell& by, instant& at) -> task<> {
    test.clock.advance_by(duration{40'000});  // 4 ms of the other's
    co_await by;
    at = test.clock.time();
  };
  const auto rings_once = [](auto& test, bell& who) -> task<> {
    const instant begun = test.clock.time();
    while (test.clock.time() < begun + ceil(1100us)) {
      test.clock.advance_by(piece);
      co_await yield();
    }
    who.rung = test.clock.time();
    who.who.go_on();
    co_await test.hogs(piece, begun + ceil(3ms));
  };
  this->loop.spawn_into(serves, hears(*this, rings, heard)).detach();
  this->loop.spawn_into(batch, rings_once(*this, rings)).detach();

  this->loop.run();

  EXPECT_GE((heard - rings.rung).ns, (latency - slice - piece).ns) << "counted since the last slice's end";
  EXPECT_LE((heard - rings.rung).ns, (latency + preempt::quantum_min + piece).ns);
}

// A latency is counted from the end of its queue's last slice, and else it is one of the queues.
TYPED_TEST(ExecutorSlicesTest, AQueueWithALatencyThatIsAlwaysReadyTakesTurns) {
  task_queue& serves = this->loop.add_queue({.name = "serves", .quantum = ceil(100us), .latency = ceil(5ms)});
  const instant limit = this->clock.time() + ceil(30ms);
  duration longest{0};
  const auto looks = [](auto& test, instant until, duration& most) -> task<> {
    while (test.clock.time() < until) {
      const instant before = test.clock.time();
      co_await yield();
      most = std::max(most, test.clock.time() - before);
      test.clock.advance_by(ceil(100us));
    }
  };
  this->loop.spawn_into(serves, this->hogs(ceil(20us), limit)).detach();
  this->loop.spawn(looks(*this, limit, longest)).detach();

  this->loop.run();

  EXPECT_LE(longest, ceil(1ms));
}

// Two are due, one after the other, and neither has used the least.
TYPED_TEST(ExecutorSlicesTest, OfTwoThatAreDueTheSoonestIsNext) {
  std::vector<std::string> seen;
  std::vector<bell> rings(3);
  const auto hears = [](auto& test, bell& by, std::vector<std::string>& into, const char* name) -> task<> {
    test.clock.advance_by(duration{40'000});  // so the other queue has used less for 4 ms
    co_await by;
    into.emplace_back(name);
  };
  const std::vector<std::pair<const char*, duration>> all{
      {"later", ceil(700us)}, {"sooner", ceil(500us)}, {"last", ceil(900us)}};
  for (std::size_t k = 0; k != all.size(); ++k) {
    task_queue& queue = this->loop.add_queue({.name = all[k].first, .shares = 10, .latency = all[k].second});
    this->loop.spawn_into(queue, hears(*this, rings[k], seen, all[k].first)).detach();
  }
  task_queue& batch = this->loop.add_queue({.name = "batch", .shares = 1000, .quantum = ceil(10ms)});
  const auto rings_all = [](auto& test, std::vector<bell>& who) -> task<> {
    for (bell& each : who) {
      while (!each.who) co_await test.hogs(ceil(20us), test.clock.time() + ceil(20us));
    }
    for (bell& each : who) each.who.go_on();
    co_await test.hogs(ceil(2ms), test.clock.time() + ceil(2ms));
  };
  this->loop.spawn_into(batch, rings_all(*this, rings)).detach();

  this->loop.run();

  EXPECT_EQ(seen, (std::vector<std::string>{"sooner", "later", "last"}));
}

TYPED_TEST(ExecutorSlicesTest, ASliceThatALatencyEndsIsEndedByATimerBeforeThat) {
  task_queue& serves = this->loop.add_queue({.name = "serves", .shares = 10, .latency = ceil(100ms)});
  task_queue& batch = this->loop.add_queue({.name = "batch", .shares = 1000, .quantum = ceil(1s)});
  const auto sleeps = []() -> task<> { co_await sleep_for(5ms); };
  this->loop.spawn(sleeps()).detach();
  int rounds = 0;
  this->loop.run_until([&] { return ++rounds > 1; });
  // Both queues are ready, and batch has used less.
  this->loop.spawn_into(serves, this->hogs(ceil(40us), this->clock.time() + ceil(20ms))).detach();
  std::vector<duration> lengths;
  const auto measures = [](auto& test, std::vector<duration>& into) -> task<> {
    for (int k = 0; k != 3; ++k) {
      into.push_back(test.left());
      test.clock.advance_by(into.back());
      co_await yield();
    }
  };
  this->loop.spawn_into(batch, measures(*this, lengths)).detach();

  this->loop.run();

  ASSERT_EQ(lengths.size(), 3U);
  EXPECT_LE(lengths[0], ceil(10ms)) << "a timer is due in 5 ms, and a latency over in 100";
}

TYPED_TEST(ExecutorSlicesTest, NoQueueIsMadeReadyByAnAllocation) {
  std::vector<task_queue*> queues;
  std::vector<task<>> tasks;
  for (int k = 0; k != 40; ++k) {
    queues.push_back(&this->loop.add_queue({.name = std::to_string(k)}));
    tasks.push_back(this->hogs(ceil(10us), instant{1}));
  }
  const std::size_t before = pinion::testing::allocations_so_far();
  for (std::size_t k = 0; k != queues.size(); ++k)
    this->loop.spawn_into(*queues[k], std::move(tasks[k])).detach();

  EXPECT_EQ(pinion::testing::allocations_so_far(), before);
  this->loop.run();
}

TYPED_TEST(ExecutorSlicesTest, TheSourceRestsWhereNothingIsToRun) {
  const auto sleeps = []() -> task<> { co_await sleep_for(5ms); };

  this->loop.run(sleeps());

  EXPECT_GE(this->loop.slicer().source().rests(), 1);
}

}  // namespace
}  // namespace pinion::scheduler
