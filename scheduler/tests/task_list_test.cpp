// SPDX-License-Identifier: Apache-2.0
//
// What a list of tasks says of each, and who may have it told. function_name.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <coroutine>
#include <csignal>
#include <cstdio>
#include <pinion/scheduler.hpp>
#include <pinion/waker/call_on_signal.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace pinion::scheduler::testing {
namespace {

using namespace std::chrono_literals;
using executor = scheduler::executor;

task<> sleeps_long() { co_await sleep_for(1h); }
task<> is_over_soon() { co_await yield(); }
task<int> waits_below(event& until) {
  const auto set = co_await until.wait();
  EXPECT_TRUE(set);
  co_return 1;
}
task<int> awaits_a_part(event& until) { co_return co_await waits_below(until); }

struct found {
  std::string name, queue, where;
  task_state state;
};
std::vector<found> all_of(const executor_base& loop) {
  std::vector<found> all;
  loop.for_each_task([&](const task_header& each) {
    const seen_task seen = look_at(loop, each);
    all.push_back({std::string{seen.name}, std::string{seen.queue},
                   seen.where == nullptr ? std::string{} : function_name(seen.where), seen.state});
  });
  return all;
}
// The one of that name, or one that has none.
found by_name(const std::vector<found>& all, std::string_view name) {
  const auto at =
      std::find_if(all.begin(), all.end(), [name](const found& each) { return each.name == name; });
  return at != all.end() ? *at : found{};
}
bool is_in(const found& task, std::string_view function) {
  return task.where.find(function) != std::string::npos;
}

task<> lists(std::vector<found>& into) {
  into = all_of(*executor_base::current());
  co_return;
}

TEST(TaskListTest, EachTaskHasItsStateQueueAndPlace) {
  executor loop;
  event until;
  std::vector<found> seen;
  task_queue& batch = loop.add_queue({.name = "batch"});
  auto sleeper = loop.spawn(sleeps_long(), "sleeper");
  auto part = loop.spawn_into(batch, awaits_a_part(until), "part");
  auto over = loop.spawn(is_over_soon(), "over");
  loop.run(is_over_soon());
  ASSERT_TRUE(over.is_over());
  auto lister = loop.spawn(lists(seen), "lister");
  auto fresh = loop.spawn(sleeps_long(), "fresh");

  loop.run_until([&] { return lister.is_over(); });

  EXPECT_EQ(seen.size(), 4U) << "over is in no list, though it is joined only later";
  EXPECT_EQ(by_name(seen, "sleeper").state, task_state::waiting);
  EXPECT_TRUE(is_in(by_name(seen, "sleeper"), "sleeps_long")) << by_name(seen, "sleeper").where;
  EXPECT_EQ(by_name(seen, "sleeper").queue, "main");
  EXPECT_EQ(by_name(seen, "part").state, task_state::waiting);
  EXPECT_EQ(by_name(seen, "part").queue, "batch");
  EXPECT_TRUE(is_in(by_name(seen, "part"), "waits_below"))
      << "the innermost: " << by_name(seen, "part").where;
  EXPECT_EQ(by_name(seen, "lister").state, task_state::running);
  EXPECT_EQ(by_name(seen, "lister").where, "");
  EXPECT_EQ(by_name(seen, "fresh").state, task_state::ready) << "it has not begun";
  EXPECT_TRUE(is_in(by_name(seen, "fresh"), "sleeps_long")) << by_name(seen, "fresh").where;
  until.set();
  sleeper.cancel();
  fresh.cancel();
  loop.run();
  EXPECT_TRUE(all_of(loop).empty());
  over.take();
  part.take();
}

// Below a task of one queue, and in another one.
task<> spawns_everywhere(task_queue& other, std::vector<found>& into) {
  task_group all;
  auto free = spawn_into(other, sleeps_long(), "free");
  all.spawn(sleeps_long(), "grouped");
  all.spawn_into(other, sleeps_long(), "placed");
  auto kept = all.spawn_kept(sleeps_long());
  into = all_of(*executor_base::current());
  free.cancel();
  all.cancel();
  co_await all.join();
  co_await free;
}

TEST(TaskListTest, WhatATaskSpawnsIsInItsQueueOrInTheOneThatItNames) {
  executor loop;
  std::vector<found> seen;
  task_queue& batch = loop.add_queue({.name = "batch"});
  task_queue& other = loop.add_queue({.name = "other"});

  loop.spawn_into(batch, spawns_everywhere(other, seen), "spawner").detach();
  loop.run();

  ASSERT_EQ(seen.size(), 5U);
  EXPECT_EQ(by_name(seen, "spawner").queue, "batch");
  EXPECT_EQ(by_name(seen, "free").queue, "other");
  EXPECT_EQ(by_name(seen, "grouped").queue, "batch");
  EXPECT_EQ(by_name(seen, "placed").queue, "other");
  EXPECT_EQ(by_name(seen, "").queue, "batch") << "of which a handle is kept";
}

TEST(TaskListTest, BetweenRoundsNoTaskRuns) {
  executor loop;
  loop.spawn(sleeps_long()).detach();

  int rounds = 0;
  loop.run_until([&] { return ++rounds > 1; });

  EXPECT_EQ(loop.running_task(), nullptr);
}

// ---- In words

TEST(TaskListTest, ALineSaysQueueNameStateAndPlace) {
  const void* const here = std::bit_cast<const void*>(&list_of_tasks);
  const std::string place = function_name(here);
  EXPECT_NE(place.find("list_of_tasks"), std::string::npos) << place;

  EXPECT_EQ(to_string({.name = "index", .queue = "batch", .state = task_state::running, .where = nullptr}),
            "batch: index runs");
  EXPECT_EQ(to_string({.name = "", .queue = "main", .state = task_state::ready, .where = here}),
            "main: a task is ready in " + place);
  EXPECT_EQ(to_string({.name = "x", .queue = "main", .state = task_state::waiting, .where = here}),
            "main: x waits in " + place);
}

TEST(TaskListTest, AListIsALineForEachTaskAsTheSampleSays) {
  executor loop;
  loop.spawn(sleeps_long(), "one").detach();
  loop.spawn(sleeps_long(), "two").detach();
  loop.run(is_over_soon());
  ::testing::internal::CaptureStderr();

  std::fputs(list_of_tasks(loop).c_str(), stderr);  // on its thread, also inside a task

  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(text.find("main: two waits in "), 0U) << text;
  EXPECT_NE(text.find("sleeps_long()\nmain: one waits in "), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

std::string printed;
constexpr auto print = [](void* /*context*/, std::string_view text) noexcept { printed += text; };

TEST(TaskListTest, AnotherThreadHasTheListTold) {
  executor loop;
  printed.clear();
  loop.spawn(sleeps_long(), "sleeper").detach();
  loop.run(is_over_soon());  // the sleeper sleeps

  task_dump dump{loop, {.function = print}};  // beside the loop; print(void*, std::string_view)
  std::thread other{[&dump, sender = loop.channel().sender()] {
    sender.push(dump);  // any thread, of loop.channel().sender()
  }};
  loop.run_until([] { return !printed.empty(); });
  other.join();

  EXPECT_EQ(printed.find("main: sleeper waits in "), 0U) << printed;
}

TEST(TaskListTest, ASignalHasTheListTold) {
  executor loop;
  printed.clear();
  loop.spawn(sleeps_long(), "sleeper").detach();
  loop.run(is_over_soon());  // the sleeper sleeps
  constexpr auto lists = [](void* of) noexcept {
    printed += list_of_tasks(*static_cast<executor_base*>(of));
  };
  const waker::call_on_signal on_usr1{
      loop.channel(), SIGUSR1, {.function = lists, .context = static_cast<executor_base*>(&loop)}};

  std::thread other{[] { ::raise(SIGUSR1); }};
  loop.run_until([] { return !printed.empty(); });
  other.join();

  EXPECT_EQ(printed.find("main: sleeper waits in "), 0U) << printed;
}

// ---- Names of functions

extern "C" int pinion_test_exported(int value) { return value + 1; }
[[gnu::noinline]] int is_static(int value) { return value * 3; }

TEST(FunctionNameTest, FindsWhatIsExportedAndWhatIsNot) {
  const void* address = std::bit_cast<const void*>(&is_static);
  ::testing::internal::CaptureStdout();

  std::puts(function_name(address).c_str());  // "serve(int)", or "./server+0x1f30"

  const std::string name = ::testing::internal::GetCapturedStdout();
  EXPECT_NE(name.find("is_static(int)"), std::string::npos) << name;
  EXPECT_EQ(function_name(std::bit_cast<const void*>(&pinion_test_exported)), "pinion_test_exported");
  EXPECT_EQ(function_name(std::bit_cast<const void*>(&std::fputs)).find("fputs") != std::string::npos, true);
}

TEST(FunctionNameTest, ACoroutineHasTheNameOfItsFunction) {
  executor loop;
  auto sleeper = loop.spawn(sleeps_long());
  std::string name;
  loop.for_each_task([&](const task_header& each) { name = function_name(look_at(loop, each).where); });

  EXPECT_NE(name.find("sleeps_long()"), std::string::npos) << name;
  EXPECT_EQ(name.find("Frame"), std::string::npos) << name;
  EXPECT_EQ(name.find("resume"), std::string::npos) << name;
  sleeper.cancel();
  loop.run();
}

TEST(FunctionNameTest, AnAddressInNoFileIsANumber) {
  const int local = 0;
  EXPECT_EQ(function_name(&local).find("0x"), 0U);
}

}  // namespace
}  // namespace pinion::scheduler::testing
