// SPDX-License-Identifier: Apache-2.0
//
// The same entities through `import`: that names are exported, that a coroutine lets another one run, and
// that a timer fires.
#include <gtest/gtest.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <coroutine>
#include <string>
#include <vector>

import pinion.asio;

namespace {

namespace net = boost::asio;
using pinion::asio::slicer;
using pinion::preempt::always_due;

TEST(asio_module, CoroutinesLetEachOtherRun) {
  net::io_context context{1};
  slicer<always_due> sliced{context, pinion::asio::slicer_options{.quantum = pinion::duration{1'000'000}}};
  std::string log;
  const auto write = [&](char name) -> net::awaitable<void> {
    log += name;
    co_await pinion::asio::yield_if_needed(sliced);
    log += name;
    co_await pinion::asio::async_yield(sliced, net::use_awaitable);
    co_await pinion::asio::for_each(sliced, std::vector<char>{name}, [&](char each) { log += each; });
  };
  net::co_spawn(sliced.get_executor(), write('a'), net::detached);
  net::co_spawn(sliced.get_executor(), write('b'), net::detached);

  context.run();

  EXPECT_EQ(log, "ababab");
}

TEST(asio_module, ATurnServesTimersAndTasks) {
  net::io_context context{1};
  pinion::asio::timer_queue<> timers;
  pinion::asio::run_queue tasks;
  const pinion::asio::turn loop{context, timers, pinion::scheduler::absent, tasks};
  int fired = 0;
  timers.after(pinion::duration{1'000}, [&] { ++fired; });

  context.run();

  EXPECT_EQ(fired, 1);
}

}  // namespace
