// SPDX-License-Identifier: Apache-2.0
//
// What the stores' checks of themselves see: each is shown something broken.
#include <gtest/gtest.h>

#include <pinion/timer.hpp>
#include <string>
#include <string_view>

#include "laws.hpp"

namespace pinion::timer {
namespace {

using levels = nested_levels<1'000'000, 8, 6, 6>;

/// Puts what belongs to the next slot but one on the finest level.
struct late_levels : levels {
  [[nodiscard]] std::uint16_t place(std::uint64_t due, bool exact) const noexcept {
    return levels::place(due + 1, exact);
  }
};

/// Turns the hand one tick too far.
struct hasty_levels : levels {
  void turn_to(std::uint64_t to) noexcept { levels::turn_to(to + 1); }
};

struct hook : timer_hook {};

/// A store that does as it should, and says that it does not while it holds two.
template <class Value>
struct doubtful : ordered_map<Value> {
  using ordered_map<Value>::ordered_map;
  [[nodiscard]] std::string violated_invariant() const { return this->size() == 2 ? says : std::string{}; }
  inline static std::string says;
};

testing::violation found_by_a_law(const char* what) {
  doubtful<testing::token>::says = what;
  const testing::store_factory factory{"doubtful", [](const testing::setup& how) {
                                         return std::make_unique<testing::adapted<doubtful>>(how);
                                       }};
  for (const testing::clause& c : testing::laws()) {
    if (std::string_view{c.law} != "T2") continue;
    if (testing::violation found = testing::check_clause(c, factory)) return found;
  }
  return {};
}

TEST(invariant, IsReportedByALawWithTheStepThatBrokeIt) {
  const testing::violation found = found_by_a_law("two is one too many");

  ASSERT_TRUE(found);
  EXPECT_EQ(found.what().find("invariant: after step 2 (schedule): two is one too many"), 0U) << found.what();
}

TEST(invariant, HoldsWhereTheStoreFindsNothing) { EXPECT_FALSE(found_by_a_law("")); }

TEST(invariant, OfAWheelSeesATimerThatIsServedTooLate) {
  slab_wheel<int, late_levels> right{instant{0}};
  slab_wheel<int, late_levels> wrong{instant{0}};

  right.schedule(never, 1);
  wrong.schedule(instant{5'000'000}, 1);

  EXPECT_EQ(right.violated_invariant(), "");
  EXPECT_EQ(wrong.violated_invariant(), "slot 0 is due at tick 5, and its bucket 6 is served at 6");
}

TEST(invariant, OfAWheelSeesAHandBeyondNow) {
  slab_wheel<int, hasty_levels> timers{instant{0}};

  timers.poll(instant{4'000'000}, [](handle, instant, int&&) {});

  EXPECT_EQ(timers.violated_invariant(), "the hand is at 5, beyond 4");
}

TEST(invariant, OfAHookWheelSeesAHookThatIsServedTooLate) {
  hook_wheel<hook, late_levels> timers{instant{0}};
  hook one;

  timers.schedule(one, instant{5'000'000});

  EXPECT_EQ(timers.violated_invariant(), "bucket 6, hook 0 is due at tick 5, and its bucket is served at 6");
}

TEST(invariant, OfAHookWheelSeesAHandBeyondNow) {
  hook_wheel<hook, hasty_levels> timers{instant{0}};

  timers.poll(instant{4'000'000}, [](hook&) {});

  EXPECT_EQ(timers.violated_invariant(), "the hand is at 5, beyond 4");
}

TEST(chunk_census, FindsAChunkThatIsLost) {
  chunk_chains chains;
  chains.reserve(1);
  chunk_chains::chain first;
  chunk_chains::chain second;
  chains.append(first, 1);
  chains.append(second, 2);
  chunk_census census{chains};
  std::size_t numbers = 0;

  const std::string walked = census.walk(0, first, [&](std::uint32_t, const auto&) { ++numbers; });

  EXPECT_EQ(walked, "");
  EXPECT_EQ(numbers, 1U);
  EXPECT_EQ(census.unaccounted(), "chunk 1 is in no chain and not free");
}

TEST(chunk_census, FindsAChunkInTwoChains) {
  chunk_chains chains;
  chains.reserve(1);
  chunk_chains::chain first;
  chains.append(first, 1);
  const chunk_chains::chain copy = first;
  chunk_census census{chains};
  const auto ignore = [](std::uint32_t, const auto&) {};

  const std::string once = census.walk(0, first, ignore);
  const std::string twice = census.walk(1, copy, ignore);

  EXPECT_EQ(once, "");
  EXPECT_EQ(twice.find("chunk 0 is in chain 0 and in 1"), 0U) << twice;
}

}  // namespace
}  // namespace pinion::timer
