// SPDX-License-Identifier: Apache-2.0
//
// What submission promises beside the laws: its calls one by one, over a ring in virtual time. How it ends is
// in submission_end_test.cpp.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <pinion/iosubmit.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "over_virtual.hpp"

namespace pinion::iosubmit {
namespace {

using testing::device_read;
using testing::never_by_itself;
using testing::over_virtual;
using testing::port_probe;
using testing::probe;

using submission_test = testing::over_virtual_test;

TEST_F(submission_test, HandsOverAtParkWaitsAndReadsTheClockOnce) {
  io.queue(first);
  EXPECT_EQ(io.depth(), 1U);
  EXPECT_TRUE(first.is_waiting());
  const std::uint64_t readings = clock.readings();

  EXPECT_EQ(io.park(never), 1U);

  EXPECT_EQ(first.answers, 1);
  EXPECT_FALSE(first.is_waiting());
  EXPECT_EQ(io.now(), instant{1'100});
  EXPECT_EQ(clock.readings(), readings + 1);
  EXPECT_EQ(io.ring().counts().enters, 1U);
}

TEST(virtual_ring, IsAKernelThatDoesAsItIsTold) {
  using namespace std::chrono_literals;
  probe read{device_read()}, another{device_read()}, third{device_read()};
  const std::uint64_t user_data = 16 | 3;
  int looks = 0;
  const auto others = [&](instant) {
    ++looks;
    return false;
  };

  sim::virtual_clock clock{instant{0}};
  sim::virtual_ring ring{clock, {.entries = 64, .keeps_back = true}};  // as with DEFER_TASKRUN
  ring.serve([](const ring_entry&, instant now) { return sim::virtual_answer{.at = now + ceil(80us)}; });
  submission<batch_or_idle, sim::virtual_ring, sim::virtual_clock::view> io{std::move(ring), {}, clock};
  io.queue(read);
  io.park(never);
  EXPECT_EQ(read.answers, 1);
  EXPECT_EQ(clock.time(), instant{0} + ceil(80us));

  io.ring().fail(3, -EAGAIN);      // the next three enters that hand something over
  io.ring().accept_at_most(2, 1);  // the next one takes two, and leaves the others
  io.ring().end_early(1);          // a signal ends the next wait
  io.ring().deliver({user_data, 7, 0},
                    clock.time() + ceil(1ms));  // a message from another ring, in 1 ms
  io.ring().while_asleep(others);               // what other threads do while the owner sleeps
  for (probe* each : {&read, &another, &third}) io.queue(*each);
  while (third.answers == 0) io.park(clock.time() + ceil(1ms));

  EXPECT_GE(io.ring().counts().failed, 3U);
  EXPECT_EQ(read.answers + another.answers, 3);
  EXPECT_NE(looks, 0);
}

TEST_F(submission_test, ParksNoLongerThanUntilAndNotAtAllWhenThatHasBeen) {
  io.queue(first);

  EXPECT_EQ(io.park(instant{1'040}), 0U);
  EXPECT_EQ(clock.time(), instant{1'040});
  EXPECT_EQ(io.in_flight(), 1U);
  io.queue(second);
  EXPECT_EQ(io.park(instant{1'040}), 0U);

  EXPECT_EQ(clock.time(), instant{1'040});
  EXPECT_EQ(io.in_flight(), 2U);
}

// For an owner that looks before it parks; also where answers come with an enter alone, and where they are a
// refusal.
TEST_F(submission_test, SaysWithoutAnEnterWhetherATurnWouldAnswer) {
  for (const bool keeps_back : {false, true}) {
    over_virtual<never_by_itself> of{ring({.keeps_back = keeps_back, .latency = duration{100}}), {}, clock};
    of.queue(first);
    EXPECT_FALSE(of.has_answers());
    of.submit();
    EXPECT_FALSE(of.has_answers());
    const std::uint64_t enters = of.ring().counts().enters;

    clock.advance_by(duration{100});
    EXPECT_TRUE(of.has_answers()) << keeps_back;
    EXPECT_EQ(of.ring().counts().enters, enters);
    EXPECT_EQ(of.turn(clock.time()), 1U);
    EXPECT_FALSE(of.has_answers());

    of.queue(second);
    of.ring().fail(1, -EBADF);
    of.submit();
    EXPECT_TRUE(of.has_answers()) << "it was refused, and is not told yet";
    EXPECT_EQ(of.turn(clock.time()), 1U);
    EXPECT_FALSE(of.has_answers());
  }
}

TEST_F(submission_test, DoesNotOversleepWhereItIsToldAnOldTime) {
  clock.advance_by(duration{300});

  io.park(clock.time() + duration{40});

  EXPECT_EQ(clock.time(), instant{1'340});
}

TEST_F(submission_test, LetsTimePassAlsoWhereThereIsNeverAnythingToWaitFor) {
  over_virtual<immediate> busy{ring({.latency = duration{0}}), {}, clock};
  busy.queue(first);
  clock.advance_by(duration{70});

  busy.park(never);

  EXPECT_EQ(first.answers, 1);
  EXPECT_EQ(busy.now(), instant{1'070});
}

struct counts_questions : never_by_itself {
  int asked = 0;
  park_wait about_to_park(const queue_state&) noexcept {
    ++asked;
    return {};
  }
};

TEST_F(submission_test, AsksForHowManyToWaitOnlyWhereItWillWait) {
  over_virtual<counts_questions> asking{ring({.latency = duration{0}}), {}, clock};
  asking.queue(first);

  asking.park(clock.time());
  EXPECT_EQ(asking.policy().asked, 0) << "the time to wait until has been";
  asking.queue(first);
  asking.park(never);
  EXPECT_EQ(asking.policy().asked, 1);
}

TEST_F(submission_test, TurnsByTheTimeThatItIsGivenAndNeverReadsTheClock) {
  const std::uint64_t readings = clock.readings();
  io.queue(first);

  EXPECT_EQ(io.turn(instant{7}), 0U);

  EXPECT_EQ(io.now(), instant{7});
  EXPECT_EQ(clock.readings(), readings);
  EXPECT_EQ(io.depth(), 1U);
}

TEST_F(submission_test, SaysWhereATurnEndsAlsoWhereNoTimePasses) {
  over_virtual<each_turn> turns{ring(), {}, clock};
  const std::uint8_t mark = *turns.add_sink({.function = [](void*, const ring_completion&) noexcept {}});
  const auto enters = [&] { return turns.ring().counts().enters; };

  turns.turn(clock.time());
  EXPECT_EQ(enters(), 0U) << "nothing is queued";

  turns.queue(first);
  turns.queue(second);
  EXPECT_TRUE(turns.watch(entries::poll_multishot(0, 1, mark)));
  EXPECT_EQ(enters(), 0U) << "it is asked about each, and the turn goes on";

  turns.turn(clock.time());
  EXPECT_EQ(enters(), 1U);
  EXPECT_EQ(turns.depth(), 0U);
}

TEST_F(submission_test, AcceptsMoreThanFitsAndKeepsTheOrder) {
  over_virtual<never_by_itself> small{ring({.entries = 2}), {}, clock};
  std::array<probe, 7> many;
  std::vector<const probe*> order;
  small.ring().fail(1, -EAGAIN);
  for (probe& each : many) {
    each.ask(device_read());
    each.then = [&](probe& done) { order.push_back(&done); };
    small.queue(each);
  }

  while (order.size() < many.size()) small.park(never);

  for (std::size_t k = 0; k < many.size(); ++k) EXPECT_EQ(order[k], &many[k]) << k;
  EXPECT_EQ(small.ring().counts().overfilled, 0U);
}

TEST_F(submission_test, AnswersAPortsEntryAndSaysNoOnlyWhereAnEnterMakesNoRoom) {
  over_virtual<never_by_itself> small{ring({.entries = 1}), {}, clock};
  port_probe a, b, c;

  EXPECT_TRUE(small.queue(device_read(), a));
  EXPECT_TRUE(small.queue(device_read(), b)) << "an enter made room";
  small.ring().fail(1, -EAGAIN);
  EXPECT_FALSE(small.queue(device_read(), c)) << "the kernel refused";
  EXPECT_TRUE(small.queue(device_read(), c)) << "it refuses no more";
  while (small.depth() + small.in_flight() != 0) small.park(never);

  EXPECT_EQ(a.answers + b.answers + c.answers, 3);
}

TEST_F(submission_test, TriesForAPortThoughOperationsWereLeftBehind) {
  over_virtual<never_by_itself> small{ring({.entries = 1}), {}, clock};
  port_probe asked;
  small.ring().fail(1, -EAGAIN);
  small.queue(first);
  small.queue(second);  // refused once: waits in the list

  EXPECT_TRUE(small.queue(device_read(), asked)) << "there is room after an enter (R2)";
  small.stop();
}

struct gathers_for_ever : never_by_itself {
  park_wait about_to_park(const queue_state&) noexcept {
    return {.count = 4'000'000'000U, .gather = forever};
  }
};
TEST_F(submission_test, WaitsForNoMoreThanWillBeAnsweredAndAWatchMayNever) {
  over_virtual<gathers_for_ever> eager{ring(), {}, clock};
  eager.ring().serve([](const ring_entry& entry, instant now) -> sim::virtual_answer {
    return {.at = mark_of(entry.user_data) == operation::mark ? now + duration{100} : never};
  });
  ring_entry watched = device_read();
  watched.user_data = 8 | 2;
  eager.watch(watched);
  eager.queue(first);

  eager.park(never);

  EXPECT_EQ(first.answers, 1);
  EXPECT_EQ(eager.ring().counts().stuck, 0U);
}

struct noting_latencies : never_by_itself {
  duration last{};
  int calls = 0;
  void completed(duration latency) noexcept { last = latency, ++calls; }
};
TEST_F(submission_test, TellsALatencyPolicyHowLongEachTookFromBeingQueued) {
  over_virtual<noting_latencies> told{ring(), {}, clock};
  port_probe asked;
  told.turn(instant{1'000});
  told.queue(first);
  clock.advance_by(duration{30});
  told.turn(clock.time());

  told.park(never);

  EXPECT_EQ(told.policy().last, duration{130});
  EXPECT_EQ(told.policy().calls, 1);
  EXPECT_TRUE(told.queue(device_read(), asked));
  told.park(never);
  EXPECT_EQ(told.policy().calls, 1) << "a port's entries are not the policy's";
}

struct noting_age : never_by_itself {
  duration age{};
  bool queued(const queue_state& state) noexcept {
    age = state.age();
    return false;
  }
};
TEST_F(submission_test, CountsAgeFromTheOldestThatIsStillQueued) {
  over_virtual<noting_age> aged{ring({.entries = 1, .latency = duration{9'999}}), {}, clock};
  aged.turn(instant{1'000});
  aged.queue(first);
  aged.turn(instant{1'500});
  EXPECT_EQ(aged.policy().age, duration{500});

  aged.queue(second);  // there was no room, so the first went

  EXPECT_EQ(aged.depth(), 1U);
  EXPECT_EQ(aged.policy().age, duration{0});
}

TEST_F(submission_test, KeepsAnUrgentOperationUrgentThroughARefusal) {
  io.ring().fail(1, -EAGAIN);
  io.queue_urgent(first);

  io.turn(clock.time());
  EXPECT_EQ(io.depth(), 1U);
  io.turn(clock.time());

  EXPECT_EQ(io.depth(), 0U);
}

TEST_F(submission_test, HandsOverWhatAnAnswerQueuesUrgentlyBeforeTheTurnEnds) {
  first.then = [&](probe&) { io.queue_urgent(second); };
  io.queue(first);

  io.park(never);

  EXPECT_EQ(first.answers, 1);
  EXPECT_EQ(io.depth(), 0U);
  EXPECT_EQ(io.in_flight(), 1U);
}

TEST_F(submission_test, ForgetsThatSomethingWasUrgentWhenThatIsAnswered) {
  io.queue_urgent(first);
  io.stop();
  const std::uint64_t enters = io.ring().counts().enters;

  io.turn(clock.time());
  EXPECT_EQ(io.ring().counts().enters, enters) << "there was nothing to enter for";
  io.queue(second);
  io.turn(clock.time());

  EXPECT_EQ(io.depth(), 1U) << "the second is not urgent";
}

static_assert(
    std::is_const_v<std::remove_reference_t<decltype(std::declval<over_virtual<immediate>&>().ring())>>,
    "S8: all that enters the ring is counted");

TEST_F(submission_test, IsAPortWhereItsRingHasADescriptor) {
  EXPECT_TRUE(ring_port<decltype(io)>);
  EXPECT_EQ(io.descriptor(), 1'000'000);
  EXPECT_TRUE(io.is_owner());
}

TEST_F(submission_test, AnOperationIsWaitingUntilItsLastAnswer) {
  io.queue(first);
  io.park(clock.time());
  io.ring().deliver({.user_data = first.entry().user_data, .result = 1, .flags = ring_completion::more});

  io.turn(clock.time());
  EXPECT_EQ(first.answers, 1);
  EXPECT_TRUE(first.is_waiting()) << "the kernel still writes into what it names";
  io.park(never);

  EXPECT_EQ(first.answers, 2);
  EXPECT_FALSE(first.is_waiting());
}

class submission_contract : public submission_test {
 protected:
  void SetUp() override {
    if (!is_checked) GTEST_SKIP() << "an unchecked build does not look at contracts";
  }
};

TEST_F(submission_contract, AnOperationIsNotQueuedTwice) {
  io.queue(first);

  EXPECT_DEATH(io.queue(first), "queued that is queued or in flight");
}

TEST_F(submission_contract, AnOperationIsNotChangedWhileItWaits) {
  io.queue(first);

  EXPECT_DEATH(first.ask(entries::nop()), "changed while it was queued");
}

TEST_F(submission_contract, AnOperationIsNotDestroyedWhileItWaits) {
  const auto destroy_early = [&] {
    probe gone{device_read()};
    io.queue(gone);
  };

  EXPECT_DEATH(destroy_early(), "destroyed before it was answered");
}

}  // namespace
}  // namespace pinion::iosubmit
