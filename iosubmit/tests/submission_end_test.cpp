// SPDX-License-Identifier: Apache-2.0
//
// What submission does where the ring refuses for good, and in stop().
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <pinion/base/diagnostic.hpp>
#include <pinion/iosubmit.hpp>
#include <string>
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
  EXPECT_EQ(stubborn.answers, 0) << "queueing does not answer";
  EXPECT_EQ(broken.depth(), 1U);
  broken.turn(clock.time());
  EXPECT_EQ(stubborn.answers, 1) << "asking again inside the answer must not go deeper and deeper";
  broken.turn(clock.time());

  EXPECT_EQ(stubborn.answers, 2);
  EXPECT_EQ(stubborn.result, -EPERM);
  stubborn.then = nullptr;  // before it is answered for good, by the end of the submission
}

TEST_F(submission_end_test, SubmitDoesNotTryARingAgainThatHasRefusedForGood) {
  io.ring().fail(sim::virtual_ring::for_ever, -EPERM);
  io.queue(first);
  io.park(clock.time());
  ASSERT_EQ(first.result, -EPERM);
  const std::uint64_t enters = io.ring().counts().enters;

  io.queue(second);
  io.submit();

  EXPECT_EQ(io.ring().counts().enters, enters);
  EXPECT_FALSE(io.has_answers()) << "an owner that spins before it parks would never park";
  io.park(clock.time());
  EXPECT_EQ(second.result, -EPERM);
}

int reports = 0;
TEST_F(submission_end_test, ReportsALastingErrorOnce) {
  io.ring().fail(sim::virtual_ring::for_ever, -EPERM);
  reports = 0;
  const diagnostic_sink before = set_diagnostic_sink([](const diagnostic&) noexcept { ++reports; });

  for (int k = 0; k < 5; ++k) io.park(instant{2'000});

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
      refused.park(clock.time());
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

  EXPECT_EQ(chain.answers, 1);
  EXPECT_EQ(chain.result, 0);
  EXPECT_TRUE(chain.is_waiting());
  EXPECT_EQ(stopping.turn(clock.time()), 1U) << "what was queued meanwhile is answered by the next turn";
  EXPECT_EQ(chain.answers, 2);
  EXPECT_EQ(chain.result, -ECANCELED);
}

TEST_F(submission_end_test, StopsWhatCanNotBeCancelledWithoutSpinning) {
  io.ring().serve([](const ring_entry&, instant now) -> sim::virtual_answer {
    return {.at = now + duration{20'000'000}, .result = 5, .can_be_cancelled = false};
  });
  io.queue(first);
  io.park(clock.time());
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
  const auto mark = io.add_sink({.function =
                                     [](void* context, const ring_completion& last) noexcept {
                                       auto& of = *static_cast<ended*>(context);
                                       of.results.push_back(last.result);
                                       of.is_watched_again = of.io.watch(of.watch);
                                     },
                                 .context = &mine});
  ASSERT_TRUE(mark.has_value());
  mine.watch.user_data = 8U | *mark;
  io.ring().serve([](const ring_entry&, instant) -> sim::virtual_answer { return {.at = never}; });
  ASSERT_TRUE(io.watch(mine.watch));
  io.park(clock.time());
  ASSERT_EQ(io.ring().in_flight(), 1U);
  io.ring().fail(2, -EAGAIN);  // a cancel that is not taken has not found that there is nothing

  io.stop();

  EXPECT_EQ(mine.results, std::vector<std::int32_t>{-ECANCELED});
  EXPECT_FALSE(mine.is_watched_again) << "it would be stopped again, without end";
  EXPECT_EQ(io.ring().in_flight(), 0U);
  EXPECT_EQ(io.depth(), 0U);
  io.remove_sink(*mark);
}

TEST_F(submission_end_test, StopsThroughRefusalsWithoutSpinning) {
  io.queue(first);
  io.park(clock.time());
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

std::string told;
TEST_F(submission_end_test, LetsGoOfWhatAnswersQueueWhileItIsDestroyedAndSaysSo) {
  told.clear();
  const diagnostic_sink before =
      set_diagnostic_sink([](const diagnostic& what) noexcept { told.append(what.text).append("\n"); });
  {
    over_virtual<immediate> gone{ring(), {}, clock};
    first.then = [&](probe& self) { gone.queue(self); };
    second.then = first.then;
    gone.queue(first);
    gone.queue(second);
  }
  set_diagnostic_sink(before);

  EXPECT_EQ(first.answers, 2) << "a second time, so that what only goes on is told, too";
  EXPECT_EQ(second.answers, 2);
  EXPECT_FALSE(first.is_waiting()) << "it may be destroyed";
  EXPECT_EQ(told.substr(0, 44), "2 operations are let go without an answer: a");
  EXPECT_EQ(std::ranges::count(told, '\n'), 1);
}

TEST_F(submission_end_test, KeepsAPortOutWhileSomethingIsRefused) {
  port_probe asked;
  over_virtual<immediate> broken{ring(), {}, clock};
  broken.ring().fail(1, -EPERM);

  broken.queue(first);
  EXPECT_FALSE(broken.queue(device_read(), asked)) << "first is to be answered before";
  broken.queue(second);
  broken.turn(clock.time());
  broken.turn(clock.time());

  EXPECT_EQ(first.result, -EPERM);
  EXPECT_EQ(second.answers, 0) << "it came after the refusal";
  EXPECT_EQ(broken.in_flight(), 1U);
  EXPECT_TRUE(broken.queue(device_read(), asked));
}

TEST_F(submission_end_test, FetchesWhatIsFlaggedThoughWhatIsQueuedWasRefused) {
  probe third{device_read()};
  over_virtual<never_by_itself> small{
      ring({.entries = 1, .keeps_back = true, .latency = duration{10}}), {}, clock};
  small.queue(first);
  small.park(clock.time());
  clock.advance_by(duration{10});
  small.queue(second);
  small.ring().fail(1, -EPERM);
  small.queue(third);  // there is no room: an enter, which is refused

  EXPECT_EQ(small.turn(clock.time()), 2U);

  EXPECT_EQ(first.result, 0);
  EXPECT_EQ(second.result, -EPERM);
  EXPECT_EQ(third.answers, 0) << "it was not there when the kernel refused";
}

TEST_F(submission_end_test, AnswersWhatIsQueuedAndWhatIsInFlightWhenItIsDestroyed) {
  port_probe asked;
  {
    over_virtual<never_by_itself> gone{ring({.entries = 2, .latency = duration{1'000'000}}), {}, clock};
    gone.queue(first);
    gone.park(clock.time());
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
