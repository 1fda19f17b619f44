// SPDX-License-Identifier: Apache-2.0
//
// What hook_wheel adds to the laws: hooks that go away by themselves, are moved by schedule(), and cost one
// store to push on; over nested and cascading levels.
#include <gtest/gtest.h>

#include <memory>
#include <pinion/timer.hpp>
#include <stdexcept>
#include <vector>

namespace pinion::timer {
namespace {

constexpr auto ignore = [](auto&&...) {};
constexpr std::uint64_t tick_ns = std::uint64_t{1} << 20;
constexpr instant tick(std::uint64_t n) { return instant{n * tick_ns}; }

struct connection : timer_hook {
  explicit connection(int n = 0) : number(n) {}
  int number;
};

constexpr level_geometry two_rings{
    .shifts = {20, 30, 30}, .level_count = 2, .slots = 1024, .stationary = false};

struct cascading_levels : overlapping_levels {
  cascading_levels() noexcept : overlapping_levels(two_rings) {}
};

template <class Levels>
class hook_wheel_of : public ::testing::Test {
 protected:
  void look() { EXPECT_EQ(timers.violated_invariant(), ""); }
  [[nodiscard]] std::vector<int> fired_by(instant now, std::size_t budget = unlimited) {
    std::vector<int> numbers;
    timers.poll(now, budget, [&](connection& c) { numbers.push_back(c.number); });
    return numbers;
  }

  hook_wheel<connection, Levels> timers{instant{0}};
  connection one{1};
  connection two{2};
  connection three{3};
};

using levels = ::testing::Types<deferred_levels, cascading_levels>;
TYPED_TEST_SUITE(hook_wheel_of, levels);

using numbers = std::vector<int>;

TYPED_TEST(hook_wheel_of, SchedulingAnArmedHookMovesIt) {
  this->timers.schedule(this->one, tick(900));
  this->timers.schedule(this->one, tick(5));
  this->timers.schedule(this->two, tick(6));
  this->timers.schedule(this->two, tick(900));

  EXPECT_EQ(this->timers.size(), 2U);
  EXPECT_EQ(this->one.deadline(), tick(5));
  this->look();
  EXPECT_EQ(this->fired_by(tick(100)), numbers{1});
  EXPECT_EQ(this->fired_by(tick(900)), numbers{2});
}

TYPED_TEST(hook_wheel_of, PushingOnIsOneStoreAndTheHookStaysWhereItIs) {
  this->timers.schedule(this->one, tick(200));
  const instant wakeup = this->timers.next_wakeup();

  for (std::uint64_t k = 1; k < 500; ++k) EXPECT_TRUE(this->timers.reschedule(this->one, tick(200 + k)));

  EXPECT_EQ(this->timers.next_wakeup(), wakeup) << "served when it would have been, and placed anew then";
  this->look();
  EXPECT_EQ(this->fired_by(tick(698)), numbers{});
  EXPECT_EQ(this->fired_by(tick(699)), numbers{1});
}

TYPED_TEST(hook_wheel_of, AHookThatIsNotArmedIsNotCancelledAndNotMoved) {
  EXPECT_FALSE(this->timers.cancel(this->one));
  EXPECT_FALSE(this->timers.reschedule(this->one, tick(5)));
  this->timers.schedule(this->one, tick(5));
  EXPECT_TRUE(this->one.is_armed());
  EXPECT_TRUE(this->timers.cancel(this->one));
  EXPECT_FALSE(this->one.is_armed());
  EXPECT_FALSE(this->timers.cancel(this->one));
  EXPECT_EQ(this->timers.next_wakeup(), never) << "nothing is left behind";
  this->look();
}

TYPED_TEST(hook_wheel_of, ADestroyedHookIsCancelledWhereverItWas) {
  const instant places[] = {tick(0), tick(5), tick(5), tick(70'000), instant{never.ns - 1}, never};
  std::vector<std::unique_ptr<connection>> hooks;
  for (const instant place : places) {
    hooks.push_back(std::make_unique<connection>());
    this->timers.schedule(*hooks.back(), place);
  }
  this->look();
  while (!hooks.empty()) {
    hooks.erase(hooks.begin());
    EXPECT_EQ(this->timers.size(), hooks.size());
    this->look();
  }
  EXPECT_EQ(this->timers.next_wakeup(), never);
}

TYPED_TEST(hook_wheel_of, ASinkMayDestroyItsHookAndOthersOfTheSameBatch) {
  std::vector<std::unique_ptr<connection>> hooks;
  for (int k = 0; k < 10; ++k) {
    hooks.push_back(std::make_unique<connection>(k));
    this->timers.schedule(*hooks.back(), tick(5));
  }
  numbers fired;

  this->timers.poll(tick(5), [&](connection& c) {
    const auto k = static_cast<std::size_t>(c.number);
    fired.push_back(c.number);
    hooks[k].reset();
    hooks[9 - k].reset();
    this->look();
  });

  EXPECT_EQ(fired, (numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(this->timers.size(), 0U);
  this->look();
}

TYPED_TEST(hook_wheel_of, ASinkMayCancelMoveAndArmHooksOfTheSameBatch) {
  connection four{4};
  for (connection* c : {&this->one, &this->two, &this->three, &four}) this->timers.schedule(*c, tick(5));
  numbers fired;

  this->timers.poll(tick(5), [&](connection& c) {
    fired.push_back(c.number);
    if (c.number != 1) return;
    EXPECT_FALSE(c.is_armed()) << "a hook is disarmed when its sink is called";
    this->timers.cancel(this->two);
    this->timers.reschedule(this->three, tick(9));
    this->timers.schedule(this->one, tick(1));
    this->look();
  });

  EXPECT_EQ(fired, (numbers{1, 4}));
  EXPECT_EQ(this->fired_by(tick(5)), numbers{1}) << "armed due inside the sink, it waits for the next poll";
  EXPECT_EQ(this->fired_by(tick(9)), numbers{3});
}

TYPED_TEST(hook_wheel_of, ClearDisarmsEveryHookInsideASinkToo) {
  connection four{4};
  this->timers.schedule(this->one, tick(5));
  this->timers.schedule(this->two, tick(5));
  this->timers.schedule(this->three, never);
  this->timers.schedule(four, tick(80'000));
  numbers fired;

  this->timers.poll(tick(5), [&](connection& c) {
    fired.push_back(c.number);
    this->timers.clear();
    this->timers.schedule(four, tick(6));
    this->look();
  });

  EXPECT_EQ(fired, numbers{1});
  EXPECT_FALSE(this->two.is_armed());
  EXPECT_FALSE(this->three.is_armed());
  EXPECT_EQ(this->timers.size(), 1U);
  EXPECT_EQ(this->fired_by(tick(6)), numbers{4});
}

TYPED_TEST(hook_wheel_of, FirstFindsEachHookUntilNoneIsLeft) {
  const instant places[] = {tick(0), tick(5), tick(70'000), instant{never.ns - 1}, never};
  std::vector<connection> hooks(std::size(places));
  for (std::size_t k = 0; k < hooks.size(); ++k) this->timers.schedule(hooks[k], places[k]);
  std::size_t found = 0;

  for (connection* c = this->timers.first(); c != nullptr; c = this->timers.first()) {
    EXPECT_TRUE(this->timers.cancel(*c));
    ++found;
  }

  EXPECT_EQ(found, hooks.size());
  EXPECT_EQ(this->timers.size(), 0U);
}

TYPED_TEST(hook_wheel_of, ABudgetEndsAPollAndTheNextGoesOnThere) {
  std::vector<connection> hooks(100);
  for (connection& c : hooks) {
    c.number = static_cast<int>(&c - hooks.data());
    this->timers.schedule(c, tick(5));
  }
  std::size_t fired = 0;

  for (int polls = 0; polls < 10; ++polls) {
    const poll_result did = this->timers.poll(tick(5), 10, [&](connection& c) {
      EXPECT_EQ(c.number, static_cast<int>(fired)) << "in the order of arming";
      ++fired;
    });
    EXPECT_EQ(did.fired, 10U);
    EXPECT_EQ(did.more, polls < 9);
    EXPECT_EQ(this->timers.next_wakeup() <= tick(5), polls < 9);
    this->look();
  }
  EXPECT_EQ(fired, 100U);
}

TYPED_TEST(hook_wheel_of, ASinkThatThrowsHasFiredItsOwnHookOnly) {
  for (connection* c : {&this->one, &this->two, &this->three}) this->timers.schedule(*c, tick(5));

  EXPECT_THROW(this->timers.poll(tick(5), [](connection&) { throw std::runtime_error{"no"}; }),
               std::runtime_error);

  EXPECT_EQ(this->timers.size(), 2U);
  EXPECT_FALSE(this->one.is_armed());
  EXPECT_LE(this->timers.next_wakeup(), tick(5));
  this->look();
  EXPECT_EQ(this->fired_by(tick(5)), (numbers{2, 3}));
}

TYPED_TEST(hook_wheel_of, WhatIsPastFiresNextAndWhatIsAtNeverDoesNot) {
  this->timers.poll(tick(50), ignore);
  this->timers.schedule(this->one, tick(3));
  this->timers.schedule(this->two, never);
  this->timers.schedule(this->three, instant{never.ns - 1});
  this->look();

  EXPECT_EQ(this->timers.next_wakeup(), tick(3)) << "at or before its deadline";
  EXPECT_EQ(this->fired_by(tick(2)), numbers{1}) << "a clock that went back stands still";
  EXPECT_EQ(this->timers.next_wakeup(), instant{never.ns - 1});
  EXPECT_EQ(this->fired_by(never), numbers{3});
  EXPECT_EQ(this->timers.next_wakeup(), never);
  EXPECT_TRUE(this->two.is_armed());
  EXPECT_EQ(this->timers.size(), 1U);
}

TYPED_TEST(hook_wheel_of, ItsEndDisarmsItsHooks) {
  connection c;
  {
    hook_wheel<connection, TypeParam> ending{instant{0}};
    ending.schedule(c, tick(5));
  }

  EXPECT_FALSE(c.is_armed());
  this->timers.schedule(c, tick(5));
  EXPECT_EQ(this->timers.size(), 1U) << "and another wheel may have them";
}

TYPED_TEST(hook_wheel_of, ANestedPollAndADeathInTheSinkAreViolations) {
  if (!is_checked) GTEST_SKIP() << "expects a contract violation: only in a checked build";
  using wheel = hook_wheel<connection, TypeParam>;
  auto dying = std::make_unique<wheel>(instant{0});
  dying->schedule(this->one, tick(1));
  this->timers.schedule(this->two, tick(1));

  EXPECT_DEATH(this->timers.poll(tick(1), [&](connection&) { this->timers.poll(tick(1), ignore); }),
               "poll.. was called from inside a sink");
  EXPECT_DEATH(dying->poll(tick(1), [&](connection&) { dying.reset(); }), "destroyed inside its own sink");
}

TYPED_TEST(hook_wheel_of, NamingAHookThatIsArmedInAnotherWheelIsAViolation) {
  if (!is_checked) GTEST_SKIP() << "expects a contract violation: only in a checked build";
  hook_wheel<connection, TypeParam> other{instant{0}};
  other.schedule(this->one, tick(5));

  EXPECT_DEATH(this->timers.schedule(this->one, tick(2)), "a hook is armed in another wheel");
  EXPECT_DEATH(this->timers.reschedule(this->one, tick(2)), "a hook is armed in another wheel");
  EXPECT_DEATH(this->timers.cancel(this->one), "a hook is armed in another wheel");
}

TYPED_TEST(hook_wheel_of, AnUncheckedBuildNeitherCancelsNorMovesAHookOfAnotherWheel) {
  if (is_checked) GTEST_SKIP() << "a contract violation: does not return in a checked build";
  hook_wheel<connection, TypeParam> other{instant{0}};
  other.schedule(this->one, tick(5));
  this->timers.schedule(this->two, tick(5));

  EXPECT_FALSE(this->timers.cancel(this->one));
  EXPECT_FALSE(this->timers.reschedule(this->one, tick(2)));

  EXPECT_EQ(this->timers.size(), 1U);
  EXPECT_EQ(other.size(), 1U);
  EXPECT_EQ(this->one.deadline(), tick(5));
  this->look();
  EXPECT_EQ(other.violated_invariant(), "");
  EXPECT_EQ(this->fired_by(tick(5)), numbers{2});
  EXPECT_TRUE(other.cancel(this->one));
  EXPECT_EQ(other.next_wakeup(), never);
}

TYPED_TEST(hook_wheel_of, AnUncheckedBuildTakesAHookOutOfAnotherWheelBeforeArmingIt) {
  if (is_checked) GTEST_SKIP() << "a contract violation: does not return in a checked build";
  hook_wheel<connection, TypeParam> other{instant{0}};
  other.schedule(this->one, tick(5));

  this->timers.schedule(this->one, tick(9));

  EXPECT_EQ(this->timers.size(), 1U);
  EXPECT_EQ(other.size(), 0U);
  EXPECT_EQ(other.next_wakeup(), never);
  this->look();
  EXPECT_EQ(other.violated_invariant(), "");
  EXPECT_EQ(this->fired_by(tick(9)), numbers{1});
}

}  // namespace
}  // namespace pinion::timer
