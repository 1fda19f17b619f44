// SPDX-License-Identifier: Apache-2.0
//
// What a stall_detector tells of, by the ticker that is shipped.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <optional>
#include <pinion/base/diagnostic.hpp>
#include <pinion/base/sync.hpp>
#include <pinion/scheduler.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "told_source.hpp"

namespace pinion::scheduler::testing {
namespace {
using namespace std::chrono_literals;

// Until the detector has looked so often; ten seconds at most, after which the test fails by what it asserts.
void spin(const stall_detector& by, std::uint64_t looks) {
  const instant end = monotonic_clock::now() + ceil(10s);
  while (by.looks() < looks && monotonic_clock::now() < end) std_sync::pause();
}
}  // namespace

// The stalls: no other function has their names, and none of them is left by a jump.
extern "C" [[gnu::noinline]] void stalls_in_one(const stall_detector& by, std::uint64_t looks) {
  spin(by, looks);
  asm volatile("# one");
}
extern "C" [[gnu::noinline]] void stalls_in_other(const stall_detector& by, std::uint64_t looks) {
  spin(by, looks);
  asm volatile("# other");
}

namespace {

using loop_type = scheduler::executor;
using stall_function = void (*)(const stall_detector& by, std::uint64_t looks);

task<> stalls_once(const stall_detector& by, stall_function stalls) {
  stalls(by, by.looks() + 1);
  co_return;
}

// ---- By the ticker

TEST(StallDetectorTest, TellsTheQueueTheNameAndTheStackWhileTheTaskGoesOn) {
  loop_type loop;
  stalls_told told;
  task_queue& index = loop.add_queue({.name = "index"});
  const stall_detector watches{loop, {.after = ceil(1ms), .told = told.by()}};

  loop.spawn_into(index, stalls_once(watches, &stalls_in_one), "reads_all").detach();
  loop.run();

  ASSERT_EQ(told.all.size(), 1U);
  EXPECT_EQ(told.all[0].queue, "index");
  EXPECT_EQ(told.all[0].task, "reads_all");
  EXPECT_GE(told.all[0].late, ceil(1ms));
  const auto& stack = told.all[0].stack;
  EXPECT_NE(std::find(stack.begin(), stack.end(), "stalls_in_one"), stack.end()) << told.all[0].text;
  EXPECT_NE(stack.back().find("stalls_once"), std::string::npos)
      << "outermost is the coroutine, " << stack.back();
}

task<> stalls_thrice(const stall_detector& by) {
  for (std::uint64_t looks = 1; looks != 4; ++looks) {
    stalls_in_one(by, looks);
    co_await yield();
  }
}

TEST(StallDetectorTest, APlaceIsToldOfOnce) {
  loop_type loop;
  stalls_told told;
  const stall_detector watches{loop, {.after = ceil(1ms), .told = told.by()}};

  loop.run(stalls_thrice(watches));

  EXPECT_GE(watches.looks(), 3U);
  EXPECT_EQ(told.all.size(), 1U);
}

task<> stalls_in_both(const stall_detector& by) {
  stalls_in_one(by, 1);
  co_await yield();
  stalls_in_other(by, 2);
  co_await yield();
  stalls_in_one(by, 3);
}

TEST(StallDetectorTest, TwoPlacesOfOneTaskAreToldOfBoth) {
  loop_type loop;
  stalls_told told;
  const stall_detector watches{loop, {.after = ceil(1ms), .told = told.by()}};

  loop.run(stalls_in_both(watches));

  ASSERT_EQ(told.all.size(), 2U);
  EXPECT_NE(told.all[0].text.find("stalls_in_one"), std::string::npos);
  EXPECT_NE(told.all[1].text.find("stalls_in_other"), std::string::npos);
}

task<> yields(int times) {
  while (times-- != 0) co_await yield();
}

// The ticker has nothing to look at when the slice is over and nobody watches.
task<> is_watched_late(loop_type& loop, stalls_told& told) {
  const instant end = monotonic_clock::now() + ceil(10s);
  while (!loop.preempt_word().is_due() && monotonic_clock::now() < end) std_sync::pause();
  const stall_detector watches{loop, {.after = ceil(1ms), .told = told.by()}};
  stalls_in_one(watches, 1);
  co_return;
}

TEST(StallDetectorTest, ATaskThatStallsAlreadyWhenItIsMadeIsToldOf) {
  loop_type loop;
  stalls_told told;

  loop.run(is_watched_late(loop, told));

  EXPECT_EQ(told.all.size(), 1U);
}

TEST(StallDetectorTest, TellsNothingOfTasksThatYield) {
  loop_type loop;
  stalls_told told;
  const stall_detector watches{loop, {.after = ceil(60s), .told = told.by()}};

  loop.run(yields(10'000));

  EXPECT_EQ(watches.looks(), 0U);
  EXPECT_TRUE(told.all.empty());
}

TEST(StallDetectorTest, TwoExecutorsOnTwoThreadsAreToldOfEachForItself) {
  std::vector<stalls_told> told(2);
  const auto runs = [](stalls_told& to, stall_function stalls, const char* name) {
    loop_type loop;
    const stall_detector watches{loop, {.after = ceil(1ms), .told = to.by()}};
    loop.spawn(stalls_once(watches, stalls), name).detach();
    loop.run();
  };

  std::thread one{runs, std::ref(told[0]), &stalls_in_one, "one"};
  std::thread other{runs, std::ref(told[1]), &stalls_in_other, "other"};
  one.join();
  other.join();

  for (const auto& [mine, name] : {std::pair{&told[0], "one"}, std::pair{&told[1], "other"}}) {
    ASSERT_EQ(mine->all.size(), 1U) << name;
    EXPECT_EQ(mine->all[0].task, name);
    const std::string function = std::string{"stalls_in_"} + name;
    const auto& stack = mine->all[0].stack;
    EXPECT_NE(std::find(stack.begin(), stack.end(), function), stack.end()) << mine->all[0].text;
  }
}

std::optional<std::string> reported;

TEST(StallDetectorTest, WithoutAFunctionItIsReportedAsAnError) {
  loop_type loop;
  const stall_detector watches{loop, {.after = ceil(1ms)}};
  reported.reset();
  const diagnostic_sink before = set_diagnostic_sink([](const diagnostic& what) noexcept {
    if (what.level == severity::error && what.part == "scheduler")
      reported = std::string{what.key} + ": " + std::string{what.text};
  });

  loop.run(stalls_once(watches, &stalls_in_one));

  set_diagnostic_sink(before);
  ASSERT_TRUE(reported);
  EXPECT_EQ(reported->find("stall in pinion::scheduler::testing::"), 0U) << *reported;
  EXPECT_NE(reported->find("a task of the queue main holds up its thread for "), std::string::npos)
      << *reported;
  EXPECT_NE(reported->find("\n  stalls_in_one"), std::string::npos) << *reported;
}

// ---- The samples

task<> serves() { co_await yield(); }

TEST(StallDetectorTest, IsMadeAsTheSampleSays) {
  using executor = loop_type;
  executor loop;
  const stall_detector watches{loop, {.after = ceil(25ms)}};  // on the loop's thread
  loop.run(serves());

  EXPECT_GT(watches.signal(), 0);
}

TEST(StallDetectorTest, ATestIsFailedByIt) {
  loop_type loop;
  std::string found;
  constexpr auto fail = [](void* to, const stalled_task& seen) noexcept {
    *static_cast<std::string*>(to) = to_string(seen);
  };
  const stall_detector watches{loop, {.told = {.function = fail, .context = &found}}};

  loop.run(stalls_once(watches, &stalls_in_other));

  EXPECT_NE(found.find("stalls_in_other"), std::string::npos) << found;
}

}  // namespace
}  // namespace pinion::scheduler::testing
