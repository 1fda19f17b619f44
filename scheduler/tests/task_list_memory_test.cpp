// SPDX-License-Identifier: Apache-2.0
//
// What a list of tasks says where there is no memory for it.
#include <gtest/gtest.h>

#include <allocations.hpp>
#include <chrono>
#include <coroutine>
#include <pinion/scheduler.hpp>
#include <string>
#include <string_view>

namespace pinion::scheduler::testing {
namespace {

TEST(TaskListMemoryTest, WhereThereIsNoneForTheListThatIsTold) {
  scheduler::executor loop;
  std::string printed;
  printed.reserve(100);
  constexpr auto print = [](void* into, std::string_view text) noexcept {
    *static_cast<std::string*>(into) += text;
  };
  const auto sleeps = []() -> task<> { co_await sleep_for(std::chrono::hours{1}); };
  const auto yields = []() -> task<> { co_await yield(); };
  loop.spawn(sleeps(), "sleeper").detach();
  loop.run(yields());
  task_dump dump{loop, {.function = print, .context = &printed}};

  loop.channel().sender().push(dump);
  pinion::testing::fail_allocation(1);
  loop.run_until([&] { return !printed.empty(); });
  pinion::testing::fail_allocation(0);

  EXPECT_EQ(printed, "there was no memory for the list of tasks\n");
}

}  // namespace
}  // namespace pinion::scheduler::testing
