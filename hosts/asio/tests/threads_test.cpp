// SPDX-License-Identifier: Apache-2.0
//
// Two contexts on two threads, each with a slicer, by one ticker; others execute by their executors.
#include <gtest/gtest.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <pinion/asio.hpp>
#include <pinion/preempt/ticker_source.hpp>
#include <thread>

namespace pinion::asio {
namespace {

namespace net = boost::asio;

constexpr int yields_each = 20, functions_each = 200;

struct core {
  explicit core(preempt::ticker& by) : sliced(context, {.quantum = duration{20'000}}, by) {}

  net::awaitable<void> run_until_it_has_yielded() {
    while (yields != yields_each) {
      if (!sliced.is_due()) continue;
      co_await async_yield(sliced, net::use_awaitable);
      ++yields;
    }
  }

  net::io_context context{1};
  slicer<preempt::ticker_source> sliced;
  int yields = 0, functions = 0;
};

TEST(ThreadsTest, EachContextYieldsByItsOwnSlices) {
  preempt::ticker ticker{{.resolution = duration{20'000}}};
  std::array<core, 2> cores{core{ticker}, core{ticker}};
  for (core& each : cores)
    net::co_spawn(each.sliced.get_executor(), each.run_until_it_has_yielded(), net::detached);

  {
    std::array<std::jthread, 2> threads{std::jthread{[&] { cores[0].context.run(); }},
                                        std::jthread{[&] { cores[1].context.run(); }}};
    for (int i = 0; i < functions_each; ++i) {
      for (core& each : cores) net::post(each.sliced.get_executor(), [&each] { ++each.functions; });
    }
  }
  for (core& each : cores) {
    each.context.restart();
    each.context.run();  // what was posted after it had nothing left
  }

  for (const core& each : cores) {
    EXPECT_EQ(each.yields, yields_each);
    EXPECT_EQ(each.functions, functions_each);
    EXPECT_FALSE(each.sliced.is_slicing());
  }
}

}  // namespace
}  // namespace pinion::asio
