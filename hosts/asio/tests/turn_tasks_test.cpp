// SPDX-License-Identifier: Apache-2.0
//
// The turn in an io_context: wakes of other threads, tasks, and slices.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <functional>
#include <memory>
#include <pinion/asio.hpp>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "hosted_task.hpp"
#include "recording_source.hpp"

namespace pinion::asio {
namespace {

namespace net = boost::asio;
using namespace std::chrono_literals;
using scheduler::absent;
using testing::recording_source;
using task = testing::hosted_task<>;

using channel_type = waker::wake_channel<waker::tagged_inbox, waker::eventfd_notifier>;
using wake_event = waker::wake_event<channel_type>;

// Runs until the context has nothing to do any more. False where that takes ten seconds: then it waits in
// vain.
bool runs_out(net::io_context& context) {
  context.run_for(10s);
  return context.stopped();
}

struct AsioTurnTasksTest : ::testing::Test {
  net::io_context context{1};
  timer_queue<> timers;
  channel_type channel;
  run_queue tasks;
};

// ---- Wakes

TEST_F(AsioTurnTasksTest, HearsAPushOfAnotherThreadAndRunsUntilTheChannelIsClosed) {
  turn loop{context, timers, channel};
  struct last_call : waker::wake_call {
    explicit last_call(std::function<void()> done) : wake_call(&came), then(std::move(done)) {}
    static void came(wake_call& self) { static_cast<last_call&>(self).then(); }
    std::function<void()> then;
  };
  int woken = 0;
  last_call wake{[&] {
    if (++woken == 100) loop.close();
  }};
  std::jthread other{[&wake, sender = channel.sender()] {
    while (sender.push(wake) != waker::push_result::closed) std::this_thread::yield();
  }};

  EXPECT_TRUE(runs_out(context));
  // The other thread may push once more before the channel is closed; close() hands that out.
  EXPECT_GE(woken, 100);
  EXPECT_LE(woken, 101);
}

// One thread's: pushes again when the owner has seen the last one. So the context sleeps again and again.
struct ping : waker::wake_call {
  ping() noexcept : wake_call(&came) {}
  static void came(wake_call& self) {
    auto& mine = static_cast<ping&>(self);
    mine.seen.store(mine.seen.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    mine.seen.notify_one();
  }
  std::atomic<int> seen{0};
};

TEST_F(AsioTurnTasksTest, LosesNoWakeOfSeveralThreads) {
  constexpr int each = 2'000;
  turn loop{context, timers, channel};
  std::array<ping, 3> pings;
  std::atomic<std::size_t> left{pings.size()};
  std::vector<std::jthread> others;
  for (ping& mine : pings) {
    others.emplace_back([&mine, &left, sender = channel.sender()] {
      for (int i = 0; i < each && mine.seen.load(std::memory_order_relaxed) >= 0; ++i) {
        sender.push(mine);
        mine.seen.wait(i, std::memory_order_acquire);
      }
      left.fetch_sub(1, std::memory_order_release);
    });
  }
  const std::function<void()> look = [&] {
    left.load(std::memory_order_acquire) == 0 ? loop.close() : void(timers.after(2ms, [&] { look(); }));
  };
  look();

  EXPECT_TRUE(runs_out(context));
  for (ping& mine : pings) {
    EXPECT_EQ(mine.seen.exchange(-1), each);  // and lets those go that wait in vain
    mine.seen.notify_one();
  }
}

TEST_F(AsioTurnTasksTest, HearsWhatWasPushedBeforeItWasMade) {
  wake_event event{channel};
  channel.sender().push(event);
  turn loop{context, absent, channel};
  net::steady_timer look{context, 1ms};
  std::function<void(boost::system::error_code)> again = [&](boost::system::error_code) {
    if (event.is_woken()) return loop.close();
    look.expires_after(1ms);
    look.async_wait(again);
  };
  look.async_wait(again);

  EXPECT_TRUE(runs_out(context));
  EXPECT_TRUE(event.is_woken());
}

TEST_F(AsioTurnTasksTest, HandsOutWhatWasPushedLastWhenItIsClosed) {
  turn loop{context, absent, channel};
  wake_event event{channel}, late{channel};
  net::post(context, [&] {
    channel.sender().push(event);
    loop.close();
  });

  EXPECT_TRUE(runs_out(context));
  EXPECT_TRUE(event.is_woken());
  EXPECT_EQ(channel.sender().push(late), waker::push_result::closed);
}

TEST_F(AsioTurnTasksTest, PaysOneHandlerForAStormOfPushes) {
  turn loop{context, absent, channel};
  context.poll();
  std::vector<std::unique_ptr<wake_event>> events;
  for (int i = 0; i < 1'000; ++i) events.push_back(std::make_unique<wake_event>(channel));
  std::jthread{[&, sender = channel.sender()] {
    for (const auto& each : events) sender.push(*each);
  }}.join();

  EXPECT_EQ(context.poll(), 1U) << "one signal, read by one handler, whose round drains all";
  EXPECT_TRUE(events.front()->is_woken() && events.back()->is_woken());
  EXPECT_EQ(context.poll(), 0U);
}

// ---- Tasks

task sleeps(run_queue&, timer_queue<>& timers, std::string& log) {
  co_await timer::sleep_for(timers, 1ms);
  log += 's';
}

TEST_F(AsioTurnTasksTest, RunsTasksThatHandlersBegin) {
  const turn loop{context, timers, absent, tasks};
  std::string log;
  net::steady_timer later{context, 2ms};
  later.async_wait([&](boost::system::error_code) {
    sleeps(tasks, timers, log);
    EXPECT_EQ(log, "") << "it begins in its turn";
  });

  EXPECT_TRUE(runs_out(context));
  EXPECT_EQ(log, "s");
}

task waits_for(run_queue&, wake_event& event, std::function<void()> then) {
  co_await event.wait();
  then();
}

TEST_F(AsioTurnTasksTest, ATaskIsWokenByAnotherThreadAndClosesTheChannel) {
  turn loop{context, timers, channel, tasks};
  wake_event event{channel};
  waits_for(tasks, event, [&] { loop.close(); });
  std::jthread other{[&event, sender = channel.sender()] { sender.push(event); }};

  EXPECT_TRUE(runs_out(context));
}

task sleeps_under(run_queue&, timer_queue<>& timers, cancel_slot& slot, std::string& log) {
  const auto slept = co_await timer::sleep_for(timers, 1h, slot);
  log += slept ? 's' : 'c';
}

TEST_F(AsioTurnTasksTest, ASlotThatAHandlerRequestsEndsTheSleepOfATask) {
  const turn loop{context, timers, absent, tasks};
  std::string log;
  cancel_slot slot;
  sleeps_under(tasks, timers, slot, log);
  net::steady_timer later{context, 5ms};
  later.async_wait([&](boost::system::error_code) { slot.request(); });

  EXPECT_TRUE(runs_out(context));
  EXPECT_EQ(log, "c");
}

struct yielding {
  run_queue& on;
  static bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> where) const noexcept {
    on.running().where = where;
    on.ready(on.running());
  }
  static void await_resume() noexcept {}
};
task runs_until(run_queue& on, const bool& done, std::size_t& rounds) {
  while (!done) {
    ++rounds;
    co_await yielding{on};
  }
}

TEST_F(AsioTurnTasksTest, TasksThatAreAlwaysReadyHoldUpNoSocketTimerOrWake) {
  turn loop{context, timers, channel, tasks};
  net::ip::tcp::acceptor acceptor{context, {net::ip::address_v4::loopback(), 0}};
  net::ip::tcp::socket server{context}, client{context};
  bool done = false, has_fired = false, was_accepted = false;
  std::size_t rounds = 0;
  wake_event event{channel};
  waits_for(tasks, event, [&] {
    done = true;
    loop.close();
  });
  runs_until(tasks, done, rounds);
  acceptor.async_accept(server, [&](boost::system::error_code error) { was_accepted = !error; });
  const auto connect = [&] {
    client.async_connect(acceptor.local_endpoint(), [&](boost::system::error_code error) {
      if (!error) channel.sender().push(event);
    });
  };
  timers.after(5ms, [&] {
    has_fired = true;
    connect();
  });

  EXPECT_TRUE(runs_out(context));
  EXPECT_TRUE(has_fired && was_accepted && done);
  EXPECT_GT(rounds, 1U);
}

TEST_F(AsioTurnTasksTest, HandlersThatAreAlwaysReadyHoldUpNoTimerAndNoTask) {
  const turn loop{context, timers, absent, tasks};
  std::string log;
  std::function<void()> again = [&] {
    if (log.empty()) net::post(context, again);
  };
  net::post(context, again);
  sleeps(tasks, timers, log);

  EXPECT_TRUE(runs_out(context));
  EXPECT_EQ(log, "s");
}

task throws_once(run_queue& on, std::string& log) {
  log += 't';
  co_await yielding{on};
  throw std::runtime_error("thrown on purpose");
}

TEST_F(AsioTurnTasksTest, LosesNoTaskWhereAnotherThrows) {
  const turn loop{context, timers, absent, tasks};
  std::string log;
  const task thrown = throws_once(tasks, log);
  sleeps(tasks, timers, log);

  EXPECT_THROW(context.run_for(10s), std::runtime_error);
  thrown.handle.destroy();
  EXPECT_TRUE(runs_out(context));
  EXPECT_EQ(log, "ts");
}

// ---- Slices

TEST_F(AsioTurnTasksTest, RunsTasksInASliceAndRestsBeforeOtherHandlersRun) {
  preempt::slicer<recording_source> slices;
  const turn loop{context, timers, absent, tasks, slices, {.quantum = duration{3'000'000}}};
  std::string log;
  bool done = false, was_slicing = true;
  std::size_t rounds = 0;
  runs_until(tasks, done, rounds);
  net::post(context, [&] {
    was_slicing = slices.log().is_slicing();
    log = slices.source().told;
    done = true;
  });

  EXPECT_TRUE(runs_out(context));
  EXPECT_FALSE(was_slicing);
  EXPECT_EQ(log, "br");
  EXPECT_EQ(slices.source().length, duration{3'000'000});
  EXPECT_EQ(slices.source().told.back(), 'r');
}

TEST_F(AsioTurnTasksTest, BeginsNoSliceWhereNoTaskIsReady) {
  preempt::slicer<recording_source> slices;
  const turn loop{context, timers, absent, tasks, slices};
  timers.after(1ms, [] {});

  EXPECT_TRUE(runs_out(context));
  EXPECT_EQ(slices.source().told.find('b'), std::string::npos);
}

}  // namespace
}  // namespace pinion::asio
