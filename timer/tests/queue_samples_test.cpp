// SPDX-License-Identifier: Apache-2.0
//
// The samples of use that the headers around timer's stores open with, word for word, and what each claims.
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <pinion/timer.hpp>
#include <vector>

#include "virtual_time.hpp"

namespace pinion::timer {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

static_assert(calling_queue<timer_queue<call_wheel>>);
static_assert(calling_queue<timer_queue<deferred_wheel<inline_function<void()>>>>);

using timer_set = timer_queue<call_wheel, testing::virtual_clock>;

struct server {
  explicit server(timer_set& timers) : beat(timers, calls<&server::send_beat>, *this) {}
  void run() { beat.start(100ms, missed_ticks::skip); }
  void send_beat(tick t) { missed += t.missed; }  // may stop it; the tick may be left out
  std::uint64_t missed = 0;
  interval<timer_set> beat;  // timer_set: a timer_queue<call_wheel>, say
};

TEST(queue_samples, AnIntervalTellsOfTheTicksThatItMissed) {
  instant time{};
  timer_set timers{testing::virtual_clock{&time}};
  server mine{timers};

  mine.run();
  time = time + ceil(350ms);
  timers.run();

  EXPECT_EQ(mine.missed, 2U);
  EXPECT_EQ(mine.beat.due(), instant{} + ceil(400ms));
}

// To the nanosecond, so that a test sees when a wait ends.
using exact_timers = timer_queue<ordered_map<inline_function<void()>>, testing::virtual_clock>;

TEST(queue_samples, ATickerIsAwaitedUntilItsSlotIsRequested) {
  instant time{};
  exact_timers timers{testing::virtual_clock{&time}};
  cancel_slot shutdown;
  std::vector<instant> beats;
  const auto send_beat = [&](instant due) { beats.push_back(due); };
  const auto beats_on = [&]() -> testing::task {
    ticker beat{timers, 100ms, missed_ticks::skip};
    while (const auto t = co_await beat.next(shutdown)) send_beat(t->due);  // until the slot is requested
  };
  const testing::task all = beats_on();

  for (const duration passed : {ceil(100ms), ceil(350ms), ceil(50ms)}) {
    time = time + passed;
    timers.run();
  }
  shutdown.request();
  timers.run();

  EXPECT_EQ(beats, (std::vector{instant{} + ceil(100ms), instant{} + ceil(200ms), instant{} + ceil(500ms)}));
  EXPECT_TRUE(all.is_done());
}

TEST(queue_samples, ACoroutineSleepsForATimeAndUntilOneOrItsSlot) {
  instant time{};
  exact_timers timers{testing::virtual_clock{&time}};
  const instant deadline = time + ceil(1s);
  cancel_slot shutdown;
  const auto sleeper = [&](bool& reached) -> testing::task {
    co_await sleep_for(timers, 250ms);
    const auto slept = co_await sleep_until(timers, deadline, shutdown);
    if (!slept) co_return;  // cancelled
    reached = true;
  };
  bool first_slept = false, second_slept = false;
  const auto pass = [&](duration passed) {
    time = time + passed;
    timers.run();
  };

  const testing::task first = sleeper(first_slept);
  pass(ceil(249ms));
  EXPECT_EQ(timers.next_wakeup(), instant{} + ceil(250ms));
  pass(ceil(2ms));
  EXPECT_EQ(timers.next_wakeup(), deadline);
  pass(ceil(1s));
  EXPECT_TRUE(first.is_done() && first_slept);
  const testing::task second = sleeper(second_slept);
  shutdown.request();
  pass(ceil(251ms));
  pass(duration{0});

  EXPECT_TRUE(second.is_done());
  EXPECT_FALSE(second_slept);
}

struct connection {
  explicit connection(timer_set& timers) : idle(timers, calls<&connection::timed_out>, *this) {}
  void on_request() { idle.arm(30s); }   // arms, or pushes on: one store
  void timed_out() { is_open = false; }  // may arm it again, or delete this
  bool is_open = true;
  intrusive_timer<timer_set> idle;  // timer_set: a timer_queue<call_wheel>, say
};

TEST(queue_samples, AnIntrusiveTimerIsAMemberOfWhatItTimes) {
  instant time{};
  timer_set timers{testing::virtual_clock{&time}};
  connection client{timers};

  client.on_request();
  time = time + ceil(29s);
  client.on_request();
  time = time + ceil(29s);
  timers.run();
  EXPECT_TRUE(client.is_open);
  time = time + ceil(2s);
  timers.run();

  EXPECT_FALSE(client.is_open);
}

TEST(queue_samples, ATimerQueueIsTheTimersOfAnEpollLoop) {
  struct {
    bool is_open = true;
    void close() { is_open = false; }
  } client;
  const int fd = epoll_create1(EPOLL_CLOEXEC), readable = eventfd(1, EFD_CLOEXEC);
  epoll_event events[8]{{.events = EPOLLIN, .data = {.fd = readable}}};
  epoll_ctl(fd, EPOLL_CTL_ADD, readable, events);
  bool is_over = false;
  const auto serve = [&](const epoll_event& event) { is_over = event.data.fd == readable; };

  timer_queue<deferred_wheel<inline_function<void()>>> timers;
  handle idle = timers.after(30s, [&] { client.close(); });
  timers.push_on(idle, 30s);  // for each request: one store into the timer
  while (!is_over) {
    const int n = epoll_wait(fd, events, 8, timers.timeout_ms());  // until the next is due, rounded up
    for (int i = 0; i < n; ++i) serve(events[i]);
    timers.run(64);  // at most so many a turn
  }
  EXPECT_TRUE(client.is_open);
  timers.backend().poll(monotonic_clock::now() + ceil(31s), unlimited,
                        [](handle, instant, inline_function<void()>&& due) { due(); });

  EXPECT_FALSE(client.is_open);
  ::close(readable);
  ::close(fd);
}

TEST(queue_samples, ATimerQueueOfHooksCallsObjectsOfTheCallers) {
  struct task {
    int runs = 0;
    void run() { ++runs; }
  };

  timer_queue<call_wheel> timers;
  task job;
  timer_call wake{[](timer_call& c) { static_cast<task*>(c.context)->run(); }, &job};
  timers.after(30s, wake);
  timers.run();
  EXPECT_EQ(job.runs, 0);
  timers.backend().poll(monotonic_clock::now() + ceil(31s), [](timer_call& due) { due.waker(due); });

  EXPECT_EQ(job.runs, 1);
}

TEST(queue_samples, ATimeIsADelayOrAPointOfTheSteadyClock) {
  int calls = 0;
  timer_queue<ordered_map<inline_function<void()>>> timers;

  timers.after(250ms, [&] { ++calls; });
  timers.at(steady_clock::now() + 1s, [&] { ++calls; });
  timers.backend().poll(monotonic_clock::now() + ceil(2s), unlimited,
                        [](handle, instant, inline_function<void()>&& due) { due(); });

  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace pinion::timer
