// SPDX-License-Identifier: Apache-2.0
//
// The cells: each rule U1 to U5 broken once, in each build; and the same program under both.
#include <pinion/scheduler/cell.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <coroutine>
#include <cstdio>
#include <memory>
#include <optional>
#include <pinion/scheduler.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace pinion::scheduler {
namespace {

using namespace std::chrono_literals;

// ---- The types

#define PINION_NAME_OF_TOKEN(token) #token
#define PINION_NAME_OF(macro) PINION_NAME_OF_TOKEN(macro)
constexpr bool chosen_is_checked = std::string_view{PINION_NAME_OF(PINION_CELL_DEFAULT)} == "checked";
static_assert(
    std::is_same_v<default_cell,
                   std::conditional_t<is_checked || chosen_is_checked, checked_cell, unchecked_cell>>);
static_assert(executor_cell<default_cell>);
static_assert(executor_cell<checked_cell> && executor_cell<unchecked_cell>);
static_assert(std::is_empty_v<unchecked_cell> && sizeof(unchecked_cell::borrow<int>) == sizeof(int*));
static_assert(!std::is_move_constructible_v<unchecked_cell::borrow<int>> &&
              !std::is_move_constructible_v<checked_cell::borrow<int>>);
struct without_an_owner : unchecked_cell {
  void expect_owner() const = delete;
};
static_assert(!executor_cell<without_an_owner> && !executor_cell<int>);

template <class Cell>
struct parts_by : default_parts {
  using cell = Cell;
};
template <class Cell>
using executor_by = basic_executor<parts_by<Cell>>;

// ---- The cells alone

// What reached the handler: the rule, and the function that broke it.
struct broken {
  std::string rule;
  std::string function;
};
struct CheckedCellTest : ::testing::Test {
  void SetUp() override {
    before = set_violation_handler([](const contract_violation& which) {
      throw broken{std::string{which.condition}, which.place.function_name()};
    });
  }
  void TearDown() override { set_violation_handler(before); }

  // Which rule a body breaks, or "".
  template <class Body>
  static std::string broken_by(Body&& body) {
    try {
      body();
    } catch (const broken& which) {
      return which.rule;
    }
    return "";
  }
  static std::source_location here() { return std::source_location::current(); }

  violation_handler before = nullptr;
  int shared = 1;
};

TEST_F(CheckedCellTest, ABorrowAfterAnotherBreaksNoRule) {
  checked_cell cell;

  EXPECT_EQ(broken_by([&] {
              ++*cell.enter(shared, here()).operator->();
              auto next = cell.enter(shared, here());
              ++*next.operator->();
              next.leave();
              next.leave();
              ++*cell.enter(shared, here()).operator->();
            }),
            "");
  EXPECT_EQ(shared, 4);
}

TEST_F(CheckedCellTest, AForeignThreadBreaksU1AndIsToldTheFunction) {
  checked_cell cell;
  broken seen;

  std::thread{[&] {
    try {
      static_cast<void>(cell.enter(shared, std::source_location::current()));
    } catch (const broken& which) {
      seen = which;
    }
  }}.join();

  EXPECT_EQ(seen.rule, "U1");
  EXPECT_NE(seen.function.find("AForeignThread"), std::string::npos) << seen.function;
}

TEST_F(CheckedCellTest, UseOfABorrowThatHasEndedBreaksU2) {
  checked_cell cell;
  auto first = cell.enter(shared, here());
  first.leave();

  EXPECT_EQ(broken_by([&] { static_cast<void>(first.operator->()); }), "U2");
  const auto second = cell.enter(shared, here());
  EXPECT_EQ(broken_by([&] { static_cast<void>(first.operator->()); }), "U2");
  EXPECT_EQ(broken_by([&] { static_cast<void>(second.operator->()); }), "");
}

TEST_F(CheckedCellTest, TwoBorrowsAtATimeBreakU3) {
  checked_cell cell;
  auto first = cell.enter(shared, here());

  EXPECT_EQ(broken_by([&] { static_cast<void>(cell.enter(shared, here())); }), "U3");
  first.leave();
  EXPECT_EQ(broken_by([&] { static_cast<void>(cell.enter(shared, here())); }), "");
}

TEST_F(CheckedCellTest, AnUncheckedOneLooksAtNothing) {
  unchecked_cell cell;
  auto first = cell.enter(shared, here());
  first.leave();

  EXPECT_EQ(broken_by([&] {
              const auto second = cell.enter(shared, here());
              EXPECT_EQ(first.operator->(), second.operator->());
              cell.expect([]() -> bool { throw broken{.rule = "asked", .function = ""}; }, "", "", here());
            }),
            "");
}

// ---- An executor under a checked cell

using watched = executor_by<checked_cell>;

task<int> gives(int value) { co_return value; }
template <class Body>
task<> does(Body body) {
  body();
  co_return;
}
template <class Body>
void elsewhere(Body body) {
  std::thread{body}.join();
}
task<> awaits(event& opened) { static_cast<void>(co_await opened.wait()); }
task<> sleeps() { static_cast<void>(co_await sleep_for(1h)); }

TEST(WatchedExecutorTest, IsMadeByNamingItsCell) {
  struct watched_parts : default_parts {
    using cell = checked_cell;
  };
  basic_executor<watched_parts> loop;

  EXPECT_EQ(loop.run(gives(42)), 42);
}

constexpr const char* u1 = "foreign thread: push into its channel instead\n.*condition: U1";

TEST(WatchedExecutorTest, CallsOnAForeignThreadBreakU1) {
  EXPECT_DEATH(
      {
        watched loop;
        elsewhere([&] { loop.spawn(gives(1)).detach(); });
      },
      u1);
  EXPECT_DEATH(
      {
        watched loop;
        elsewhere([&] { loop.spawn_into(loop.executor_base::main_queue(), gives(1)).detach(); });
      },
      u1);
  EXPECT_DEATH(
      {
        watched loop;
        elsewhere([&] { loop.run(); });
      },
      u1);
  EXPECT_DEATH(
      {
        watched loop;
        elsewhere([&] { loop.add_queue({.name = "other"}); });
      },
      u1);
  EXPECT_DEATH(
      {
        watched loop;
        elsewhere([&] { static_cast<void>(loop.size()); });
      },
      u1);
  EXPECT_DEATH(
      {
        set_violation_handler([](const contract_violation& which) {
          std::fprintf(stderr, "broken: %s", which.place.function_name());
        });
        auto loop = std::make_unique<watched>();
        elsewhere([&] { loop.reset(); });
      },
      "broken: .*~basic_executor");
}

// What a task waits for knows no type of an executor. Its end is looked at all the same.
TEST(WatchedExecutorTest, AWaitThatIsEndedOnAForeignThreadBreaksU1) {
  EXPECT_DEATH(
      {
        watched loop;
        event opened;
        auto waits = loop.spawn(awaits(opened));
        loop.run(does([&] { elsewhere([&] { opened.set(); }); }));
      },
      u1);
  EXPECT_DEATH(
      {
        watched loop;
        auto waits = loop.spawn(sleeps());
        loop.run(does([&] { elsewhere([&] { waits.cancel(); }); }));
      },
      u1);
  EXPECT_DEATH(
      {
        static executor_base* by = nullptr;
        set_violation_handler([](const contract_violation& which) {
          std::fprintf(stderr, "%.*s broken with %zu tasks", static_cast<int>(which.condition.size()),
                       which.condition.data(), by->size());
        });
        watched loop;
        by = &loop;
        elsewhere([&] { join_handle<int>{*by, gives(1), by->main_queue()}.detach(); });
      },
      "U1 broken with 0 tasks");
}

TEST(WatchedExecutorTest, ItsChannelIsForEveryThread) {
  watched loop;
  waker::wake_event woken{loop.channel()};
  const auto waits = [](watched& on, auto& until) -> task<bool> {
    const auto over = co_await until.wait(on.slot());
    co_return over.has_value();
  };
  std::thread other{[&] { loop.channel().sender().push(woken); }};

  EXPECT_TRUE(loop.run(waits(loop, woken)));
  other.join();
}

TEST(WatchedExecutorTest, RunningOrEndingInsideATaskBreaksU4) {
  EXPECT_DEATH(
      {
        watched loop;
        loop.run(does([&] { loop.run(); }));
      },
      "run inside a task.*\n.*condition: U4");
  EXPECT_DEATH(
      {
        watched outer;
        watched inner;
        outer.run(does([&] { inner.run(gives(1)); }));
      },
      "run inside a task.*\n.*condition: U4");
  EXPECT_DEATH(
      {
        auto loop = std::make_unique<watched>();
        loop->run(does([&] { loop.reset(); }));
      },
      "destroyed inside a task of its own.*\n.*condition: U4");
}

TEST(WatchedExecutorTest, ATaskInAQueueOfAnotherExecutorBreaksU5) {
  EXPECT_DEATH(
      {
        watched loop;
        watched other;
        loop.spawn_into(other.main_queue(), gives(1)).detach();
      },
      "a queue of another executor.*\n.*condition: U5");
}

// ---- The same program under both

template <class Cell>
struct ExecutorByCellTest : ::testing::Test {
  executor_by<Cell> loop;
};
using both_cells = ::testing::Types<unchecked_cell, checked_cell>;
TYPED_TEST_SUITE(ExecutorByCellTest, both_cells, );

task<> counts(std::vector<std::string>& into, const char* name, int times) {
  for (int k = 0; k != times; ++k) {
    into.push_back(name + std::to_string(k));
    co_await yield();
  }
}
task<> spawns_and_waits(std::vector<std::string>& into, task_queue& other) {
  task_group all;
  event opened;
  all.spawn(counts(into, "group", 2));
  all.spawn_into(other, counts(into, "other", 2));
  auto waits = spawn(awaits(opened));
  auto gone = spawn(sleeps());
  co_await yield();
  opened.set();
  co_await waits;
  gone.cancel();
  co_await gone;
  const auto late = co_await with_timeout(1ms, sleep_for(1h));
  into.emplace_back(late ? "slept" : late.error().message());
  co_await all.join();
  into.emplace_back("joined");
}

TYPED_TEST(ExecutorByCellTest, AProgramDoesTheSame) {
  std::vector<std::string> seen;
  task_queue& other = this->loop.add_queue({.name = "other"});
  auto beside = this->loop.spawn(counts(seen, "beside", 2));

  this->loop.run(spawns_and_waits(seen, other));

  const std::string timed_out = std::make_error_code(std::errc::timed_out).message();
  std::vector<std::string> in_main;
  for (const std::string& each : seen) {
    if (!each.starts_with("other")) in_main.push_back(each);
  }
  EXPECT_EQ(in_main,
            (std::vector<std::string>{"beside0", "beside1", "group0", "group1", timed_out, "joined"}));
  EXPECT_EQ(seen.size(), in_main.size() + 2);
  EXPECT_EQ(other.statistics().tasks, 0U);
  EXPECT_TRUE(beside.is_over());
}

// The laws of the executor (executor_test.cpp), one of each kind.
TYPED_TEST(ExecutorByCellTest, ATaskMayAddAQueueAndSpawnIntoItWhileItRuns) {
  const auto adds = [](executor_by<TypeParam>& on) -> task<int> {
    task_queue& added = on.add_queue({.name = "added"});
    auto spawned = on.spawn_into(added, gives(7));
    co_return co_await spawned;
  };

  EXPECT_EQ(this->loop.run(adds(this->loop)), 7);
}

TYPED_TEST(ExecutorByCellTest, WhatATaskThrowsComesOutOfRunAndTheOthersStay) {
  bool has_run = false;
  this->loop.spawn(does([] { throw std::system_error{std::make_error_code(std::errc::io_error)}; })).detach();
  this->loop.spawn(does([&] { has_run = true; })).detach();

  EXPECT_THROW(this->loop.run(), std::system_error);
  EXPECT_FALSE(has_run);
  this->loop.run();

  EXPECT_TRUE(has_run);
}

TYPED_TEST(ExecutorByCellTest, ItsEndEndsEachTaskOnce) {
  int ended = 0;
  struct counted {
    int& of;
    ~counted() { ++of; }
  };
  const auto waits = [](int& count) -> task<> {
    const counted end{count};
    static_cast<void>(co_await sleep_for(1h));
  };
  {
    executor_by<TypeParam> ends;
    for (int k = 0; k != 100; ++k) ends.spawn(waits(ended)).detach();
    ends.run(gives(0));
  }

  EXPECT_EQ(ended, 100);
}

}  // namespace
}  // namespace pinion::scheduler
