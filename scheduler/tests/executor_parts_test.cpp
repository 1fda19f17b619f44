// SPDX-License-Identifier: Apache-2.0
//
// What an executor does with its parts: timers that are values, where memory may fail, timers that are hooks,
// and frames that come back from another thread.
#include <gtest/gtest.h>

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <functional>
#include <new>
#include <optional>
#include <pinion/base/inline_function.hpp>
#include <pinion/scheduler.hpp>
#include <pinion/timer/ordered_map.hpp>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "reported.hpp"

namespace pinion::scheduler {
namespace {

using namespace std::chrono_literals;
using testing::reported;
using testing::waits_for_nothing;

// A store of values, which has room or has none.
struct values : timer::ordered_map<inline_function<void()>> {
  using timer::ordered_map<inline_function<void()>>::ordered_map;
  timer::handle schedule(instant deadline, value_type&& value) {
    if (is_full) throw std::bad_alloc{};
    return timer::ordered_map<inline_function<void()>>::schedule(deadline, std::move(value));
  }
  static inline bool is_full = false;
};

template <class Store>
struct over : default_parts {
  using timers = Store;
};
template <class Store>
struct ExecutorTimersTest : ::testing::Test {
  using executor = basic_executor<over<Store>>;
};
using stores = ::testing::Types<timer::call_wheel, values>;
TYPED_TEST_SUITE(ExecutorTimersTest, stores, );

TYPED_TEST(ExecutorTimersTest, WhatSleepsIsCancelledAtOnce) {
  std::error_code told;
  const auto sleeps = [](std::error_code& into) -> task<> {
    const auto slept = co_await sleep_for(1h);
    if (!slept) into = slept.error();
  };
  {
    typename TestFixture::executor loop{{.patience = duration{100'000'000}}};
    loop.spawn(sleeps(told)).detach();
    loop.run([]() -> task<> { co_return; }());
  }
  EXPECT_EQ(told, std::errc::operation_canceled);
}

task<bool> sleeps_and_looks(std::function<std::size_t()> armed, std::size_t& seen) {
  bool has_slept = false;
  // The timeout and the sleep are still there where the expression goes on behind the comma.
  has_slept = (co_await with_timeout(1h, sleep_for(1us))).has_value(), seen = armed();
  co_return has_slept;
}

TYPED_TEST(ExecutorTimersTest, ATimeoutThatIsOverHasTakenItsTimerBack) {
  typename TestFixture::executor loop;
  std::size_t beside = 1;

  EXPECT_TRUE(loop.run(sleeps_and_looks([&loop] { return loop.timers().size(); }, beside)));
  EXPECT_EQ(beside, 0U);
}

TYPED_TEST(ExecutorTimersTest, ATimeoutEndsASleep) {
  typename TestFixture::executor loop;
  const auto waits = []() -> task<std::error_code> {
    const auto slept = co_await with_timeout(1ms, sleep_for(1h));
    co_return slept ? std::error_code{} : slept.error();
  };

  EXPECT_EQ(loop.run(waits()), std::errc::timed_out);
  EXPECT_EQ(loop.timers().size(), 0U);
}

// Both are due at once, and the first cancels the other.
TYPED_TEST(ExecutorTimersTest, ASleepThatIsOverIsCancelledNoMore) {
  typename TestFixture::executor loop;
  const instant when = monotonic_clock::now() + ceil(20ms);  // both sleep by then, on a busy machine, too
  std::optional<join_handle<bool>> other;
  const auto cancels = [](instant until, std::optional<join_handle<bool>>& whom) -> task<> {
    co_await sleep_until(until);
    whom->cancel();
  };
  const auto sleeps = [](instant until) -> task<bool> {
    const auto slept = co_await sleep_until(until);
    co_return slept.has_value();
  };
  loop.spawn(cancels(when, other)).detach();
  other.emplace(loop.spawn(sleeps(when)));

  loop.run();

  EXPECT_TRUE(other->take());
}

// ---- No memory for a timer

using full_executor = basic_executor<over<values>>;
struct full {
  full() { values::is_full = true; }
  full(const full&) = delete;
  full& operator=(const full&) = delete;
  ~full() { values::is_full = false; }
};

TEST(executor_without_memory, ASleepAndATimeoutThrowAndTheTaskGoesOn) {
  full_executor loop;
  const auto waits = []() -> task<int> {
    int thrown = 0;
    {
      const full none;
      try {
        co_await sleep_for(1ms);
      } catch (const std::bad_alloc&) {
        ++thrown;
      }
      try {
        static_cast<void>(co_await with_timeout(1ms, yield()));
      } catch (const std::bad_alloc&) {
        ++thrown;
      }
    }
    const auto slept = co_await sleep_for(1us);
    co_return slept ? thrown : -1;
  };

  EXPECT_EQ(loop.run(waits()), 2);
}

TEST(executor_without_memory, ItsEndWaitsForNothingThatMayLast) {
  const reported seen;
  std::coroutine_handle<> left;
  const auto stays = [](std::coroutine_handle<>& at) -> task<> { co_await waits_for_nothing{at}; };
  std::optional<full_executor> loop{std::in_place};
  loop->spawn(stays(left)).detach();
  loop->run([]() -> task<> { co_return; }());
  {
    const full none;
    loop.reset();
  }

  EXPECT_EQ(reported::count, 1);
  left.destroy();
}

// ---- Frames

// Spawns as it goes: its task's frame goes when the task has ended.
struct spawns_at_its_end {
  explicit spawns_at_its_end(std::string& into) : into_(&into) {}
  spawns_at_its_end(spawns_at_its_end&& other) noexcept : into_(std::exchange(other.into_, nullptr)) {}
  spawns_at_its_end& operator=(spawns_at_its_end&&) = delete;
  spawns_at_its_end(const spawns_at_its_end&) = delete;
  spawns_at_its_end& operator=(const spawns_at_its_end&) = delete;
  ~spawns_at_its_end() {
    if (into_ != nullptr) spawn(tells_its_queue(*into_)).detach();
  }

 private:
  static task<> tells_its_queue(std::string& into) {
    into = executor_base::current()->current_queue().options().name;
    co_return;
  }
  std::string* into_;
};

TEST(executor_frames, WhatAFrameHoldsSpawnsAsItGoesAndNoTaskRunsThen) {
  executor loop;
  std::string seen;
  task_queue& other = loop.add_queue({.name = "other"});
  const auto holds = [](spawns_at_its_end) -> task<> { co_return; };

  loop.spawn_into(other, holds(spawns_at_its_end{seen})).detach();
  loop.run();

  EXPECT_EQ(seen, "main");
}

TEST(executor_frames, WhatAnotherThreadFreedIsBackAfterARound) {
  struct slabs : default_parts {
    using frames = slab_frames;
  };
  basic_executor<slabs> loop;
  const auto gives = []() -> task<int> { co_return 1; };
  const auto nothing = []() -> task<> { co_return; };
  const auto spawns = [&] {
    const use_frames here{loop.frames()};
    return loop.spawn(gives());
  };
  auto handle = spawns();
  loop.run();
  ASSERT_EQ(loop.frames().statistics().blocks, 1U);

  std::thread{[last = std::move(handle)]() mutable { last.detach(); }}.join();
  loop.run(nothing());

  EXPECT_EQ(loop.frames().statistics().blocks, 0U);
}

}  // namespace
}  // namespace pinion::scheduler
