// SPDX-License-Identifier: Apache-2.0
//
// What a stall_detector does at each stall, by a source that tells of stalls when the test says so; what it
// refuses.
//
// In a program of its own, whose children of fork() are made where no other thread runs.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <coroutine>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <pinion/preempt/detail/posix_timer_calls.hpp>
#include <pinion/scheduler.hpp>
#include <string>
#include <system_error>
#include <thread>

#include "allocations.hpp"
#include "told_source.hpp"

namespace pinion::scheduler::testing {
namespace {

using namespace std::chrono_literals;

using told_loop = basic_executor<told_parts>;

struct StallDetectorHookTest : ::testing::Test {
  told_loop loop;
  told_source& source = loop.slicer().source();
  stalls_told told;
};

task<> yields(int times) {
  while (times-- != 0) co_await yield();
}

task<> tells_late(told_source& source, const stalls_told& told) {
  const std::uint32_t before = source.end();
  co_await yield();
  source.tell(before);  // the next slice runs
  EXPECT_TRUE(told.all.empty());
  source.end();
  source.tell(before);  // and is over, too
  EXPECT_TRUE(told.all.empty());
  source.tell(source.end());
  EXPECT_EQ(told.all.size(), 1U);
}

TEST_F(StallDetectorHookTest, OfASliceThatIsOverNothingIsTold) {
  const stall_detector watches{loop, {.told = told.by()}};

  loop.run(tells_late(source, told));

  EXPECT_EQ(told.all.size(), 1U);
  EXPECT_EQ(watches.looks(), 3U);
}

TEST_F(StallDetectorHookTest, WhereNoTaskRunsNothingIsTold) {
  const stall_detector watches{loop, {.told = told.by()}};
  loop.run(yields(1));

  source.tell(source.end());

  EXPECT_EQ(watches.looks(), 1U);
  EXPECT_TRUE(told.all.empty());
}

task<> tells(told_source& source) {
  source.tell(source.end());
  co_return;
}
task<> tells_too(told_source& source) {
  source.tell(source.end());
  co_await yield();
}

TEST_F(StallDetectorHookTest, EachIsToldOfWithItsOwnNameAndQueue) {
  const stall_detector watches{loop, {.after = ceil(7ms), .told = told.by()}};
  task_queue& index = loop.add_queue({.name = "index"});

  loop.spawn_into(index, tells(source), "reads_all").detach();
  loop.run();
  loop.run(tells_too(source));

  EXPECT_EQ(source.watched_after(), ceil(7ms));
  ASSERT_EQ(told.all.size(), 2U);
  EXPECT_EQ(told.all[0].task, "reads_all");
  EXPECT_EQ(told.all[0].queue, "index");
  EXPECT_EQ(told.all[1].task, "");
  EXPECT_EQ(told.all[1].queue, "main");
}

TEST_F(StallDetectorHookTest, NoMorePlacesAreToldOfThanAskedFor) {
  const stall_detector watches{loop, {.places = 1, .told = told.by()}};

  loop.run(tells(source));
  loop.run(tells_too(source));

  EXPECT_EQ(told.all.size(), 1U);
}

TEST_F(StallDetectorHookTest, WhatComesTooSoonAfterAReportIsNotTold) {
  const stall_detector watches{loop, {.between = ceil(1h), .told = told.by()}};

  loop.run(tells(source));
  loop.run(tells_too(source));

  EXPECT_EQ(told.all.size(), 1U);
}

// Whether the kernel says that this thread of ours sleeps: what follows the program's name is its state.
bool is_asleep(pid_t thread) {
  std::ifstream file{"/proc/self/task/" + std::to_string(thread) + "/stat"};
  const std::string stat{std::istreambuf_iterator<char>{file}, {}};
  return stat.substr(stat.rfind(')')).starts_with(") S");
}

TEST_F(StallDetectorHookTest, ATaskThatBlocksIsSeenWhereItBlocks) {
  const stall_detector watches{loop, {.told = told.by()}};
  const auto joins = [](told_source& by) -> task<> {
    const std::uint32_t slice = by.end();
    std::atomic<bool> is_next_to_join{false};
    std::thread other{[&, blocked = ::gettid()] {
      while (!is_next_to_join.load(std::memory_order_acquire) || !is_asleep(blocked))
        std::this_thread::yield();
      by.tell(slice);
    }};
    is_next_to_join.store(true, std::memory_order_release);
    other.join();
    co_return;
  };

  loop.run(joins(source));

  ASSERT_EQ(told.all.size(), 1U);
  EXPECT_NE(told.all[0].text.find("join"), std::string::npos) << told.all[0].text;
}

TEST_F(StallDetectorHookTest, AThreadThatBlocksTheSignalIsToldOfWithoutAStack) {
  const stall_detector watches{loop, {.told = told.by()}};
  const auto blocks = [](told_source& by, int signal) -> task<> {
    preempt::posix_timer_calls::set_blocked(signal, true);
    const std::uint32_t slice = by.end();
    std::thread other{[&] { by.tell(slice); }};
    other.join();
    preempt::posix_timer_calls::set_blocked(signal, false);  // the signal comes now, and finds nothing asked
    co_return;
  };

  loop.run(blocks(source, watches.signal()));
  loop.run(tells(source));

  ASSERT_EQ(told.all.size(), 2U);
  EXPECT_TRUE(told.all[0].stack.empty());
  EXPECT_NE(told.all[0].text.find("did not take a signal"), std::string::npos) << told.all[0].text;
  EXPECT_FALSE(told.all[1].stack.empty());
}

TEST_F(StallDetectorHookTest, TheHandlerIsNoPartOfTheStack) {
  const stall_detector watches{loop, {.told = told.by()}};

  loop.run(tells(source));

  ASSERT_EQ(told.all.size(), 1U);
  ASSERT_FALSE(told.all[0].stack.empty());
  for (const std::string& each : told.all[0].stack) {
    EXPECT_EQ(each.find("on_signal"), std::string::npos);
    EXPECT_EQ(each.find("signalled"), std::string::npos);
  }
}

TEST_F(StallDetectorHookTest, ADetectorThatIsGoneIsToldNothing) {
  {
    const stall_detector watches{loop, {.told = told.by()}};
  }

  EXPECT_FALSE(source.is_watched());
  const stall_detector again{loop, {.told = told.by()}};
  loop.run(tells(source));
  EXPECT_EQ(told.all.size(), 1U);
}

TEST_F(StallDetectorHookTest, NothingIsAllocatedByTheHookOrTheHandler) {
  int count = 0;
  constexpr auto counts = [](void* to, const stalled_task& /*seen*/) noexcept { ++*static_cast<int*>(to); };
  const stall_detector watches{loop, {.told = {.function = counts, .context = &count}}};
  const auto measures = [](told_source& by) -> task<std::size_t> {
    const std::size_t before = pinion::testing::allocations_so_far();
    by.tell(by.end());
    co_return pinion::testing::allocations_so_far() - before;
  };

  EXPECT_EQ(loop.run(measures(source)), 0U);
  EXPECT_EQ(count, 1);
}

// ---- What it refuses

std::string refused(told_loop& loop, const stall_options& options, std::error_code& code) {
  try {
    const stall_detector watches{loop, options};
  } catch (const std::system_error& error) {
    code = error.code();
    return error.what();
  }
  return {};
}

TEST_F(StallDetectorHookTest, ASignalThatTheProgramHandlesIsRefusedAndNotFound) {
  const int taken = SIGRTMAX;
  const auto before = std::signal(taken, [](int) {});
  ASSERT_EQ(before, SIG_DFL);
  std::error_code code;

  const std::string by_name = refused(loop, {.signal = taken}, code);
  EXPECT_EQ(code, std::errc::device_or_resource_busy);
  EXPECT_NE(by_name.find("a stall_detector by signal"), std::string::npos) << by_name;
  EXPECT_NE(by_name.find("name another one"), std::string::npos) << by_name;
  EXPECT_NE(refused(loop, {.signal = SIGTERM}, code).find("no real-time one"), std::string::npos);
  EXPECT_NE(stall_detector(loop).signal(), taken);
  std::signal(taken, SIG_DFL);
}

TEST_F(StallDetectorHookTest, OptionsOutOfRangeAreRefused) {
  std::error_code code;

  EXPECT_NE(refused(loop, {.after = duration{9'999}}, code).find("10 us"), std::string::npos);
  EXPECT_NE(refused(loop, {.places = 0}, code).find("1 to 65,536"), std::string::npos);
  EXPECT_NE(refused(loop, {.places = 65'537}, code).find("1 to 65,536"), std::string::npos);
  EXPECT_EQ(code, std::errc::invalid_argument);
}

TEST_F(StallDetectorHookTest, ASecondDetectorIsAViolation) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";
  EXPECT_DEATH(
      {
        const stall_detector one{loop};
        const stall_detector other{loop};
      },
      "second stall_detector");
}

// ---- fork()

task<> forks(told_source& source, const stalls_told& told, int& status) {
  const pid_t child = ::fork();
  if (child == 0) {
    source.tell(source.end());
    ::_exit(told.all.size() == 1 ? 0 : 1);
  }
  status = -1;
  while (::waitpid(child, &status, 0) == -1 && errno == EINTR) {
  }
  co_return;
}

TEST_F(StallDetectorHookTest, AChildOfForkIsToldOfItsOwnStalls) {
  const stall_detector watches{loop, {.told = told.by()}};
  int status = -1;

  loop.run(forks(source, told, status));
  loop.run(tells(source));

  EXPECT_EQ(status, 0);
  EXPECT_EQ(told.all.size(), 1U) << "of the parent's";
}

}  // namespace
}  // namespace pinion::scheduler::testing
