// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <pinion/base/ring.hpp>
#include <pinion/sim/virtual_ring.hpp>
#include <utility>
#include <vector>

namespace pinion::sim {
namespace {

constexpr std::uint8_t nop = 0, timeout = 11, cancel = 14, read = 22;

ring_entry entry(std::uint8_t operation, std::uint64_t user_data) {
  return {.operation = operation, .user_data = user_data};
}

std::vector<std::uint64_t> reaped(virtual_ring& ring) {
  std::vector<std::uint64_t> names;
  ring.reap([&](const ring_completion& c) { names.push_back(c.user_data); });
  return names;
}

ring_completion the_only_one(virtual_ring& ring) {
  ring_completion last{};
  EXPECT_EQ(ring.reap([&](const ring_completion& c) { last = c; }), 1U);
  return last;
}

using names = std::vector<std::uint64_t>;

class virtual_ring_test : public ::testing::Test {
 protected:
  void put(virtual_ring& ring, int count, std::uint8_t operation = read) {
    for (int i = 0; i < count; ++i) ring.put(entry(operation, ++last_));
  }

  virtual_clock clock{instant{1'000}};

 private:
  std::uint64_t last_ = 0;
};

TEST_F(virtual_ring_test, TakesNothingAndNoTimeUntilItIsEntered) {
  virtual_ring ring{clock, {.entries = 4}};

  put(ring, 3, nop);

  EXPECT_EQ(ring.room(), 1U);
  EXPECT_EQ(ring.pending(), 3U);
  EXPECT_FALSE(ring.has_completions());
  EXPECT_EQ(ring.enter({}), (ring_entered{.accepted = 3}));
  EXPECT_EQ(ring.pending(), 0U);
  EXPECT_EQ(reaped(ring), (names{1, 2, 3}));
  EXPECT_EQ(clock.time(), instant{1'000});
}

TEST_F(virtual_ring_test, WaitsUntilTheNextCompletionAndNoLonger) {
  virtual_ring ring{clock, {.latency = duration{50}}};
  put(ring, 2);

  ring.enter({.count = 1, .timeout = duration{80}});

  EXPECT_EQ(clock.time(), instant{1'050});
  EXPECT_EQ(reaped(ring), (names{1, 2}));
}

TEST_F(virtual_ring_test, WaitsForSoManyOrForTheGatheringOrForTheTimeout) {
  virtual_ring ring{clock};
  ring.serve([](const ring_entry& e, instant now) -> virtual_answer {
    return {.at = now + duration{e.user_data * 100}};
  });

  put(ring, 4);  // after 100, 200, 300, 400
  ring.enter({.count = 2, .gather = duration{1'000}, .timeout = forever});
  EXPECT_EQ(clock.time(), instant{1'200}) << "so many";

  EXPECT_EQ(reaped(ring), (names{1, 2}));
  ring.enter({.count = 9, .gather = duration{150}, .timeout = forever});
  EXPECT_EQ(clock.time(), instant{1'350}) << "the gathering";

  EXPECT_EQ(reaped(ring), (names{3}));
  ring.enter({.count = 9, .gather = duration{10}, .timeout = forever});
  EXPECT_EQ(clock.time(), instant{1'400}) << "one, though the gathering was over before it came";

  EXPECT_EQ(reaped(ring), (names{4}));
  ring.enter({.count = 1, .timeout = duration{7}});
  EXPECT_EQ(clock.time(), instant{1'407}) << "the timeout";
  EXPECT_EQ(ring.counts().sleeps, 4U);
}

TEST_F(virtual_ring_test, DoesNotWaitForWhatIsThere) {
  virtual_ring ring{clock};
  ring.deliver({.user_data = 7, .result = 3, .flags = 0});

  ring.enter({.count = 1, .timeout = forever});

  EXPECT_EQ(clock.time(), instant{1'000});
  EXPECT_EQ(the_only_one(ring).result, 3);
  EXPECT_EQ(ring.counts().sleeps, 0U);
}

TEST_F(virtual_ring_test, CountsAWaitThatNobodyWouldEnd) {
  virtual_ring ring{clock};

  EXPECT_EQ(ring.enter({.count = 1}), ring_entered{});

  EXPECT_EQ(ring.counts().stuck, 1U);
  EXPECT_EQ(clock.time(), instant{1'000});
}

TEST_F(virtual_ring_test, LetsOthersDoWhatTheyDoInItsWaitsAndNoLongerThanThese) {
  virtual_ring ring{clock, {.keeps_back = true}};
  std::vector<instant> acts{instant{1'010}, instant{1'020}, instant{1'090}};
  ring.while_asleep([&](instant until) {
    if (acts.empty() || until < acts.front()) return false;
    clock.advance_to(acts.front());
    acts.erase(acts.begin());
    if (acts.size() == 1) ring.deliver({.user_data = 7, .result = 0, .flags = 0});
    return true;
  });

  ring.enter({});
  EXPECT_EQ(clock.time(), instant{1'000}) << "no wait";
  ring.enter({.count = 1, .timeout = duration{80}});

  EXPECT_EQ(clock.time(), instant{1'020}) << "the message, sent by the second";
  EXPECT_EQ(reaped(ring), (names{7}));
  ring.enter({.count = 1, .timeout = duration{30}});
  EXPECT_EQ(clock.time(), instant{1'050}) << "the third comes later";
  ring.enter({.count = 1, .timeout = forever});
  EXPECT_EQ(clock.time(), instant{1'090});
  EXPECT_EQ(ring.counts().stuck, 1U);
}

TEST_F(virtual_ring_test, CompletesWhileItsOwnerIsBusyAndKeepsThatBackIfItIsTold) {
  virtual_ring plain{clock, {.latency = duration{50}}};
  virtual_ring deferred{clock, {.keeps_back = true, .latency = duration{50}}};
  for (virtual_ring* ring : {&plain, &deferred}) {
    put(*ring, 1);
    ring->enter({});
    EXPECT_FALSE(ring->has_completions());
    EXPECT_FALSE(ring->wants_enter());
  }

  clock.advance_by(duration{50});

  EXPECT_TRUE(plain.has_completions());
  EXPECT_FALSE(plain.wants_enter());
  EXPECT_FALSE(deferred.has_completions());
  EXPECT_TRUE(deferred.wants_enter());
  EXPECT_EQ(deferred.reap([](const ring_completion&) {}), 0U);
  deferred.enter({});
  EXPECT_TRUE(deferred.has_completions());
  EXPECT_FALSE(deferred.wants_enter());
}

TEST_F(virtual_ring_test, OverflowsInOrderAndTakesNothingWhileThatLasts) {
  virtual_ring ring{clock, {.completions = 2}};
  put(ring, 5, nop);
  ring.enter({});
  EXPECT_TRUE(ring.wants_enter());

  put(ring, 1, nop);
  EXPECT_EQ(ring.enter({}), (ring_entered{.error = -EBUSY}));
  EXPECT_EQ(reaped(ring), (names{1, 2}));
  EXPECT_FALSE(ring.has_completions());
  EXPECT_EQ(ring.enter({}), (ring_entered{.error = -EBUSY}));
  EXPECT_EQ(reaped(ring), (names{3, 4}));
  EXPECT_EQ(ring.enter({}), (ring_entered{.accepted = 1}));

  EXPECT_EQ(reaped(ring), (names{5, 6}));
  EXPECT_FALSE(ring.wants_enter());
}

TEST_F(virtual_ring_test, CancelsOneEveryOneOrNone) {
  const auto what = [](std::uint64_t target, std::uint32_t flags) -> ring_entry {
    return {.operation = cancel, .address = target, .operation_flags = flags, .user_data = 100};
  };
  virtual_ring ring{clock};
  ring.serve([](const ring_entry& e, instant now) -> virtual_answer {
    return e.user_data == 4 ? virtual_answer{.at = now + duration{9}, .result = 4, .can_be_cancelled = false}
                            : virtual_answer{};
  });
  put(ring, 4);
  ring.enter({});
  const auto asked = [&](const ring_entry& e) {
    ring.put(e);
    ring.enter({});
    std::vector<std::int32_t> results;
    ring.reap([&](const ring_completion& c) { results.push_back(c.result); });
    return results;
  };
  using results = std::vector<std::int32_t>;

  EXPECT_EQ(asked(what(2, 0)), (results{0, -ECANCELED}));
  EXPECT_EQ(asked(what(2, 0)), (results{-ENOENT}));
  EXPECT_EQ(asked(what(4, 0)), (results{-EALREADY}));
  EXPECT_EQ(asked(what(0, 4)), (results{2, -ECANCELED, -ECANCELED}));

  EXPECT_EQ(ring.in_flight(), 1U);
  clock.advance_by(duration{9});
  EXPECT_EQ(the_only_one(ring).result, 4);
}

TEST_F(virtual_ring_test, EndsTimeoutsRelativeAndAbsolute) {
  const std::int64_t time[2] = {0, 1'500};
  virtual_ring ring{clock};
  ring_entry timer = entry(timeout, 1);
  timer.address = reinterpret_cast<std::uintptr_t>(&time);
  ring.put(timer);
  timer.user_data = 2;
  timer.operation_flags = 1;
  ring.put(timer);

  ring.enter({.count = 1});
  EXPECT_EQ(clock.time(), instant{1'500});
  EXPECT_EQ(the_only_one(ring).user_data, 2U);
  ring.enter({.count = 1});

  EXPECT_EQ(clock.time(), instant{2'500});
  EXPECT_EQ(the_only_one(ring).result, -ETIME);
}

TEST_F(virtual_ring_test, FailsAsOftenAsItIsToldAndKeepsWhatIsPending) {
  virtual_ring ring{clock};
  put(ring, 1);
  ring.fail(2, -EAGAIN);

  EXPECT_EQ(ring.enter({}), (ring_entered{.error = -EAGAIN}));
  EXPECT_EQ(ring.enter({.count = 1, .timeout = duration{5}, .keeps_pending = true}), ring_entered{});
  EXPECT_EQ(clock.time(), instant{1'005}) << "a wait that hands nothing over is not met";
  EXPECT_EQ(ring.enter({}), (ring_entered{.error = -EAGAIN}));
  EXPECT_EQ(ring.pending(), 1U);
  EXPECT_EQ(ring.enter({}), (ring_entered{.accepted = 1}));

  EXPECT_EQ(ring.counts().failed, 2U);
  ring.fail(1, -EPERM);
  EXPECT_EQ(ring.enter({}), (ring_entered{.error = -EPERM}));
}

TEST_F(virtual_ring_test, TakesAPartWithoutWaitingForIt) {
  virtual_ring ring{clock, {.latency = duration{5}}};
  put(ring, 3);
  ring.accept_at_most(2, 1);

  EXPECT_EQ(ring.enter({.count = 1}), (ring_entered{.accepted = 2}));
  EXPECT_EQ(clock.time(), instant{1'000});
  EXPECT_EQ(ring.enter({.count = 1}), (ring_entered{.accepted = 1}));

  EXPECT_EQ(clock.time(), instant{1'005});
}

TEST_F(virtual_ring_test, EndsWaitsEarly) {
  virtual_ring ring{clock, {.latency = duration{5}}};
  put(ring, 1);
  ring.end_early(2);

  EXPECT_EQ(ring.enter({.count = 1}), (ring_entered{.accepted = 1}));
  EXPECT_EQ(ring.enter({.count = 1}), (ring_entered{.error = -EINTR}));
  EXPECT_EQ(clock.time(), instant{1'000});
  EXPECT_EQ(ring.enter({.count = 1}), ring_entered{});

  EXPECT_EQ(clock.time(), instant{1'005});
}

TEST_F(virtual_ring_test, ChargesForEntersAndWakes) {
  virtual_ring ring{clock, {.enter_cost = duration{2}, .wake_cost = duration{30}, .latency = duration{100}}};
  put(ring, 1);

  ring.enter({});
  EXPECT_EQ(clock.time(), instant{1'002});
  ring.enter({.count = 1});

  EXPECT_EQ(clock.time(), instant{1'132}) << "2 to enter, 98 asleep, 30 to run again";
}

TEST_F(virtual_ring_test, WithdrawsWhatItsSinkMayPutAgain) {
  virtual_ring ring{clock, {.entries = 2}};
  put(ring, 2);

  const std::size_t count = ring.withdraw([&](const ring_entry& e) { ring.put(e); });

  EXPECT_EQ(count, 2U);
  EXPECT_EQ(ring.pending(), 2U);
  ring.enter({});
  EXPECT_EQ(reaped(ring), (names{1, 2}));
}

TEST_F(virtual_ring_test, ReapsNoMoreThanWasThereThoughItsSinkEnters) {
  virtual_ring ring{clock};
  put(ring, 2, nop);
  ring.enter({});

  const std::size_t count = ring.reap([&](const ring_completion&) {
    put(ring, 1, nop);
    ring.enter({});
  });

  EXPECT_EQ(count, 2U);
  EXPECT_EQ(reaped(ring), (names{3, 4}));
}

TEST_F(virtual_ring_test, CountsWhatIsPutWhereThereIsNoRoom) {
  virtual_ring ring{clock, {.entries = 2}};

  put(ring, 3);

  EXPECT_EQ(ring.room(), 0U);
  EXPECT_EQ(ring.counts().overfilled, 1U);
}

TEST_F(virtual_ring_test, AnswersWhatItLacksWithEinval) {
  virtual_ring ring{clock};
  ring.lack(read);
  put(ring, 1);

  ring.enter({});

  EXPECT_FALSE(ring.supports(read));
  EXPECT_TRUE(ring.supports(nop));
  EXPECT_EQ(the_only_one(ring).result, -EINVAL);
}

TEST_F(virtual_ring_test, WhatIsAnsweredNeverIsCompletedWhenItsDeviceSaysSo) {
  virtual_ring ring{clock};
  ring.serve([](const ring_entry& e, instant now) -> virtual_answer {
    return {.at = e.user_data == 1 ? never : now + duration{500}};
  });
  put(ring, 2);
  ring.at(instant{1'200}, [&] { EXPECT_TRUE(ring.complete(1, 42)); });
  EXPECT_EQ(ring.next_completion(), instant{1'200});

  ring.enter({.count = 1});

  EXPECT_EQ(clock.time(), instant{1'200});
  EXPECT_EQ(the_only_one(ring).result, 42);
  EXPECT_FALSE(ring.complete(1, 43)) << "it was completed";
  EXPECT_FALSE(ring.complete(2, 43)) << "it has its time";
}

TEST_F(virtual_ring_test, ACancelReachesItsDeviceOnceAndWhatIsCancelledIsNotCompleted) {
  virtual_ring ring{clock};
  names cancelled;
  ring.serve([](const ring_entry&, instant) -> virtual_answer { return {.at = never}; },
             [&](std::uint64_t name) {
               cancelled.push_back(name);
               ring.at(instant{}, [] {});  // a device may have something happen in return
             });
  put(ring, 6);
  ring.enter({});

  ring.put({.operation = cancel, .address = 2, .user_data = 9});
  ring.enter({});
  EXPECT_EQ(cancelled, (names{2}));
  EXPECT_FALSE(ring.complete(2, 1));
  ring.put({.operation = cancel, .operation_flags = 4, .user_data = 10});  // of all
  ring.enter({});

  EXPECT_EQ(cancelled, (names{2, 1, 3, 4, 5, 6})) << "in the order of being taken";
  EXPECT_EQ(reaped(ring), (names{9, 2, 10, 1, 3, 4, 5, 6}));
  EXPECT_EQ(ring.in_flight(), 0U);
}

TEST_F(virtual_ring_test, WhatHappensAtATimeHappensInTheOrderOfTimesAlsoWhereTheOwnerIsAwake) {
  virtual_ring ring{clock, {.latency = duration{150}}};
  std::vector<std::pair<int, instant>> happened;
  const auto says = [&](int what) { return [&, what] { happened.emplace_back(what, clock.time()); }; };
  ring.at(instant{1'300}, says(3));
  ring.at(instant{1'100}, [&] {
    says(1)();
    ring.at(instant{1'200}, says(2));
  });
  put(ring, 1);

  ring.enter({.count = 1});
  EXPECT_EQ(clock.time(), instant{1'150}) << "what happens ends no wait";
  clock.advance_to(instant{1'400});
  EXPECT_EQ(happened.size(), 1U);
  EXPECT_TRUE(ring.has_completions());

  const std::vector<std::pair<int, instant>> all{
      {1, instant{1'100}}, {2, instant{1'400}}, {3, instant{1'400}}};
  EXPECT_EQ(happened, all);
  EXPECT_EQ(ring.next_completion(), never);
}

}  // namespace
}  // namespace pinion::sim
