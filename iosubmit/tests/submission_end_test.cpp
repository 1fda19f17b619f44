// SPDX-License-Identifier: Apache-2.0
//
// What submission does where the ring refuses for good, and in stop().
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <pinion/base/diagnostic.hpp>
#include <pinion/iosubmit.hpp>
#include <vector>

#include "over_virtual.hpp"

namespace pinion::iosubmit {
namespace {

using testing::device_read;
using testing::never_by_itself;
using testing::over_virtual;
using testing::port_probe;
using testing::probe;

using submission_end_test = testing::over_virtual_test;

TEST_F(submission_end_test, RefusesOnceATurnWhatAsksAgainInsideItsAnswer) {
  probe stubborn{device_read()};
  over_virtual<immediate> broken{ring(), {}, clock};
  broken.ring().fail(sim::virtual_ring::for_ever, -EPERM);
  stubborn.then = [&](probe& self) {
    if (self.answers < 100) broken.queue(self);
  };

  broken.queue(stubborn);
  EXPECT_EQ(stubborn.answers, 1) << "asking again inside the answer must not go deeper and deeper";
  broken.turn(clock.time());

  EXPECT_EQ(stubborn.answers, 2);
  EXPECT_EQ(stubborn.result, -EPERM);
  stubborn.then = nullptr;  // before it is answered for good, by the end of the submission
}

int reports = 0;
TEST_F(submission_end_test, ReportsALastingErrorOnce) {
  io.ring().fail(sim::virtual_ring::for_ever, -EPERM);
  reports = 0;
  const diagnostic_sink before = set_diagnostic_sink([](const diagnostic&) noexcept { ++reports; });

  for (int k = 0; k < 5; ++k) io.park(clock.time(), instant{2'000});

  set_diagnostic_sink(before);
  EXPECT_EQ(reports, 1);
}

// By the default sink, which prints once what comes from one place; in a process that has printed nothing.
TEST_F(submission_end_test, TellsEachErrorThatIsNewOnce) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto fail_and_exit = [&] {
    set_diagnostic_sink(nullptr);
    for (const std::int32_t error : {-EPERM, -EBADF, -EPERM, -EBADF, -EINVAL}) {
      over_virtual<never_by_itself> refused{ring(), {}, clock};
      refused.ring().fail(1, error);
      refused.queue(first);
      refused.park(clock.time(), clock.time());
    }
    std::_Exit(0);
  };

  EXPECT_EXIT(fail_and_exit(), ::testing::ExitedWithCode(0),
              "^pinion: error: iosubmit: [^\n]*seccomp[^\n]*\n"
              "pinion: error: iosubmit: [^\n]*closed[^\n]*\n"
              "pinion: error: iosubmit: [^\n]*older[^\n]*\n$");
}

TEST_F(submission_end_test, StopsWithoutEnteringForWhatAnswersAsk) {
  probe chain{entries::nop()};
  over_virtual<immediate> stopping{ring(), {}, clock};
  stopping.queue(chain);  // taken at once, answered with 0 inside stop()
  chain.then = [&](probe& self) {
    if (self.result == 0 && self.answers < 100) stopping.queue(self);
  };

  stopping.stop();

  EXPECT_EQ(chain.answers, 2);
  EXPECT_EQ(chain.result, -ECANCELED);
  chain.then = nullptr;
}

TEST_F(submission_end_test, StopsWhatCanNotBeCancelledWithoutSpinning) {
  io.ring().serve([](const ring_entry&, instant now) -> sim::virtual_answer {
    return {.at = now + duration{20'000'000}, .result = 5, .can_be_cancelled = false};
  });
  io.queue(first);
  io.park(clock.time(), clock.time());
  const std::uint64_t enters = io.ring().counts().enters;

  io.stop();

  EXPECT_EQ(first.answers, 1);
  EXPECT_EQ(first.result, 5);
  EXPECT_LE(io.ring().counts().enters - enters, 25U) << "one for each millisecond, and a few";
}

TEST_F(submission_end_test, StopsAWatchThoughNothingElseIsInFlight) {
  struct ended {
    over_virtual<never_by_itself>& io;
    ring_entry watch;
    std::vector<std::int32_t> results;
    bool is_watched_again = false;
  } mine{io, device_read(), {}};
  mine.watch.user_data = 8 | 2;
  io.messages_to({.function =
                      [](void* context, const ring_completion& last) noexcept {
                        auto& of = *static_cast<ended*>(context);
                        of.results.push_back(last.result);
                        of.is_watched_again = of.io.watch(of.watch);
                      },
                  .context = &mine});
  io.ring().serve([](const ring_entry&, instant) -> sim::virtual_answer { return {.at = never}; });
  ASSERT_TRUE(io.watch(mine.watch));
  io.park(clock.time(), clock.time());
  ASSERT_EQ(io.ring().in_flight(), 1U);
  io.ring().fail(2, -EAGAIN);  // a cancel that is not taken has not found that there is nothing

  io.stop();

  EXPECT_EQ(mine.results, std::vector<std::int32_t>{-ECANCELED});
  EXPECT_FALSE(mine.is_watched_again) << "it would be stopped again, without end";
  EXPECT_EQ(io.ring().in_flight(), 0U);
  EXPECT_EQ(io.depth(), 0U);
  io.messages_to({});
}

TEST_F(submission_end_test, StopsThroughRefusalsWithoutSpinning) {
  io.queue(first);
  io.park(clock.time(), clock.time());
  io.ring().serve({});
  io.ring().fail(10, -EAGAIN);
  const std::uint64_t sleeps = io.ring().counts().sleeps;
  sim::virtual_ring_counts before = io.ring().counts();

  io.stop();

  EXPECT_EQ(first.answers, 1);
  EXPECT_EQ(io.in_flight(), 0U);
  EXPECT_GE(io.ring().counts().sleeps, sleeps + 1);
  EXPECT_LE(io.ring().counts().failed - before.failed, 10U);
}

TEST_F(submission_end_test, StopsOverARingThatTakesNothingAnyMore) {
  io.queue(first);
  io.queue(second);
  io.ring().fail(sim::virtual_ring::for_ever, -EBADF);

  io.stop();

  EXPECT_EQ(first.result, -ECANCELED);
  EXPECT_EQ(second.result, -ECANCELED);
}

TEST_F(submission_end_test, AnswersWhatIsQueuedAndWhatIsInFlightWhenItIsDestroyed) {
  port_probe asked;
  {
    over_virtual<never_by_itself> gone{ring({.entries = 2, .latency = duration{1'000'000}}), {}, clock};
    gone.queue(first);
    gone.park(clock.time(), clock.time());
    gone.queue(second);
    EXPECT_TRUE(gone.queue(device_read(), asked));
  }

  EXPECT_EQ(first.result, -ECANCELED);
  EXPECT_EQ(second.result, -ECANCELED);
  EXPECT_EQ(asked.result, -ECANCELED);
  EXPECT_EQ(first.answers + second.answers + asked.answers, 3);
}

}  // namespace
}  // namespace pinion::iosubmit
