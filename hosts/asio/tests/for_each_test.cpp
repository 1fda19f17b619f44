// SPDX-License-Identifier: Apache-2.0
//
// for_each: where it checks, when it ends, and what becomes of its range.
#include <gtest/gtest.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <cstdint>
#include <future>
#include <initializer_list>
#include <memory>
#include <pinion/asio.hpp>
#include <pinion/preempt/fixed_sources.hpp>
#include <ranges>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace pinion::asio {
namespace {

namespace net = boost::asio;
using net::awaitable;
using preempt::always_due;
using preempt::scripted_source;

TEST(ForEachTest, ChecksBeforeEachElementAndYieldsWhereItIsDue) {
  net::io_context context{1};
  slicer<scripted_source> sliced{context, {}, std::initializer_list<std::uint64_t>{2, 4}};
  std::string log;
  const std::string names = "abcd";
  net::co_spawn(
      sliced.get_executor(),
      [&]() -> awaitable<void> { co_await for_each(sliced, names, [&](char name) { log += name; }); },
      net::detached);
  net::post(context, [&] {
    log += 'x';
    net::post(context, [&] { log += 'y'; });
  });

  context.run();

  EXPECT_EQ(log, "axybcd");
  EXPECT_EQ(sliced.source().checks(), 4U);
}

TEST(ForEachTest, ChecksBeforeEachNthElement) {
  net::io_context context{1};
  slicer<scripted_source> sliced{context, {}, std::initializer_list<std::uint64_t>{}};
  int visited = 0;
  net::co_spawn(
      sliced.get_executor(),
      [&]() -> awaitable<void> {
        co_await for_each<4>(sliced, std::views::iota(0, 9), [&](int) { ++visited; });
      },
      net::detached);

  context.run();

  EXPECT_EQ(visited, 9);
  EXPECT_EQ(sliced.source().checks(), 3U);
}

TEST(ForEachTest, StopsWhereTheFunctionSaysThatItIsEnough) {
  net::io_context context{1};
  slicer<always_due> sliced{context};
  std::vector<int> visited;
  const auto until = [&](int last) {
    return net::co_spawn(sliced.get_executor(),
                         for_each(sliced, std::views::iota(0, 4),
                                  [&visited, last](int each) {
                                    visited.push_back(each);
                                    return each != last;
                                  }),
                         net::use_future);
  };
  std::future<bool> stopped = until(1);
  context.run();
  context.restart();
  std::future<bool> visited_all = until(7);
  context.run();

  EXPECT_FALSE(stopped.get());
  EXPECT_TRUE(visited_all.get());
  EXPECT_EQ(visited, (std::vector<int>{0, 1, 0, 1, 2, 3}));
}

TEST(ForEachTest, KeepsATemporaryRangeAndMovesItsElementsToWhoTakesThem) {
  net::io_context context{1};
  slicer<always_due> sliced{context};
  std::vector<std::unique_ptr<int>> taken;
  std::vector<std::unique_ptr<int>> given;
  for (int i = 0; i < 3; ++i) given.push_back(std::make_unique<int>(i));
  std::future<void> done =
      net::co_spawn(sliced.get_executor(),
                    for_each(sliced, std::move(given),
                             [&](std::unique_ptr<int>& each) { taken.push_back(std::move(each)); }),
                    net::use_future);

  context.run();
  done.get();

  ASSERT_EQ(taken.size(), 3U);
  EXPECT_EQ(*taken.back(), 2);
}

TEST(ForEachTest, ThrowsWhatTheFunctionThrows) {
  net::io_context context{1};
  slicer<always_due> sliced{context};
  const std::array numbers{1, 2, 3};
  int calls = 0;
  std::future<void> done = net::co_spawn(sliced.get_executor(),
                                         for_each(sliced, numbers,
                                                  [&](int) {
                                                    if (++calls == 2) throw std::runtime_error("on purpose");
                                                  }),
                                         net::use_future);

  context.run();

  EXPECT_THROW(done.get(), std::runtime_error);
  EXPECT_EQ(calls, 2);
  EXPECT_FALSE(sliced.is_slicing());
}

}  // namespace
}  // namespace pinion::asio
