// SPDX-License-Identifier: Apache-2.0
//
// What is pushed to an executor that is about to end.
#include <gtest/gtest.h>

#include <coroutine>
#include <pinion/base/diagnostic.hpp>
#include <pinion/scheduler.hpp>
#include <stdexcept>

namespace pinion::scheduler {
namespace {

using the_executor = scheduler::executor;

int reports = 0;

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

TEST(executor_end, RunsWhatTheLastWakesSpawnAndReportsWhatTheyThrow) {
  reports = 0;
  set_diagnostic_sink([](const diagnostic&) noexcept { ++reports; });
  int ran = 0;
  spawning_wake first{ran}, second{ran};
  {
    the_executor loop;
    for (spawning_wake* each : {&first, &second}) loop.channel().sender().push(*each);
  }
  set_diagnostic_sink(nullptr);

  EXPECT_EQ(ran, 2);
  EXPECT_GE(reports, 1);
}

}  // namespace
}  // namespace pinion::scheduler
