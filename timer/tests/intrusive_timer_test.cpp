// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <pinion/timer.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "allocations.hpp"
#include "virtual_time.hpp"

namespace pinion::timer {
namespace {

using namespace std::chrono_literals;
using testing::virtual_clock;
using queue = timer_queue<call_wheel, virtual_clock>;
using timer = intrusive_timer<queue>;

struct connection {
  explicit connection(queue& timers) : idle(timers, calls<&connection::timed_out>, *this) {}
  void timed_out() {
    ++timeouts;
    if (on_timeout) on_timeout();
  }
  int timeouts = 0;
  std::function<void()> on_timeout;
  timer idle;
};

template <class Timer, class When> concept arms_for = requires(Timer& t, When w) { t.arm(w); };
struct plain_hook : timer_hook {};

static_assert(!std::copy_constructible<timer> && !std::move_constructible<timer> &&
              !std::is_move_assignable_v<timer>);
static_assert(!std::move_constructible<connection>, "what a pinned timer is part of is pinned");
static_assert(
    std::is_nothrow_constructible_v<timer, queue&, calls_function<&connection::timed_out>, connection&>);
static_assert(!std::constructible_from<timer, queue&, calls_function<&connection::timed_out>, int&>,
              "what is called must take the context");
static_assert(!std::constructible_from<timer, queue&, calls_function<&connection::timeouts>, const int&>);
static_assert(arms_for<timer, std::chrono::seconds> && arms_for<timer, duration> && arms_for<timer, instant>);
static_assert(arms_for<timer, std::chrono::steady_clock::time_point>);
static_assert(!arms_for<timer, int> && !arms_for<timer, std::chrono::system_clock::time_point>);
static_assert(arms_for<intrusive_timer<call_wheel>, instant>);
static_assert(!arms_for<intrusive_timer<call_wheel>, std::chrono::seconds>,
              "a store has no clock to count from");
static_assert(takes_calling_hooks<bitmap_wheel>);
static_assert(!takes_calling_hooks<hook_wheel<plain_hook, bitmap_wheel::levels_type>>,
              "says not what to call");
static_assert(!takes_calling_hooks<ordered_map<int>>);
static_assert(sizeof(void*) != 8 || sizeof(timer) == 64, "one cache line");

TEST(intrusive_timer, CallsItsOwnersFunctionOnceWhenItIsDue) {
  instant time{};
  queue timers{virtual_clock{&time}};
  connection c{timers};
  const std::size_t before = pinion::testing::allocations_so_far();

  c.idle.arm(10ms);
  EXPECT_TRUE(c.idle.is_armed());
  EXPECT_EQ(c.idle.deadline(), instant{} + ceil(10ms));
  time = instant{} + ceil(9ms);
  timers.run();
  EXPECT_EQ(c.timeouts, 0);
  time = instant{} + ceil(12ms);
  timers.run();
  timers.run();

  EXPECT_EQ(c.timeouts, 1);
  EXPECT_FALSE(c.idle.is_armed());
  EXPECT_EQ(pinion::testing::allocations_so_far(), before);
}

TEST(intrusive_timer, ArmingAgainMovesItAndPushingOnDoesNotBringItBack) {
  instant time{};
  queue timers{virtual_clock{&time}};
  connection c{timers};

  EXPECT_FALSE(c.idle.push_on(10ms));
  c.idle.arm(10ms);
  c.idle.arm(50ms);
  EXPECT_TRUE(c.idle.push_on(100ms));
  time = instant{} + ceil(99ms);
  timers.run();
  EXPECT_EQ(c.timeouts, 0);
  EXPECT_TRUE(c.idle.cancel());
  EXPECT_FALSE(c.idle.cancel());
  time = instant{} + ceil(200ms);
  timers.run();

  EXPECT_EQ(c.timeouts, 0);
  EXPECT_EQ(timers.size(), 0U);
}

TEST(intrusive_timer, PushingOnIsOneStore) {
#if PINION_CHECKED
  instant time{};
  queue timers{virtual_clock{&time}};
  connection c{timers};
  c.idle.arm(30s);
  const std::uint64_t work = timers.backend().work();

  for (int round = 1; round <= 20; ++round) {
    time = instant{} + ceil(std::chrono::seconds{round});
    c.idle.arm(30s);
  }

  EXPECT_EQ(timers.backend().work() - work, 20U) << "the timer touched each time, no list";
#else
  GTEST_SKIP() << "work is counted only in a checked build";
#endif
}

TEST(intrusive_timer, SlackMovesItToARoundTime) {
  instant time{};
  queue timers{virtual_clock{&time}};
  connection c{timers};

  c.idle.arm(instant{1'000}, duration{100});

  EXPECT_EQ(c.idle.deadline(), instant{1'024});
}

TEST(intrusive_timer, DestroyingItCancelsEvenWhereItIsDueInTheSamePoll) {
  instant time{};
  queue timers{virtual_clock{&time}};
  connection first{timers};
  auto second = std::make_unique<connection>(timers);
  auto third = std::make_unique<connection>(timers);
  first.idle.arm(1ms);
  second->idle.arm(1ms);
  third->idle.arm(1ms);
  // Whichever runs first destroys the other two, or is `first`: no order is promised among equals.
  first.on_timeout = [&] {
    second.reset();
    third.reset();
  };
  time = instant{} + ceil(5ms);

  timers.run(1);
  second.reset();
  third.reset();
  const poll_result rest = timers.run();

  EXPECT_LE(rest.fired, 1U);
  EXPECT_EQ(first.timeouts, 1);
  EXPECT_EQ(timers.size(), 0U);
}

TEST(intrusive_timer, ItsFunctionMayDestroyItsOwner) {
  instant time{};
  queue timers{virtual_clock{&time}};
  auto c = std::make_unique<connection>(timers);
  c->on_timeout = [&] {
    const auto keep_the_function = std::move(c->on_timeout);
    c.reset();
  };
  c->idle.arm(1ms);
  time = instant{} + ceil(5ms);

  timers.run();

  EXPECT_EQ(c, nullptr);
  EXPECT_EQ(timers.size(), 0U);
}

TEST(intrusive_timer, ItsFunctionMayArmItAgainForTheNextPoll) {
  instant time{};
  queue timers{virtual_clock{&time}};
  connection c{timers};
  c.on_timeout = [&] { c.idle.arm(duration{0}); };
  c.idle.arm(duration{0});

  timers.run();
  EXPECT_EQ(c.timeouts, 1) << "not again in the same poll";
  timers.run();

  EXPECT_EQ(c.timeouts, 2);
}

TEST(intrusive_timer, TheQueueMayGoFirst) {
  instant time{};
  auto timers = std::make_unique<queue>(virtual_clock{&time});
  connection c{*timers};
  c.idle.arm(1ms);

  timers.reset();

  EXPECT_FALSE(c.idle.is_armed());
}

TEST(intrusive_timer, WorksOverABareWheelAndWithAFunctionOfRunTime) {
  call_wheel wheel{instant{}};
  bitmap_wheel bitmap{instant{}};
  int runs = 0;
  intrusive_timer<call_wheel> a{wheel, [](timer_call& due) { ++*static_cast<int*>(due.context); }, &runs};
  intrusive_timer<bitmap_wheel> b{bitmap, calls<[](int& n) { n += 10; }>, runs};

  a.arm(instant{5});
  b.arm(instant{5}, 3ns);
  wheel.poll(instant{} + ceil(3ms), [](timer_call& due) { due.waker(due); });
  bitmap.poll(instant{} + ceil(3ms));

  EXPECT_EQ(runs, 11);
  EXPECT_EQ(b.deadline(), instant{8});
}

}  // namespace
}  // namespace pinion::timer
