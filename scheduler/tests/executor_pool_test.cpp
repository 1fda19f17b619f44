// SPDX-License-Identifier: Apache-2.0
//
// Pools of executors: their threads, names and processors, and what is refused.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <pinion/preempt/default_source.hpp>
#include <pinion/preempt/ticker_source.hpp>
#include <pinion/scheduler.hpp>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>

#include "asked_executors.hpp"
#include "sanitized.hpp"

namespace pinion::scheduler {
namespace {

using testing::asks;
using testing::gives;
using testing::of;

struct ExecutorPoolTest : ::testing::Test {
  testing::ends_in_time watched;
};

// What that gives on the thread of an executor.
template <class Function>
auto on(const remote_executor& worker, Function function) {
  const auto runs = [](Function what) -> task<std::invoke_result_t<Function>> { co_return what(); };
  return block_on(asks(worker, [=] { return runs(function); })).value();
}

using processors = std::set<std::size_t>;
processors processors_of(pid_t thread) {
  cpu_set_t all;
  EXPECT_EQ(::sched_getaffinity(thread, sizeof all, &all), 0);
  processors found;
  for (std::size_t each = 0; each != CPU_SETSIZE; ++each) {
    if (CPU_ISSET(each, &all)) found.insert(each);
  }
  return found;
}
processors processors_of_this_thread() { return processors_of(0); }
void allow_this_thread(const processors& allowed) {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (const std::size_t each : allowed) CPU_SET(each, &all);
  ASSERT_EQ(::sched_setaffinity(0, sizeof all, &all), 0);
}
std::string name_of_this_thread() {
  std::array<char, 16> name{};
  EXPECT_EQ(::pthread_getname_np(::pthread_self(), name.data(), name.size()), 0);
  return name.data();
}

// ---- Threads, names, processors

TEST_F(ExecutorPoolTest, EachExecutorHasAThreadWithItsName) {
  const executor_pool pool{of(3)};

  ASSERT_EQ(pool.size(), 3U);
  std::set<std::thread::id> threads{std::this_thread::get_id()};
  for (std::size_t k = 0; k != pool.size(); ++k) {
    threads.insert(on(pool[k], [] { return std::this_thread::get_id(); }));
    EXPECT_EQ(on(pool[k], name_of_this_thread), "pinion-" + std::to_string(k));
  }
  EXPECT_EQ(threads.size(), 4U);
}

TEST_F(ExecutorPoolTest, ALongNameIsCutAndTheNumberStays) {
  const executor_pool pool{{.count = 1, .name = "a name of twenty-one"}};
  EXPECT_EQ(on(pool[0], name_of_this_thread), "a name of twen0");
}

TEST_F(ExecutorPoolTest, EachThreadIsPinnedToAProcessorOfTheCallers) {
  const auto allowed = processors_of_this_thread();
  const executor_pool pool;

  EXPECT_EQ(pool.size(), allowed.size());
  processors taken;
  for (std::size_t k = 0; k != pool.size(); ++k) {
    const auto own = on(pool[k], processors_of_this_thread);
    EXPECT_EQ(own.size(), 1U);
    taken.insert(own.begin(), own.end());
  }
  EXPECT_EQ(taken, allowed);
  EXPECT_EQ(processors_of_this_thread(), allowed) << "the caller stays where it was";
}

TEST_F(ExecutorPoolTest, RespectsASetOfOneProcessor) {
  const auto before = processors_of_this_thread();
  const processors one{*before.rbegin()};
  allow_this_thread(one);

  EXPECT_EQ(processors_allowed(), 1U);
  EXPECT_EQ(executor_pool{}.size(), 1U);
  try {
    const executor_pool refused{{.count = 2}};
    ADD_FAILURE() << "two executors on one processor";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code(), std::errc::invalid_argument);
    const std::string text = error.what();
    EXPECT_NE(text.find("a pool of 2 executors: the calling thread may run on 1 processor"),
              std::string::npos)
        << text;
  }
  {
    const executor_pool shares{of(2)};
    EXPECT_EQ(on(shares[0], processors_of_this_thread), one);
    EXPECT_EQ(on(shares[1], processors_of_this_thread), one);
  }
  allow_this_thread(before);
}

std::optional<pid_t> thread_named(const std::string& name) {
  for (const auto& each : std::filesystem::directory_iterator{"/proc/self/task"}) {
    std::string found;
    std::getline(std::ifstream{each.path() / "comm"}, found);
    if (found == name) return std::stoi(each.path().filename());
  }
  return std::nullopt;
}

TEST_F(ExecutorPoolTest, TheThreadThatEndsSlicesIsNotPinnedWithTheExecutorThatWasFirst) {
  if (!std::is_same_v<preempt::default_source, preempt::ticker_source>) GTEST_SKIP() << "no such thread";
  const executor_pool pool{of(1)};
  std::optional<pid_t> ticker;
  while (!ticker) ticker = thread_named("pinion-ticker");  // its name is the last that it is given

  EXPECT_EQ(processors_of(*ticker), processors_of(::getpid()));
}

TEST_F(ExecutorPoolTest, ThatPinsNoneRunsWhereTheCallerMay) {
  const executor_pool pool{{.count = 1, .pins = false}};
  EXPECT_EQ(on(pool[0], processors_of_this_thread), processors_of_this_thread());
}

// Each is cancelled by the end of its own executor, and then waits for the other's.
TEST_F(ExecutorPoolTest, ItsExecutorsEndSideBySide) {
  std::atomic<int> ending{0};
  std::atomic<int> ended{0};
  const auto waits = [](std::atomic<int>& first, std::atomic<int>& last) -> task<> {
    co_await sleep_for(std::chrono::hours{1});
    first.fetch_add(1, std::memory_order_relaxed);
    while (first.load(std::memory_order_relaxed) != 2) co_await yield();
    last.fetch_add(1, std::memory_order_relaxed);
  };
  {
    const executor_pool pool{
        {.count = 2, .may_share = true, .executor = {.patience = ceil(std::chrono::seconds{10})}}};
    for (std::size_t k = 0; k != pool.size(); ++k) {
      on(pool[k], [&] {
        spawn(waits(ending, ended)).detach();
        return 0;
      });
    }
  }

  EXPECT_EQ(ended.load(std::memory_order_relaxed), 2);
}

TEST_F(ExecutorPoolTest, EndedByATaskOfItsOwnIsAViolation) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";
  if (pinion::testing::is_sanitized)
    GTEST_SKIP() << "ThreadSanitizer allows a child of fork() no threads of its own";
  EXPECT_DEATH(
      {
        auto pool = std::make_unique<executor_pool>(of(1));
        on((*pool)[0], [&pool] {
          pool.reset();
          return 0;
        });
      },
      "ended by one of its own tasks");
}

// ---- What is refused

std::ptrdiff_t entries_of(const char* folder) {
  const std::filesystem::directory_iterator all{folder};
  return std::distance(begin(all), end(all));
}

// A limit under which so many more descriptors can be had.
rlim_t limit_for(std::ptrdiff_t more) {
  int limit = 0;
  for (; more != 0; ++limit) {
    if (::fcntl(limit, F_GETFD) < 0) --more;
  }
  return static_cast<rlim_t>(limit);
}

std::error_code refused(std::size_t count) {
  try {
    const executor_pool made{of(count)};
  } catch (const std::system_error& error) {
    return error.code();
  }
  return {};
}

TEST_F(ExecutorPoolTest, OfNoExecutorIsRefused) { EXPECT_EQ(refused(0), std::errc::invalid_argument); }

TEST_F(ExecutorPoolTest, WhatAnExecutorRefusesThePoolThrows) {
  EXPECT_THROW(executor_pool({.count = 1, .executor = {.tasks_a_slice = 0}}), std::system_error);
}

TEST_F(ExecutorPoolTest, WithoutDescriptorsItIsRefusedAndNothingIsLeftWhicheverExecutorGotNone) {
  static_cast<void>(executor_pool{of(1)});  // what is made once and stays
  const auto descriptors = entries_of("/proc/self/fd");
  const auto threads = entries_of("/proc/self/task");
  const auto room = [descriptors] {
    const executor_pool three{of(3)};
    return entries_of("/proc/self/fd") - descriptors;
  }();
  // UBSan opens a pipe to look at the type of an object, once for each type.
  EXPECT_EQ(refused(0), std::errc::invalid_argument);
  for (const auto* each : {&std::generic_category(), &std::system_category()})
    EXPECT_NE(each->message(EMFILE), "");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);

  for (std::ptrdiff_t few = 0; few < room; ++few) {
    rlimit tight = before;
    tight.rlim_cur = limit_for(few);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &tight), 0);
    const std::error_code answer = refused(3);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);

    EXPECT_EQ(answer, std::errc::too_many_files_open) << few << " descriptors of " << room;
    EXPECT_EQ(entries_of("/proc/self/fd"), descriptors);
    // A thread that was joined stands there until the kernel has done with it.
    while (entries_of("/proc/self/task") > threads) std::this_thread::yield();
  }
}

}  // namespace
}  // namespace pinion::scheduler
