// SPDX-License-Identifier: Apache-2.0
//
// A store with a clock: chrono, callbacks, payloads that only move, slack, and the host's timeout.
#include <gtest/gtest.h>

#include <chrono>
#include <concepts>
#include <limits>
#include <memory>
#include <pinion/timer.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "allocations.hpp"
#include "virtual_time.hpp"

namespace pinion::timer {
namespace {

using namespace std::chrono_literals;
using testing::virtual_clock;
using callback = inline_function<void()>;

template <class Value>
using exact_queue = timer_queue<ordered_map<Value>, virtual_clock>;
using callbacks = timer_queue<deferred_wheel<callback>, virtual_clock>;
using hooks = timer_queue<call_wheel, virtual_clock>;

template <class Queue, class... Arguments>
concept takes_after = requires(Queue& q, Arguments... arguments) { q.after(std::move(arguments)...); };
template <class Queue, class... Arguments>
concept takes_at = requires(Queue& q, Arguments... arguments) { q.at(std::move(arguments)...); };
template <class Queue> concept can_run = requires(Queue& q) { q.run(); };
template <class Store> concept has_queue = requires { sizeof(timer_queue<Store>); };
struct too_large {
  char bytes[100];
  void operator()() const {}
};

static_assert(takes_after<callbacks, std::chrono::seconds, void (*)()>);
static_assert(takes_after<callbacks, duration, void (*)(), std::chrono::milliseconds>, "with slack");
static_assert(!takes_after<callbacks, int, void (*)()>, "a number is no delay");
static_assert(!takes_after<callbacks, instant, void (*)()>, "a point is no delay");
static_assert(!takes_at<callbacks, std::chrono::seconds, void (*)()>, "a delay is no point");
static_assert(!takes_at<callbacks, std::chrono::system_clock::time_point, void (*)()>);
static_assert(!takes_after<callbacks, std::chrono::seconds, too_large>, "no heap unless it is said");
static_assert(takes_after<callbacks, std::chrono::seconds, boxed_function<too_large>>);
static_assert(!std::copy_constructible<callbacks> && !std::move_constructible<callbacks>);
static_assert(can_run<callbacks> && can_run<hooks> && can_run<timer_queue<bitmap_wheel>>);
static_assert(!can_run<exact_queue<std::string>>, "only what can be called is run");
static_assert(has_queue<ordered_map<int>> && has_queue<call_wheel> && !has_queue<std::vector<int>>);
static_assert(std::same_as<timer_queue<deferred_wheel<int>>::clock_type, monotonic_clock>);

TEST(timer_queue, ArmsForDelaysAndPointsPushesOnAndCancels) {
  instant time{1'000};
  exact_queue<std::string> timers{virtual_clock{&time}};
  std::string fired;
  const auto run_at = [&](instant t) {
    time = t;
    return timers.poll(unlimited, [&](handle, instant, std::string&& s) { fired += s; });
  };

  timers.after(1us, "after ");
  timers.at(instant{1'500}, "at ");
  timers.at(std::chrono::steady_clock::time_point{1'600ns}, "steady ");
  const handle pushed = timers.after(duration{10}, "pushed ");
  const handle dropped = timers.after(duration{10}, "dropped ");
  EXPECT_TRUE(timers.push_on(pushed, 2us));
  EXPECT_EQ(timers.cancel(dropped), "dropped ");
  EXPECT_FALSE(timers.push_on(dropped, 2us));

  run_at(instant{1'999});
  EXPECT_EQ(fired, "at steady ");
  run_at(instant{2'000});
  EXPECT_EQ(fired, "at steady after ");
  run_at(instant{3'000});
  EXPECT_EQ(fired, "at steady after pushed ");
  EXPECT_EQ(timers.size(), 0U);
}

TEST(timer_queue, ADelayCountsFromTheClockNotFromTheLastPoll) {
  instant time{0};
  exact_queue<int> timers{virtual_clock{&time}};

  time = instant{1'000};  // a long turn
  timers.after(duration{10}, 1);

  EXPECT_EQ(timers.next_wakeup(), instant{1'010});
  EXPECT_EQ(timers.latest(), instant{0});
}

TEST(timer_queue, HandsOutPayloadsThatOnlyMove) {
  instant time{0};
  exact_queue<std::unique_ptr<int>> timers{virtual_clock{&time}};
  timers.after(1ns, std::make_unique<int>(7));
  const handle h = timers.after(2ns, std::make_unique<int>(8));
  time = instant{1};

  std::unique_ptr<int> fired;
  timers.poll(unlimited, [&](handle, instant, std::unique_ptr<int>&& p) { fired = std::move(p); });
  const auto cancelled_one = timers.cancel(h);

  ASSERT_NE(fired, nullptr);
  EXPECT_EQ(*fired, 7);
  ASSERT_TRUE(cancelled_one);
  EXPECT_EQ(**cancelled_one, 8);
}

TEST(timer_queue, RunsCallbacksThatOwnWhatTheyNeedAtMostABudgetATurn) {
  instant time{0};
  callbacks timers{virtual_clock{&time}};
  int sum = 0;
  for (int k = 1; k <= 3; ++k) {
    timers.after(5ms, [&sum, owned = std::make_unique<int>(k)] { sum += *owned; });
  }
  time = instant{} + ceil(7ms);

  const poll_result first = timers.run(2);
  const poll_result second = timers.run();

  EXPECT_EQ(first.fired, 2U);
  EXPECT_TRUE(first.more);
  EXPECT_EQ(second.fired, 1U);
  EXPECT_EQ(sum, 6);
}

TEST(timer_queue, WhatACallbackArmsWaitsForTheNextRunAndWhatItThrowsLosesNothing) {
  instant time{0};
  exact_queue<callback> timers{virtual_clock{&time}};
  int runs = 0;
  timers.at(instant{0}, [&] {
    ++runs;
    timers.at(instant{0}, [&] { ++runs; });
    throw std::runtime_error{"from a callback"};
  });
  timers.at(instant{0}, [&] { runs += 10; });

  EXPECT_THROW(timers.run(), std::runtime_error);
  EXPECT_EQ(runs, 1);
  timers.run();
  EXPECT_EQ(runs, 12) << "the other due one, and what was armed before this run";
}

TEST(timer_queue, TimeoutsAreRoundedUpAndNeverIsNoTimeout) {
  instant time{0};
  exact_queue<int> timers{virtual_clock{&time}};
  EXPECT_EQ(timers.timeout(), std::nullopt);
  EXPECT_EQ(timers.timeout_ms(), -1);

  timers.at(instant{1'000'001}, 1);
  EXPECT_EQ(timers.timeout(), 2ms);
  EXPECT_EQ(timers.timeout_ms(), 2);
  EXPECT_EQ(timers.timeout<std::chrono::microseconds>(), 1'001us);
  time = instant{1};
  EXPECT_EQ(timers.timeout_ms(), 1);
  time = instant{5'000'000};
  EXPECT_EQ(timers.timeout_ms(), 0) << "due";
  timers.clear();
  timers.at(instant{never.ns - 1}, 1);
  EXPECT_EQ(timers.timeout_ms(), std::numeric_limits<int>::max());
  timers.clear();
  timers.at(never, 1);
  EXPECT_EQ(timers.timeout_ms(), -1) << "kept, and never fires";
}

TEST(timer_queue, SlackMakesTimersShareAWakeupAndIsNeverEarly) {
  instant time{1'000'000'000};
  exact_queue<instant> timers{virtual_clock{&time}};
  for (std::uint64_t k = 0; k < 100; ++k) {
    const duration delay_k = ceil(100ms) + duration{k * 777'777};
    timers.after(delay_k, time + delay_k, 200ms);
  }

  std::size_t wakeups = 0;
  while (timers.next_wakeup() != never) {
    time = timers.next_wakeup();
    ++wakeups;
    timers.poll(unlimited, [&](handle, instant, instant&& asked) {
      EXPECT_LE(asked, time);
      EXPECT_LE(time, asked + ceil(200ms));
    });
  }

  EXPECT_EQ(timers.size(), 0U);
  EXPECT_LE(wakeups, 2U) << "a hundred timers in 77 ms";
}

TEST(timer_queue, PushingOnIsOneStoreWhereTheStoreDefers) {
#if PINION_CHECKED
  instant time{0};
  callbacks timers{virtual_clock{&time}};
  std::vector<handle> idle;
  for (int k = 0; k < 1'000; ++k) idle.push_back(timers.after(30s, [] {}));
  const std::uint64_t work = timers.backend().work();
  const std::size_t entries = timers.backend().entries();

  for (int round = 1; round <= 10; ++round) {
    time = instant{} + ceil(std::chrono::seconds{round});
    for (const handle h : idle) ASSERT_TRUE(timers.push_on(h, 30s));
  }

  EXPECT_EQ(timers.backend().work() - work, 10'000U) << "one timer touched each, no bucket";
  EXPECT_EQ(timers.backend().entries(), entries) << "nothing placed, no garbage";
#else
  GTEST_SKIP() << "work is counted only in a checked build";
#endif
}

TEST(timer_queue, AfterReserveNothingAllocates) {
  instant time{0};
  callbacks timers{virtual_clock{&time}};
  timers.reserve(100);
  const std::size_t before = pinion::testing::allocations_so_far();

  for (int round = 0; round < 20; ++round) {
    for (int k = 0; k < 100; ++k)
      timers.after(std::chrono::milliseconds{k}, [&time] { static_cast<void>(time); });
    time = time + ceil(1s);
    timers.run();
  }

  EXPECT_EQ(pinion::testing::allocations_so_far(), before);
  EXPECT_EQ(timers.size(), 0U);
}

TEST(timer_queue, OverHooksItArmsMovesCancelsAndRunsTheCallersObjects) {
  instant time{0};
  hooks timers{virtual_clock{&time}};
  int runs = 0;
  timer_call a{[](timer_call& c) { ++*static_cast<int*>(c.context); }, &runs};
  timer_call b{a.waker, &runs};
  timer_call silent;

  timers.after(10ms, a);
  timers.at(instant{} + ceil(20ms), b);
  timers.after(10ms, silent);
  EXPECT_TRUE(timers.push_on(a, 40ms));
  EXPECT_EQ(timers.size(), 3U);
  EXPECT_TRUE(timers.cancel(b));
  EXPECT_FALSE(timers.push_on(b, 1ms));
  time = instant{} + ceil(39ms);
  timers.run();
  EXPECT_EQ(runs, 0);
  time = instant{} + ceil(42ms);
  EXPECT_EQ(timers.run().fired, 1U);

  EXPECT_EQ(runs, 1);
  EXPECT_EQ(timers.timeout(), std::nullopt);
}

TEST(timer_queue, NamingAHookThatIsArmedInAnotherQueueIsAViolation) {
  if (!is_checked) GTEST_SKIP() << "expects a contract violation: only in a checked build";
  instant time{0};
  hooks timers{virtual_clock{&time}};
  hooks other{virtual_clock{&time}};
  timer_call wake;
  other.after(10ms, wake);

  EXPECT_DEATH(timers.after(5ms, wake), "a hook is armed in another wheel");
  EXPECT_DEATH(timers.push_on(wake, 5ms), "a hook is armed in another wheel");
  EXPECT_DEATH(timers.cancel(wake), "a hook is armed in another wheel");
}

}  // namespace
}  // namespace pinion::timer
