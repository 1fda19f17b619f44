// SPDX-License-Identifier: Apache-2.0
//
// How a yield ends that does not go on: what cancels it, and what may be destroyed when.
#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <pinion/asio.hpp>
#include <pinion/preempt/fixed_sources.hpp>
#include <string>
#include <utility>

namespace pinion::asio {
namespace {

namespace net = boost::asio;
using boost::system::error_code;
using net::awaitable;
using net::use_awaitable;
using preempt::always_due;
using preempt::never_due;

TEST(YieldCancellationTest, OfAnyTypeCompletesWithOperationAbortedInItsTurn) {
  for (const auto type :
       {net::cancellation_type::terminal, net::cancellation_type::partial, net::cancellation_type::total}) {
    net::io_context context{1};
    slicer<never_due> sliced{context};
    net::cancellation_signal signal;
    std::string log;
    async_yield(sliced, net::bind_cancellation_slot(signal.slot(), [&](error_code error) {
                  log += error == net::error::operation_aborted ? 'c' : '-';
                }));
    net::post(context, [&] { log += 'x'; });

    signal.emit(type);
    context.run();

    EXPECT_EQ(log, "xc");
  }
}

TEST(YieldCancellationTest, WithoutItAYieldSucceeds) {
  net::io_context context{1};
  slicer<never_due> sliced{context};
  net::cancellation_signal signal;
  std::optional<error_code> result;
  async_yield(sliced, net::bind_cancellation_slot(signal.slot(), [&](error_code error) { result = error; }));

  context.run();
  signal.emit(net::cancellation_type::terminal);

  EXPECT_EQ(result, error_code{});
}

TEST(YieldCancellationTest, OfACoroutineIsThrownByItsNextCheckDueOrNot) {
  net::io_context context{1};
  slicer<never_due> sliced{context};
  net::cancellation_signal signal;
  int checks = 0;
  std::exception_ptr thrown;
  net::co_spawn(
      sliced.get_executor(),
      [&]() -> awaitable<void> {
        co_await async_yield(sliced, use_awaitable);
        for (;; ++checks) {
          if (checks == 3) signal.emit(net::cancellation_type::terminal);
          co_await yield_if_needed(sliced);
        }
      },
      net::bind_cancellation_slot(signal.slot(),
                                  [&](std::exception_ptr error) { thrown = std::move(error); }));

  context.run();

  EXPECT_EQ(checks, 3);
  ASSERT_TRUE(thrown);
  try {
    std::rethrow_exception(thrown);
  } catch (const boost::system::system_error& error) {
    EXPECT_EQ(error.code(), net::error::operation_aborted);
  }
}

TEST(YieldLifetimeTest, APendingOneIsDestroyedWithItsContextAlsoAfterTheSlicer) {
  const auto held = std::make_shared<int>(0);
  bool called = false;
  for (const bool slicer_first : {false, true}) {
    std::optional<net::io_context> context{1};
    std::optional<slicer<always_due>> sliced{std::in_place, *context};
    async_yield(*sliced, [held, &called](error_code) { called = true; });
    net::co_spawn(
        sliced->get_executor(),
        [](auto& by, std::shared_ptr<int> kept) -> awaitable<void> {
          for (;; ++*kept) co_await yield_if_needed(by);
        }(*sliced, held),
        net::detached);
    context->poll_one();
    context->poll_one();
    EXPECT_GE(held.use_count(), 2);

    if (slicer_first) sliced.reset();
    context.reset();

    EXPECT_EQ(held.use_count(), 1);
  }
  EXPECT_FALSE(called);
}

TEST(YieldLifetimeTest, APendingOneWaitsForAContextThatWasStopped) {
  net::io_context context{1};
  slicer<never_due> sliced{context};
  bool done = false;
  async_yield(sliced, [&](error_code) { done = true; });
  context.stop();

  context.run();
  EXPECT_FALSE(done);
  context.restart();
  context.run();

  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace pinion::asio
