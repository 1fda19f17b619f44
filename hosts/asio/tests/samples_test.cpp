// SPDX-License-Identifier: Apache-2.0
//
// The samples of use that headers of asio open with, word for word, and what each claims.
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <coroutine>
#include <numeric>
#include <pinion/asio.hpp>
#include <pinion/preempt/fixed_sources.hpp>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "hosted_task.hpp"

namespace pinion {
namespace {

using boost::asio::awaitable;
using boost::asio::co_spawn;
using boost::asio::detached;
using boost::asio::use_awaitable;
using boost::asio::ip::tcp;
using boost::system::error_code;
using namespace std::chrono_literals;
using always_slicer = pinion::asio::slicer<preempt::always_due>;

struct block {
  int number;
};
int hash(const block& what) { return what.number; }
bool parse(std::string_view line) { return !line.empty(); }

TEST(SamplesTest, ForEachVisitsEveryElement) {
  boost::asio::io_context context{1};
  always_slicer slicer{context};
  const std::vector<block> blocks{{1}, {2}};
  std::vector<int> values(100);
  std::iota(values.begin(), values.end(), 0);
  int sum = 0;
  co_spawn(
      slicer.get_executor(),
      [&]() -> awaitable<void> {
        co_await pinion::asio::for_each(slicer, blocks, [&](const block& each) { sum += hash(each); });
        co_await pinion::asio::for_each<64>(slicer, values,
                                            [&](int each) { sum += each; });  // checks before each 64th
      },
      detached);

  context.run();

  EXPECT_EQ(sum, 3 + 4'950);
}

TEST(SamplesTest, ForEachEndsWhereItsFunctionSaysFalse) {
  boost::asio::io_context context{1};
  always_slicer slicer{context};
  const std::vector<std::string_view> lines{"a", "", "b"};
  bool is_all = false;
  const auto parse_all = [&]() -> awaitable<void> {
    // Where the function returns bool, false is enough: nothing more is visited, and false comes out.
    const bool all =
        co_await pinion::asio::for_each(slicer, lines, [&](std::string_view line) { return parse(line); });
    if (!all) co_return;
    is_all = true;
  };
  co_spawn(slicer.get_executor(), parse_all(), detached);

  context.run();

  EXPECT_FALSE(is_all);
}

TEST(SamplesTest, WhatASocketOfTheSlicerCallsIsSliced) {
  boost::asio::io_context context{1};
  always_slicer slicer{context};
  tcp::acceptor acceptor{context, {boost::asio::ip::address_v4::loopback(), 0}};
  bool is_sliced = false;
  const auto serve = [&](tcp::socket socket) -> awaitable<void> {
    co_await socket.async_connect(acceptor.local_endpoint(), use_awaitable);
    is_sliced = slicer.is_due() && slicer.is_slicing();
  };

  tcp::socket socket{slicer.get_executor()};  // handlers of its operations are sliced
  co_spawn(slicer.get_executor(), serve(std::move(socket)), detached);  // each resumption of the coroutine is
  context.run();

  EXPECT_TRUE(is_sliced);
}

TEST(SamplesTest, ACoroutineOfASlicerHashesItsBlocks) {
  int hashed = 0;
  const std::vector<block> blocks{{1}, {2}};
  const auto hash = [&](const block& what) { hashed += what.number; };

  boost::asio::io_context context{1};
  pinion::asio::slicer<> slicer{context};
  co_spawn(
      slicer.get_executor(),
      [&]() -> awaitable<void> {
        for (const block& each : blocks) {
          hash(each);
          if (slicer.is_due()) co_await pinion::asio::async_yield(slicer, use_awaitable);
        }
      },
      detached);
  context.run();

  EXPECT_EQ(hashed, 3);
}

TEST(SamplesTest, ACoroutineThatYieldsLetsOthersRun) {
  boost::asio::io_context context{1};
  always_slicer slicer{context};
  int others = 0, others_before = -1;
  co_spawn(
      slicer.get_executor(),
      [&]() -> awaitable<void> {
        boost::asio::post(context, [&] { ++others; });
        if (slicer.is_due()) co_await async_yield(slicer, use_awaitable);  // not due: two loads
        co_await yield_if_needed(slicer);                                  // not due: a frame, and no trip
        others_before = others;
      },
      detached);

  context.run();

  EXPECT_EQ(others_before, 1);
}

struct worker {
  always_slicer& slicer;
  int turns = 0;

  void go_on() {
    if (++turns == 3) return;
    // in a handler, with a token that is a function
    if (slicer.is_due())
      return async_yield(slicer, [this](error_code error) {
        if (!error) go_on();
      });
  }
};

TEST(SamplesTest, AHandlerThatYieldsGoesOnLater) {
  boost::asio::io_context context{1};
  always_slicer slicer{context};
  worker mine{slicer};
  boost::asio::post(slicer.get_executor(), [&] { mine.go_on(); });

  context.run();

  EXPECT_EQ(mine.turns, 3);
}

struct connection {
  void close() { is_open = false; }
  bool is_open = true;
};

TEST(SamplesTest, TimersAskTheirTurnForRounds) {
  connection client;

  pinion::asio::timer_queue<> timers;  // callbacks, in default_store
  timer::handle idle = timers.after(30s, [&] { client.close(); });
  timers.push_on(idle, 60s);

  using hooks = pinion::asio::timer_queue<pinion::asio::call_wheel>;  // timers that are members
  hooks requests;
  timer::intrusive_timer<hooks> request{requests, timer::calls<&connection::close>, client};
  request.arm(5s);

  boost::asio::io_context context{1};
  const pinion::asio::turn around{context, timers};
  const pinion::asio::turn another{context, requests};
  request.arm(1ms);
  boost::asio::post(context, [&] { timers.cancel(idle); });
  context.run();
  EXPECT_FALSE(client.is_open);
}

using greeting = pinion::asio::testing::hosted_task<>;
greeting greet(pinion::asio::run_queue&, pinion::asio::timer_queue<>& timers) {
  co_await timer::sleep_for(timers, 1ms);
  timers.after(0ms, [] {});
}

TEST(SamplesTest, TasksRunInAnIoContext) {
  boost::asio::io_context context{1};
  pinion::asio::timer_queue<> timers;

  pinion::asio::run_queue tasks;
  pinion::asio::turn loop{context, timers, scheduler::absent, tasks};
  greet(tasks, timers);  // a coroutine whose promise has an executor(): these tasks

  EXPECT_GT(context.run(), 0U);
  EXPECT_FALSE(tasks.has_ready() || timers.size() != 0);
}

TEST(SamplesTest, ATurnOfAllServesInAContextThatIsRun) {
  boost::asio::io_context context{1};
  pinion::asio::timer_queue<> timers;
  waker::default_channel channel;
  pinion::asio::run_queue tasks;
  pinion::asio::turn loop{context, timers, channel, tasks};  // scheduler::absent for what there is not
  bool has_ended = false;
  timers.after(1ms, [&] {
    loop.close();
    has_ended = true;
  });

  context.run();

  EXPECT_TRUE(has_ended);
}

}  // namespace
}  // namespace pinion
