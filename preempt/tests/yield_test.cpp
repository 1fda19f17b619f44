// SPDX-License-Identifier: Apache-2.0
//
// yield_if_needed, yield_every, checkpoint: when a task is suspended, and what runs then.
#include <gtest/gtest.h>

#include <memory>
#include <pinion/preempt.hpp>
#include <string>

#include "turn_loop.hpp"

namespace pinion::preempt {
namespace {

using testing::task;
using testing::turn_loop;

task by_executor(turn_loop& loop, std::string& said, int units) {
  for (int unit = 0; unit < units; ++unit) {
    said += 'h';
    co_await yield_if_needed(loop);
  }
}

task by_promise(std::string& said, int units) {
  for (int unit = 0; unit < units; ++unit) {
    said += 'h';
    co_await yield_if_needed();
  }
}

task say(std::string& said, char what) {
  said += what;
  co_return;
}

// What two tasks said, of which the first one checks after each of six units.
std::string said_beside(turn_loop& loop, task& hog, std::string& said) {
  task small = say(said, 's');
  loop.spawn(hog);
  loop.spawn(small);
  loop.run();
  EXPECT_TRUE(hog.is_done() && small.is_done());
  return said;
}

TEST(YieldTest, ADueCheckSuspendsOnceAndOthersRunMeanwhile) {
  scripted_source source{3};
  turn_loop loop{source};
  std::string said;
  task hog = by_executor(loop, said, 6);

  EXPECT_EQ(said_beside(loop, hog, said), "hhhshhh");

  EXPECT_EQ(loop.turns, 3U);
  EXPECT_EQ(source.checks(), 6U);
}

TEST(YieldTest, IsTheSameByThePromise) {
  scripted_source source{3};
  turn_loop loop{source};
  std::string said;
  task hog = by_promise(said, 6);

  EXPECT_EQ(said_beside(loop, hog, said), "hhhshhh");

  EXPECT_EQ(loop.turns, 3U);
  EXPECT_EQ(source.checks(), 6U);
}

TEST(YieldTest, SuspendsNobodyWhileNothingIsDue) {
  never_due source;
  turn_loop loop{source};
  std::string said;
  task hog = by_executor(loop, said, 500), other = by_promise(said, 500);
  loop.spawn(hog);
  loop.spawn(other);

  loop.run();

  EXPECT_TRUE(hog.is_done() && other.is_done());
  EXPECT_EQ(loop.turns, 2U);
}

TEST(YieldTest, SuspendsAtEachCheckWhereAllAreDue) {
  always_due source;
  turn_loop loop{source};
  std::string said;
  task hog = by_executor(loop, said, 3), other = by_promise(said, 3);
  loop.spawn(hog);
  loop.spawn(other);

  loop.run();

  EXPECT_TRUE(hog.is_done() && other.is_done());
  EXPECT_EQ(loop.turns, 2U * (1 + 3));
}

TEST(YieldTest, GoesOnInTheCoroutineThatAwaitedWhereATaskCallsAnother) {
  always_due source;
  turn_loop loop{source};
  std::string said;
  constexpr auto outer = [](std::string& log) -> task {
    log += '<';
    co_await by_promise(log, 2);
    log += '>';
  };
  task hog = outer(said);

  EXPECT_EQ(said_beside(loop, hog, said), "<hsh>");
}

TEST(YieldTest, IsCountedForTheQueueThatRuns) {
  if (!is_counted) GTEST_SKIP() << "checks and yields are counted in builds with statistics only";
  scripted_source source{2, 5};
  turn_loop loop{source};
  std::string said;
  task hog = by_executor(loop, said, 6);
  loop.spawn(hog);

  loop.run();

  EXPECT_EQ(loop.counts.checks, 6U);
  EXPECT_EQ(loop.counts.yields, 2U);
  EXPECT_EQ(loop.counts.slices, 3U);
}

TEST(YieldTest, ATaskThatIsDestroyedWhileItWaitsDoesNotGoOn) {
  always_due source;
  turn_loop loop{source};
  const auto held = std::make_shared<int>(0);
  constexpr auto holds = [](turn_loop& on, std::shared_ptr<int> value) -> task {
    co_await yield_if_needed(on);
    ++*value;
  };
  {
    task waits = holds(loop, held);
    loop.spawn(waits);
    ASSERT_TRUE(loop.turn());
    ASSERT_FALSE(waits.is_done());
  }

  EXPECT_FALSE(loop.turn());
  EXPECT_EQ(*held, 0);
  EXPECT_EQ(held.use_count(), 1);
}

task paced_by_executor(turn_loop& loop, int times) {
  auto pace = yield_every<4>(loop);
  for (int i = 0; i < times; ++i) co_await pace;
}

task paced_by_promise(int times) {
  auto pace = yield_every<4>();
  for (int i = 0; i < times; ++i) co_await pace;
}

TEST(YieldTest, LooksEachFourthTimeWhereItIsToldSo) {
  scripted_source source{2};
  turn_loop loop{source};
  task paced = paced_by_executor(loop, 11);
  loop.spawn(paced);

  loop.run();

  EXPECT_TRUE(paced.is_done());
  EXPECT_EQ(source.checks(), 2U);
  EXPECT_EQ(loop.turns, 2U);
}

TEST(YieldTest, LooksEachFourthTimeByThePromise) {
  scripted_source source{2};
  turn_loop loop{source};
  task paced = paced_by_promise(11);
  loop.spawn(paced);

  loop.run();

  EXPECT_TRUE(paced.is_done());
  EXPECT_EQ(source.checks(), 2U);
  EXPECT_EQ(loop.turns, 2U);
}

TEST(YieldTest, ACheckpointTellsAPlainFunctionToUnwind) {
  scripted_source source{3};
  source.begin(instant{0}, instant{1});
  int steps = 0;
  const auto walk = [&] {
    while (steps < 10) {
      ++steps;
      if (checkpoint(source.word())) return false;
    }
    return true;
  };

  EXPECT_FALSE(walk());
  EXPECT_EQ(steps, 3);
  source.begin(instant{1}, instant{2});
  EXPECT_TRUE(walk());
  EXPECT_EQ(steps, 10);
}

}  // namespace
}  // namespace pinion::preempt
