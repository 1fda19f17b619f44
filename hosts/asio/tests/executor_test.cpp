// SPDX-License-Identifier: Apache-2.0
//
// The executor: that Asio takes it for one wherever it takes any, and that what it executes is sliced.
#include <gtest/gtest.h>

#include <array>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>
#include <concepts>
#include <pinion/asio.hpp>
#include <pinion/preempt/fixed_sources.hpp>
#include <string>
#include <thread>

#include "allocations.hpp"

namespace pinion::asio {
namespace {

namespace net = boost::asio;
namespace execution = boost::asio::execution;
using stream = net::local::stream_protocol;

using always = slicer<preempt::always_due>;
using executor = always::executor_type;

static_assert(execution::is_executor_v<executor>);
static_assert(std::convertible_to<executor, net::any_io_executor>);
static_assert(net::can_require_v<executor, execution::blocking_t::never_t>);
static_assert(net::can_require_v<executor, execution::blocking_t::possibly_t>);
static_assert(!net::can_require_v<executor, execution::blocking_t::always_t>,
              "no function may be waited for");
static_assert(net::can_require_v<executor, execution::outstanding_work_t::tracked_t>);
static_assert(net::can_prefer_v<executor, execution::relationship_t::continuation_t>);
static_assert(net::can_query_v<executor, execution::context_t>);
static_assert(std::same_as<stream::socket::rebind_executor<executor>::other::executor_type, executor>);

struct ExecutorTest : ::testing::Test {
  // Whether the function that calls this is sliced: this source is due at each check in one.
  [[nodiscard]] bool is_sliced() { return sliced.is_due(); }

  net::io_context context{1};
  always sliced{context};
};

TEST_F(ExecutorTest, IsEqualToOneOfTheSameSlicerAndTheSameContext) {
  always other{context};
  net::io_context elsewhere{1};

  EXPECT_EQ(sliced.get_executor(), sliced.get_executor());
  EXPECT_NE(sliced.get_executor(), other.get_executor());
  EXPECT_NE(sliced.get_executor(), executor(sliced, elsewhere.get_executor()));
  EXPECT_EQ(net::any_io_executor(sliced.get_executor()), net::any_io_executor(sliced.get_executor()));
  EXPECT_EQ(&sliced.get_executor().slicer(), &sliced);
}

TEST_F(ExecutorTest, HasThePropertiesOfTheInnerOne) {
  const executor made = sliced.get_executor();

  EXPECT_EQ(&net::query(made, execution::context), &context);
  EXPECT_EQ(net::query(made, execution::blocking), execution::blocking.possibly);
  EXPECT_EQ(net::query(net::require(made, execution::blocking.never), execution::blocking),
            execution::blocking.never);
  EXPECT_EQ(net::query(net::prefer(made, execution::relationship.continuation), execution::relationship),
            execution::relationship.continuation);
  EXPECT_EQ(net::require(made, execution::blocking.never).get_inner_executor(),
            net::require(context.get_executor(), execution::blocking.never));
}

TEST_F(ExecutorTest, FitsIntoAnAnyExecutorWithoutAnAllocation) {
  const std::size_t before = testing::allocations_so_far();

  const net::any_io_executor any = sliced.get_executor();
  const net::any_io_executor tracked = net::prefer(any, execution::outstanding_work.tracked);

  EXPECT_EQ(testing::allocations_so_far(), before);
  EXPECT_TRUE(tracked);
}

TEST_F(ExecutorTest, RunsAtOnceWhereItMayAndLaterWhereItMayNot) {
  std::string order;
  const executor made = sliced.get_executor();
  net::post(made, [&] {
    net::post(made, [&] { order += is_sliced() ? 'c' : '-'; });
    net::dispatch(made, [&] { order += is_sliced() ? 'a' : '-'; });
    order += 'b';
  });

  context.run();

  EXPECT_EQ(order, "abc");
}

TEST_F(ExecutorTest, KeepsTheContextRunningWhileItIsToldTo) {
  auto stay = net::make_work_guard(sliced.get_executor());

  context.poll();
  EXPECT_FALSE(context.stopped());
  stay.reset();
  context.run();

  EXPECT_TRUE(context.stopped());
}

TEST_F(ExecutorTest, SlicesTheHandlersOfItsSockets) {
  net::basic_stream_socket<stream, executor> reader{sliced.get_executor()};
  stream::socket erased{sliced.get_executor()}, plain{context};
  net::local::connect_pair(reader, erased);
  std::string seen;
  std::array<char, 1> byte{};
  reader.async_read_some(net::buffer(byte), [&](auto, auto) { seen += is_sliced() ? 'r' : '-'; });
  net::async_write(erased, net::buffer("x", 1), [&](auto, auto) { seen += is_sliced() ? 'w' : '-'; });

  context.run();

  EXPECT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen.find('-'), std::string::npos) << seen;
}

TEST_F(ExecutorTest, SlicesTheHandlersOfItsTimersAndNotThoseOfOthers) {
  net::steady_timer mine{sliced.get_executor()}, other{context};
  bool mine_sliced = false, other_sliced = true;
  mine.expires_after({});
  other.expires_after({});
  mine.async_wait([&](auto) { mine_sliced = is_sliced(); });
  other.async_wait([&](auto) { other_sliced = is_sliced(); });

  context.run();

  EXPECT_TRUE(mine_sliced);
  EXPECT_FALSE(other_sliced);
}

TEST_F(ExecutorTest, SlicesACoroutineWhereverItIsResumedFrom) {
  bool began = false, went_on = false;
  net::co_spawn(
      sliced.get_executor(),
      [&]() -> net::awaitable<void> {
        began = is_sliced();
        net::steady_timer elsewhere{context, std::chrono::nanoseconds{0}};
        co_await elsewhere.async_wait(net::use_awaitable);
        went_on = is_sliced();
      },
      net::detached);

  context.run();

  EXPECT_TRUE(began);
  EXPECT_TRUE(went_on);
}

TEST_F(ExecutorTest, SlicesWhatAStrandOverItRuns) {
  net::strand<executor> strand{sliced.get_executor()};
  bool first = false, second = false;
  net::post(strand, [&] { first = is_sliced(); });
  net::post(strand, [&] { second = is_sliced(); });

  context.run();

  EXPECT_TRUE(first);
  EXPECT_TRUE(second);
}

TEST_F(ExecutorTest, SlicesAStrandThatItIsMadeOf) {
  const auto strand = net::make_strand(context);
  const sliced_executor<always, net::strand<net::io_context::executor_type>> made{sliced, strand};
  bool seen = false;
  net::post(made, [&] { seen = is_sliced() && strand.running_in_this_thread(); });

  context.run();

  EXPECT_TRUE(seen);
}

TEST_F(ExecutorTest, RunsOnTheThreadOfTheContextWhatAnotherThreadExecutes) {
  std::thread::id ran_on;
  bool seen = false;
  std::thread{[&] {
    net::dispatch(sliced.get_executor(), [&] {
      ran_on = std::this_thread::get_id();
      seen = is_sliced();
    });
  }}.join();

  context.run();

  EXPECT_EQ(ran_on, std::this_thread::get_id());
  EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace pinion::asio
