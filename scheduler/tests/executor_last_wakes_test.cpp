// SPDX-License-Identifier: Apache-2.0
//
// What is pushed to an executor that is about to end.
#include <gtest/gtest.h>

#include <coroutine>
#include <pinion/scheduler.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "reported.hpp"

namespace pinion::scheduler {
namespace {

using testing::reported;
using the_executor = scheduler::executor;

// Spawns when it is drained, and throws then.
struct spawning_wake : waker::wake_call {
  explicit spawning_wake(int& ran) noexcept
      : wake_call([](wake_call& self) {
          spawn(counts(*static_cast<spawning_wake&>(self).ran_)).detach();
          throw std::runtime_error("drained");
        }),
        ran_(&ran) {}

 private:
  static task<> counts(int& ran) {
    ++ran;
    co_return;
  }
  int* ran_;
};

// Spawns, when it is drained, what awaits another executor.
struct asking_wake : waker::wake_call {
  asking_wake(remote_executor there, std::error_code& told) noexcept
      : wake_call([](wake_call& self) {
          auto& mine = static_cast<asking_wake&>(self);
          spawn(asks(mine.there_, *mine.told_)).detach();
        }),
        there_(std::move(there)), told_(&told) {}

 private:
  static task<> asks(remote_executor there, std::error_code& told) {
    const auto answer = co_await spawn_on(std::move(there), []() -> task<int> { co_return 1; });
    told = answer ? std::make_error_code(std::errc::no_message) : answer.error();
  }
  remote_executor there_;
  std::error_code* told_;
};

// By then its own channel is closed: nothing comes home.
TEST(executor_end, ATaskOfTheLastWakeIsToldAtOnceThatItWasCancelled) {
  const reported seen;
  the_executor other;
  std::error_code told;
  asking_wake last{other.remote(), told};
  {
    the_executor loop;
    loop.channel().sender().push(last);
  }

  EXPECT_EQ(told, std::errc::operation_canceled);
  EXPECT_EQ(reported::count, 0) << "a task was left";
}

TEST(executor_end, RunsWhatTheLastWakesSpawnAndReportsWhatTheyThrow) {
  const reported seen;
  int ran = 0;
  spawning_wake first{ran}, second{ran};
  {
    the_executor loop;
    for (spawning_wake* each : {&first, &second}) loop.channel().sender().push(*each);
  }

  EXPECT_EQ(ran, 2);
  EXPECT_GE(reported::count, 1);
}

}  // namespace
}  // namespace pinion::scheduler
