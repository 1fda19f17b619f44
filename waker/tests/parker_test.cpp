// SPDX-License-Identifier: Apache-2.0
//
// parker and spin_budget in virtual time: what ends a park, and what a budget learns.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <pinion/sim/virtual_clock.hpp>
#include <pinion/sim/virtual_notifier.hpp>
#include <pinion/waker.hpp>

namespace pinion::waker {
namespace {

using namespace std::chrono_literals;

static_assert(waiting_notifier<sim::virtual_notifier>);

constexpr spin_options two_cores{.most = ceil(20us), .least = ceil(1us), .cores = 2};
constexpr spin_options no_spin{.most = duration{0}, .least = ceil(1us), .cores = 2};
constexpr auto forget = [](wake_node&) {};

// Only a build with PINION_STATISTICS=ON counts.
template <class Counted>
void expect_counted(const Counted& of, std::uint64_t spin_statistics::* events, std::uint64_t times) {
  if constexpr (is_counted) {
    EXPECT_EQ(of.statistics().*events, times);
  }
}
template <class Counted> concept has_statistics = requires(const Counted& of) { of.statistics(); };
static_assert(has_statistics<spin_budget> == is_counted);
static_assert(is_counted || sizeof(spin_budget) == sizeof(spin_options) + 2 * sizeof(duration));

struct parking {
  explicit parking(spin_options options) : park(channel, options, sim::virtual_clock::view{clock}) {}

  sim::virtual_clock clock{instant{1'000}};
  wake_node node;
  using channel_type = wake_channel<tagged_inbox, sim::virtual_notifier>;
  channel_type channel{clock};
  parker<channel_type, sim::virtual_notifier&, sim::virtual_clock::view> park;
  channel_type::sender_type sender = channel.sender();
};

TEST(parker, DoesNotSleepOverWhatIsThere) {
  parking p{no_spin};
  p.sender.push(p.node);

  EXPECT_EQ(p.park(never), park_end::wakes);

  EXPECT_EQ(p.channel.notifier().waits(), 0U);
  p.channel.drain(forget);
}

TEST(parker, IsWokenByAPushWhileItSleeps) {
  wake_node node;

  sim::virtual_clock clock{instant{0}};
  wake_channel<tagged_inbox, sim::virtual_notifier> channel{clock};
  const auto sender = channel.sender();
  channel.notifier().while_asleep([&] {
    clock.advance_by(ceil(3us));
    sender.push(node);
  });
  parker park{channel, {.most = duration{0}}, sim::virtual_clock::view{clock}};  // no spin in a still time
  park(clock.time() + ceil(1ms));  // ends after 3 us, by the push's signal
  EXPECT_EQ(clock.time(), instant{0} + ceil(3us));
  channel.drain(forget);

  channel.notifier().lose(1);       // the next signal fails, as one to a closed descriptor does
  channel.notifier().end_early(1);  // the next wait ends for no reason, as system calls do
  EXPECT_EQ(park(clock.time() + ceil(1ms)), park_end::timeout);
  EXPECT_EQ(clock.time(), instant{0} + ceil(3us)) << "that wait ended for no reason";
  EXPECT_EQ(park(instant{0} + ceil(1ms)), park_end::wakes);
  EXPECT_EQ(clock.time(), instant{0} + ceil(1ms)) << "this signal was lost";
  channel.drain(forget);
}

TEST(parker, SleepsUntilItsTime) {
  parking p{no_spin};

  EXPECT_EQ(p.park(instant{0} + ceil(1ms)), park_end::timeout);

  EXPECT_EQ(p.clock.time(), instant{0} + ceil(1ms));
  EXPECT_EQ(p.park(p.clock.time()), park_end::timeout);
  EXPECT_EQ(p.channel.notifier().waits(), 1U);
}

TEST(parker, IsWokenByAPushAndNotSignalledAfterwards) {
  parking p{no_spin};
  wake_node after;
  p.channel.notifier().while_asleep([&] { p.sender.push(p.node); });

  EXPECT_EQ(p.park(never), park_end::wakes);
  p.sender.push(after);

  EXPECT_EQ(p.channel.notifier().signals(), 1U);
  EXPECT_EQ(p.channel.notifier().stuck(), 0U);
  EXPECT_EQ(p.channel.drain(forget), 2U);
}

TEST(parker, TakesTheArmingBackAfterATimeout) {
  parking p{no_spin};

  EXPECT_EQ(p.park(p.clock.time() + ceil(1us)), park_end::timeout);
  p.sender.push(p.node);

  EXPECT_EQ(p.channel.notifier().signals(), 0U);
  p.channel.drain(forget);
}

TEST(parker, SaysWhenSomebodySignalledByHand) {
  parking p{no_spin};
  p.channel.notifier().while_asleep([&] { p.channel.notifier().signal(); });

  EXPECT_EQ(p.park(never), park_end::signalled);
}

TEST(parker, SeesWhatWasPushedWhereTheSignalFailed) {
  parking p{no_spin};
  p.channel.notifier().lose(1);
  p.channel.notifier().while_asleep([&] { p.sender.push(p.node); });

  EXPECT_EQ(p.park(p.clock.time() + ceil(1ms)), park_end::wakes);

  EXPECT_EQ(p.channel.drain(forget), 1U);
}

TEST(parker, ComesBackFromAWaitThatEndedForNoReason) {
  parking p{no_spin};
  p.channel.notifier().end_early(1);

  EXPECT_EQ(p.park(p.clock.time() + ceil(1ms)), park_end::timeout);

  EXPECT_EQ(p.clock.time(), instant{1'000}) << "so its caller has to look at the clock";
}

TEST(parker, DoesNotSleepOnAClosedChannel) {
  parking p{two_cores};
  p.clock.tick(ceil(1us), /*seed=*/1);
  p.channel.close(forget);

  EXPECT_EQ(p.park(never), park_end::wakes);

  EXPECT_EQ(p.channel.notifier().waits(), 0U);
}

TEST(parker, SpinsItsAllowanceBeforeItSleeps) {
  parking p{two_cores};
  p.clock.tick(duration{200}, /*seed=*/1);

  EXPECT_EQ(p.park(p.clock.time() + ceil(1ms)), park_end::timeout);

  expect_counted(p.park, &spin_statistics::misses, 1);
  EXPECT_GT(p.clock.readings(), 20U);
  EXPECT_EQ(p.channel.notifier().waits(), 1U);
}

// A clock at whose third reading somebody pushes.
struct pushing_clock {
  [[nodiscard]] instant now() const {
    if (++*readings == 3) (*push)();
    return instant{*readings * 200};
  }
  std::uint64_t* readings;
  const std::function<void()>* push;
};

TEST(parker, SeesAPushWhileItSpinsAndHasItSentWithoutASignal) {
  sim::virtual_clock clock{instant{0}};
  wake_channel<tagged_inbox, sim::virtual_notifier> channel{clock};
  wake_node node;
  std::uint64_t readings = 0;
  const std::function<void()> push = [&] { channel.sender().push(node); };
  parker park{channel, two_cores, pushing_clock{&readings, &push}};

  EXPECT_EQ(park(never), park_end::wakes);

  expect_counted(park, &spin_statistics::hits, 1);
  EXPECT_EQ(channel.notifier().waits(), 0U);
  EXPECT_EQ(channel.notifier().signals(), 0U);
  EXPECT_EQ(channel.drain(forget), 1U);
}

TEST(parker, SpinsNoLongerThanUntilItsTime) {
  parking p{two_cores};
  p.clock.tick(duration{200}, /*seed=*/1);

  EXPECT_EQ(p.park(p.clock.time() + duration{600}), park_end::timeout);

  EXPECT_LT(p.clock.time(), instant{1'000} + ceil(2us));
  EXPECT_EQ(p.channel.notifier().waits(), 0U) << "there was nothing left to sleep for";
}

TEST(spin_budget, IsOffOnOneCoreAndWhereItIsToldSo) {
  spin_budget one{{.most = ceil(20us), .least = ceil(1us), .cores = 1}}, off{no_spin};

  for (int k = 0; k < 100; ++k) {
    EXPECT_EQ(one.allowance(), duration{0});
    EXPECT_EQ(off.allowance(), duration{0});
    one.slept(duration{500});
    off.slept(duration{500});
  }

  expect_counted(one, &spin_statistics::skipped, 100);
}

TEST(spin_budget, SinksToTwiceWhatHitsTake) {
  spin_budget budget{two_cores};

  for (int k = 0; k < 200; ++k) budget.hit(ceil(1us));

  EXPECT_EQ(budget.allowance(), ceil(2us));
  expect_counted(budget, &spin_statistics::hits, 200);
}

TEST(spin_statistics, TheHitRateIsTheShareOfSpinsThatPaid) {
  EXPECT_EQ(spin_statistics{}.hit_rate(), 0.0);
  EXPECT_EQ((spin_statistics{.hits = 3, .misses = 1, .skipped = 9}.hit_rate()), 0.75);
}

TEST(spin_budget, RisesAtOnceWhereHitsTakeLonger) {
  spin_budget budget{two_cores};
  for (int k = 0; k < 200; ++k) budget.hit(ceil(1us));

  budget.hit(ceil(7us));
  EXPECT_EQ(budget.allowance(), ceil(14us));
  budget.hit(ceil(15us));

  EXPECT_EQ(budget.allowance(), ceil(20us)) << "and never beyond the most";
}

TEST(spin_budget, GivesUpAfterMissesAndReturnsAfterAShortSleep) {
  spin_budget budget{two_cores};

  for (int k = 0; k < 20; ++k) budget.miss(budget.allowance());
  EXPECT_EQ(budget.allowance(), duration{0});
  budget.slept(ceil(1ms));
  EXPECT_EQ(budget.allowance(), duration{0}) << "a long sleep is none that a spin would have caught";
  budget.slept(ceil(4us));

  EXPECT_EQ(budget.allowance(), ceil(8us));
}

TEST(spin_budget, StopsForLongerEachTimeTheCoreIsTakenAway) {
  spin_budget budget{two_cores};
  std::uint64_t expected = 64;

  for (int round = 0; round < 10; ++round) {
    budget.miss(ceil(10ms));
    std::uint64_t paused = 0;
    while (budget.allowance() == duration{0}) ++paused;
    EXPECT_EQ(paused, expected) << "round " << round;
    expected = std::min<std::uint64_t>(2 * expected, 4'096);
  }
  expect_counted(budget, &spin_statistics::preempted, 10);
  budget.hit(ceil(1us));
  budget.miss(ceil(10ms));
  std::uint64_t paused = 0;
  while (budget.allowance() == duration{0}) ++paused;

  EXPECT_EQ(paused, 64U) << "a hit shows that there are cores again";
}

}  // namespace
}  // namespace pinion::waker
