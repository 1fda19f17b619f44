// SPDX-License-Identifier: Apache-2.0
//
// Yields: who runs first, and what a completion token gets.
#include <gtest/gtest.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <cstdint>
#include <future>
#include <initializer_list>
#include <memory>
#include <pinion/asio.hpp>
#include <pinion/preempt/fixed_sources.hpp>
#include <string>
#include <tuple>

#include "recording_source.hpp"

namespace pinion::asio {
namespace {

namespace net = boost::asio;
using boost::system::error_code;
using net::awaitable;
using net::use_awaitable;
using preempt::always_due;
using preempt::never_due;
using preempt::scripted_source;
using testing::recording_source;

// A coroutine that logs a, b, c, d and checks after each; and another function, which waits its turn and logs
// an x.
template <class Source>
std::string play(slicer<Source>& sliced, net::io_context& context) {
  std::string log;
  net::co_spawn(
      sliced.get_executor(),
      [&]() -> awaitable<void> {
        for (const char name : {'a', 'b', 'c', 'd'}) {
          log += name;
          co_await yield_if_needed(sliced);
        }
      },
      net::detached);
  net::post(context, [&] { log += 'x'; });
  context.run();
  return log;
}

TEST(YieldIfNeededTest, LetsOthersRunAtTheCheckThatIsDue) {
  net::io_context context{1};
  slicer<scripted_source> sliced{context, {}, std::initializer_list<std::uint64_t>{2}};

  EXPECT_EQ(play(sliced, context), "abxcd");

  EXPECT_EQ(sliced.source().checks(), 4U);
}

TEST(YieldIfNeededTest, GoesOnWithoutATripWhereItIsNotDue) {
  net::io_context context{1};
  slicer<never_due> sliced{context};

  EXPECT_EQ(play(sliced, context), "abcdx");
}

TEST(YieldIfNeededTest, BeginsANewSliceWhenItGoesOn) {
  net::io_context context{1};
  slicer<recording_source> sliced{context};
  net::co_spawn(
      sliced.get_executor(),
      [&]() -> awaitable<void> {
        co_await yield_if_needed(sliced);
        sliced.source().end();
        co_await yield_if_needed(sliced);
        EXPECT_FALSE(sliced.is_due());
      },
      net::detached);

  context.run();

  EXPECT_EQ(sliced.source().told, "brbr");
}

TEST(YieldIfNeededTest, NeedsNoMoreStackTheOftenerItIsAwaited) {
  constexpr int often = 200'000;
  net::io_context context{1};
  slicer<scripted_source> sliced{context, {}, std::initializer_list<std::uint64_t>{often - 1}};
  int awaited = 0;
  net::co_spawn(
      sliced.get_executor(),
      [&]() -> awaitable<void> {
        for (; awaited < often; ++awaited) co_await yield_if_needed(sliced);
      },
      net::detached);

  context.run();

  EXPECT_EQ(awaited, often);
}

TEST(YieldIfNeededTest, TakesAnAwaitableOfTheSlicersOwnExecutor) {
  net::io_context context{1};
  slicer<always_due> sliced{context};
  using executor = slicer<always_due>::executor_type;
  bool done = false;
  net::co_spawn(
      sliced.get_executor(),
      [&]() -> awaitable<void, executor> {
        co_await yield_if_needed(sliced, net::use_awaitable_t<executor>{});
        done = true;
      },
      net::detached);

  context.run();

  EXPECT_TRUE(done);
}

TEST(YieldIfNeededTest, CallsNoHandlerFromInsideTheCallAndTakesOneRoundWhereItIsNotDueTwoWhereItIs) {
  net::io_context context{1};
  slicer<scripted_source> sliced{context, {}, std::initializer_list<std::uint64_t>{1}};
  std::string log;
  for (const char name : {'d', 'n'}) {
    net::post(sliced.get_executor(), [&, name] {
      yield_if_needed(sliced, [&, name](error_code error) { log += error ? '-' : name; });
      log += '1';
    });
  }
  net::post(context, [&] { log += '2'; });

  context.run();

  EXPECT_EQ(log, "112nd");
}

TEST(AsyncYieldTest, LetsRunFirstWhatBecameReadyBeforeIt) {
  net::io_context context{1};
  slicer<never_due> sliced{context};
  using stream = net::local::stream_protocol;
  stream::socket reader{sliced.get_executor()}, writer{sliced.get_executor()};
  net::local::connect_pair(reader, writer);
  std::string log;
  std::array<char, 1> byte{};
  reader.async_read_some(net::buffer(byte), [&](error_code, std::size_t) { log += 'r'; });
  net::co_spawn(
      sliced.get_executor(),
      [&]() -> awaitable<void> {
        net::write(writer, net::buffer("x", 1));  // as a peer would while this one computes
        co_await async_yield(sliced, use_awaitable);
        log += 'y';
      },
      net::detached);

  context.run();

  EXPECT_EQ(log, "ry");
}

TEST(AsyncYieldTest, IsServedInTurnWithOtherYields) {
  net::io_context context{1};
  slicer<always_due> sliced{context};
  std::string log;
  for (const char name : {'a', 'b', 'c'}) {
    net::co_spawn(
        sliced.get_executor(),
        [&, name]() -> awaitable<void> {
          for (int i = 0; i < 3; ++i) {
            log += name;
            co_await yield_if_needed(sliced);
          }
        },
        net::detached);
  }

  context.run();

  EXPECT_EQ(log, "abcabcabc");
}

TEST(AsyncYieldTest, TakesAnyCompletionToken) {
  net::io_context context{1};
  slicer<never_due> sliced{context};
  int done = 0;
  std::future<void> future = async_yield(sliced, net::use_future);
  async_yield(sliced, net::detached);
  async_yield(sliced, net::deferred)([&](error_code) { ++done; });
  async_yield(sliced, [&, only_moved = std::make_unique<int>(1)](error_code) { done += *only_moved; });
  net::co_spawn(
      sliced.get_executor(),
      [&]() -> awaitable<void> {
        const std::tuple<error_code> result = co_await async_yield(sliced, net::as_tuple(use_awaitable));
        error_code error = net::error::eof;
        co_await async_yield(sliced, net::redirect_error(use_awaitable, error));
        co_await async_yield(sliced, net::deferred);
        done += std::get<0>(result) || error ? 0 : 1;
      },
      net::detached);

  context.run();

  EXPECT_EQ(done, 3);
  EXPECT_EQ(future.wait_for(std::chrono::seconds{0}), std::future_status::ready);
}

TEST(AsyncYieldTest, CompletesByTheHandlersExecutor) {
  net::io_context context{1}, other{1};
  slicer<never_due> sliced{context};
  bool done = false;
  async_yield(sliced, net::bind_executor(other.get_executor(), [&](error_code) { done = true; }));

  context.poll();  // run() would wait for the operation's end
  EXPECT_FALSE(done);
  other.run();

  EXPECT_TRUE(done);
}

TEST(AsyncYieldTest, IsAFunctionOfTheSlicerWhereTheHandlerHasNoExecutor) {
  net::io_context context{1};
  slicer<always_due> sliced{context};
  bool due = false;
  async_yield(sliced, [&](error_code) { due = sliced.is_due(); });

  context.run();

  EXPECT_TRUE(due);
}

template <class T>
struct counting_allocator {
  using value_type = T;
  explicit counting_allocator(int& alive) : alive_(&alive) {}
  template <class U>
  explicit(false) counting_allocator(const counting_allocator<U>& other) : alive_(other.alive_) {}
  T* allocate(std::size_t count) {
    ++*alive_;
    return std::allocator<T>{}.allocate(count);
  }
  void deallocate(T* at, std::size_t count) {
    --*alive_;
    std::allocator<T>{}.deallocate(at, count);
  }
  bool operator==(const counting_allocator&) const = default;
  int* alive_;
};

TEST(AsyncYieldTest, AllocatesByTheHandlersAllocatorAndHasGivenBackAllWhenItCallsIt) {
  net::io_context context{1};
  slicer<never_due> sliced{context};
  int alive = 0, when_called = -1;
  async_yield(sliced,
              net::bind_allocator(counting_allocator<void>{alive}, [&](error_code) { when_called = alive; }));
  EXPECT_EQ(alive, 1);

  context.run();

  EXPECT_EQ(when_called, 0);
}

TEST(AsyncYieldTest, IsCountedAndSoIsACheckThatWasDue) {
  if (!is_counted) GTEST_SKIP() << "this build does not count";
  net::io_context context{1};
  slicer<scripted_source> sliced{context, {}, std::initializer_list<std::uint64_t>{2}};

  play(sliced, context);

  EXPECT_EQ(sliced.counts().checks, 4U);
  EXPECT_EQ(sliced.counts().yields, 1U);
  EXPECT_EQ(sliced.counts().slices, 2U);
}

}  // namespace
}  // namespace pinion::asio
