// SPDX-License-Identifier: Apache-2.0
//
// The slicer: when a slice begins, when the source rests, and what is told of it.
#include <gtest/gtest.h>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <latch>
#include <pinion/asio.hpp>
#include <pinion/preempt/fixed_sources.hpp>
#include <pinion/preempt/no_yield.hpp>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

#include "recording_source.hpp"

namespace pinion::asio {
namespace {

namespace net = boost::asio;
using testing::recording_source;

struct SlicerTest : ::testing::Test {
  template <class Function>
  void post(Function&& function) {
    net::post(sliced.get_executor(), std::forward<Function>(function));
  }

  net::io_context context{1};
  slicer<recording_source> sliced{context, {.quantum = duration{3'000'000}}};
};

TEST_F(SlicerTest, BeginsASliceOfAQuantumAtTheFirstCheckAndRestsAtTheEndOfTheFunction) {
  post([this] {
    EXPECT_FALSE(sliced.is_slicing());
    EXPECT_FALSE(sliced.is_due());
    EXPECT_TRUE(sliced.is_slicing());
    EXPECT_FALSE(sliced.is_due());
  });

  context.run();

  EXPECT_EQ(sliced.source().told, "br");
  EXPECT_EQ(sliced.source().length, duration{3'000'000});
  EXPECT_FALSE(sliced.is_slicing());
}

TEST_F(SlicerTest, TellsTheSourceNothingOfAFunctionThatDoesNotCheck) {
  post([] {});

  context.run();

  EXPECT_EQ(sliced.source().told, "");
}

TEST_F(SlicerTest, IsDueFromTheEndOfTheSliceToTheEndOfTheFunction) {
  std::vector<bool> due;
  const auto look = [&] { due.push_back(sliced.is_due()); };
  post([&] {
    look();
    sliced.source().end();
    look();
    look();
  });
  post(look);

  context.run();

  EXPECT_EQ(due, (std::vector<bool>{false, true, true, false}));
  EXPECT_EQ(sliced.source().told, "brbr");
}

TEST_F(SlicerTest, TakesAFunctionInsideAnotherForAPartOfIt) {
  bool inner = false;
  post([&] {
    net::dispatch(sliced.get_executor(), [&] {
      EXPECT_FALSE(sliced.is_due());
      inner = true;
    });
    EXPECT_TRUE(inner);
    EXPECT_TRUE(sliced.is_slicing());
    sliced.source().end();
    EXPECT_TRUE(sliced.is_due());
  });

  context.run();

  EXPECT_EQ(sliced.source().told, "br");
}

TEST_F(SlicerTest, RestsWhenAFunctionThrows) {
  post([this] {
    EXPECT_FALSE(sliced.is_due());
    throw std::runtime_error("thrown on purpose");
  });
  post([this] { EXPECT_FALSE(sliced.is_due()); });

  EXPECT_THROW(context.run(), std::runtime_error);
  EXPECT_FALSE(sliced.is_slicing());
  EXPECT_EQ(sliced.source().told, "br");
  context.run();

  EXPECT_EQ(sliced.source().told, "brbr");
}

TEST_F(SlicerTest, RunsWhatOthersExecuteAndReturnsWhatItReturns) {
  int returned = 0;
  net::post(context, [&] {
    returned = sliced.run([this] { return sliced.is_due() ? 0 : 7; });
    EXPECT_FALSE(sliced.is_slicing());
    int referred = 1;
    static_assert(std::is_same_v<decltype(sliced.run([&]() -> int& { return referred; })), int&>);
  });

  context.run();

  EXPECT_EQ(returned, 7);
  EXPECT_EQ(sliced.source().told, "br");
}

TEST(SlicerStartTest, TakesEachFunctionForASliceWhereAskedTo) {
  net::io_context context{1};
  slicer<recording_source> sliced{context, {.start = slice_start::with_function}};
  for (int i = 0; i < 2; ++i) net::post(sliced.get_executor(), [&] { EXPECT_TRUE(sliced.is_slicing()); });

  context.run();

  EXPECT_EQ(sliced.source().told, "brbr");
}

TEST(SlicerCheckTest, IsNotDueOutsideOfItsFunctions) {
  net::io_context context{1};
  slicer<preempt::always_due> sliced{context};
  bool outside = true, inside = false;
  net::post(context, [&] { outside = sliced.is_due(); });
  net::post(sliced.get_executor(), [&] { inside = sliced.is_due(); });

  context.run();

  EXPECT_FALSE(outside);
  EXPECT_TRUE(inside);
  EXPECT_FALSE(sliced.is_due());
}

TEST(SlicerOptionsTest, RefusesAQuantumOutOfRange) {
  net::io_context context{1};
  using sliced = slicer<preempt::never_due>;

  EXPECT_THROW((sliced{context, {.quantum = duration{}}}), std::system_error);
  EXPECT_THROW((sliced{context, {.quantum = preempt::quantum_max + duration{1}}}), std::system_error);
  EXPECT_EQ((sliced{context, {.quantum = preempt::quantum_min}}).options().quantum, preempt::quantum_min);
}

struct told_stall {
  int count = 0;
  preempt::stall last;
  static void note(void* context, const preempt::stall& seen) noexcept {
    auto& mine = *static_cast<told_stall*>(context);
    ++mine.count;
    mine.last = seen;
  }
};

TEST_F(SlicerTest, TellsOfASliceThatWasTooLong) {
  told_stall told;
  sliced.slices().report_above(duration{1}, {.function = &told_stall::note, .context = &told});
  post([this] {
    static_cast<void>(sliced.is_due());
    for (const instant began = monotonic_clock::now(); monotonic_clock::now() < began + duration{2};) {
    }
  });
  post([] {});

  context.run();

  EXPECT_EQ(told.count, 1);
  EXPECT_GT(told.last.length, duration{1});
  EXPECT_EQ(told.last.who, &sliced.counts());
}

TEST_F(SlicerTest, CountsSlicesAndChecks) {
  if (!is_counted) GTEST_SKIP() << "this build does not count";
  for (int i = 0; i < 3; ++i) post([this] { static_cast<void>(sliced.is_due() || sliced.is_due()); });

  context.run();

  EXPECT_EQ(sliced.counts().slices, 3U);
  EXPECT_EQ(sliced.counts().checks, 6U);
  EXPECT_EQ(sliced.counts().yields, 0U);
}

TEST_F(SlicerTest, RefusesACheckWhileSomethingMustNotBeHeld) {
  if (!is_checked) GTEST_SKIP() << "this build does not check";
  post([this] {
    {
      const preempt::no_yield held{sliced.slices()};
      EXPECT_DEATH(static_cast<void>(sliced.is_due()), "no_yield");
    }
    EXPECT_FALSE(sliced.is_due());
  });

  context.run();
}

TEST(SlicerThreadsTest, RefusesToRunOnTwoThreadsAtOnce) {
  if (!is_checked) GTEST_SKIP() << "this build does not check";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run_twice = [] {
    net::io_context context{2};
    slicer<preempt::never_due> sliced{context};
    std::latch begun{1}, over{1};
    net::post(sliced.get_executor(), [&] {
      begun.count_down();
      over.wait();
    });
    const std::jthread first{[&] { context.run(); }};
    begun.wait();
    net::post(sliced.get_executor(), [] {});
    context.poll_one();
    over.count_down();
  };

  EXPECT_DEATH(run_twice(), "two threads");
}

}  // namespace
}  // namespace pinion::asio
