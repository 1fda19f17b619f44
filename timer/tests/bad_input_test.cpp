// SPDX-License-Identifier: Apache-2.0
//
// What every backend does with input that nobody should give it, and when memory or handles run out: what
// concept.hpp says, and nothing is lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <new>
#include <pinion/timer.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "allocations.hpp"
#include "any_store.hpp"
#include "scenario.hpp"

namespace pinion::timer::testing {
namespace {

constexpr duration second{1'000'000'000};
constexpr instant start{std::uint64_t{1} << 40};

/// Runs for each name in backends(), the one list.
class bad_input : public ::testing::TestWithParam<std::size_t> {
 protected:
  [[nodiscard]] static const store_factory& backend() { return backends()[GetParam()]; }
  [[nodiscard]] static scenario fresh() { return scenario{backend(), start}; }
  /// A time at which whatever was due at `due`, armed at `start`, must have fired.
  [[nodiscard]] static instant late(const scenario& s, instant due) {
    return due + s.store->lateness_bound(due - start) + s.store->lateness_bound(duration{0});
  }
};

INSTANTIATE_TEST_SUITE_P(backends, bad_input, ::testing::Range<std::size_t>(0, backends().size()),
                         [](const ::testing::TestParamInfo<std::size_t>& which) {
                           return backends()[which.param].name;
                         });

// ---- Deadlines

TEST_P(bad_input, DeadlinesInThePastFireOnceAndAtOnceAsNearAsTicksAllow) {
  scenario s = fresh();
  for (const instant deadline : {instant{0}, instant{1}, start - second, start - duration{1}, start})
    s.arm(deadline);

  EXPECT_EQ(s.store->size(), 5U) << "taken, and not refused";
  EXPECT_LE(s.store->next_wakeup(), late(s, start));
  s.poll(late(s, start));
  s.poll(late(s, start + second));

  for (const scenario::timer& t : s.timers) EXPECT_EQ(t.fired, 1) << t.deadline.ns;
  EXPECT_EQ(s.store->size(), 0U);
}

TEST_P(bad_input, ATimerMovedIntoThePastFiresAtTheNextPoll) {
  scenario s = fresh();
  s.arm(start + second * 100);
  s.arm(never);

  EXPECT_TRUE(s.reschedule(0, instant{0}));
  EXPECT_TRUE(s.reschedule(1, start - second));

  EXPECT_EQ(s.poll(start).fired, 2U);
}

TEST_P(bad_input, DeadlinesAtTheEndOfTimeAreKeptAndFireThere) {
  constexpr duration far{std::uint64_t{1} << 49};  // beyond what most wheels place once
  scenario s{backend(), never - far - far};
  for (const instant deadline : {never - far, never - second, never - duration{2}, never - duration{1}})
    s.arm(deadline);

  s.poll(never - far - duration{1});
  EXPECT_TRUE(s.fired.empty()) << "early";
  EXPECT_EQ(s.store->size(), 4U);
  s.poll(never - second - duration{1});
  EXPECT_EQ(s.fired.size(), 1U) << "its bound is long over, and the others are not due";
  EXPECT_LE(s.store->next_wakeup(), never - duration{1});
  s.poll(never);

  for (const scenario::timer& t : s.timers) EXPECT_EQ(t.fired, 1) << t.deadline.ns;
}

TEST_P(bad_input, ATimerAtNeverIsCountedAndDoesNotFire) {
  scenario s = fresh();
  const std::size_t stays = s.arm(never);
  const std::size_t goes = s.arm(start + forever);

  s.poll(start + second);
  s.poll(never);

  EXPECT_TRUE(s.fired.empty());
  EXPECT_EQ(s.store->size(), 2U);
  EXPECT_EQ(s.store->next_wakeup(), never);
  EXPECT_TRUE(s.cancel(goes));
  EXPECT_TRUE(s.is_armed(stays));
  EXPECT_FALSE(s.wrong_value);
}

TEST_P(bad_input, ATimerMayGoToNeverAndComeBack) {
  scenario s = fresh();
  const std::size_t id = s.arm(start + second);

  EXPECT_TRUE(s.reschedule(id, never));
  EXPECT_EQ(s.store->next_wakeup(), never);
  s.poll(start + second * 100);
  EXPECT_TRUE(s.is_armed(id));
  EXPECT_TRUE(s.reschedule(id, start + second * 101));
  EXPECT_LE(s.store->next_wakeup(), start + second * 101 + s.bound(id));
  s.poll(start + second * 101 + s.bound(id));

  EXPECT_TRUE(s.has_fired(id));
}

// ---- Handles

TEST_P(bad_input, HandlesThatNameNothingAreRefusedAndChangeNothing) {
  scenario s = fresh();
  for (std::uint64_t k = 1; k <= 50; ++k) s.arm(start + second * k);
  const instant wakeup = s.store->next_wakeup();
  std::vector<std::uint64_t> forged{0, ~std::uint64_t{0}, 1, 0xffff'ffff, 0xffff'ffff'0000'0000};
  for (const scenario::timer& t : s.timers) {
    for (unsigned bit = 0; bit < 64; ++bit) forged.push_back(t.name.bits() ^ (std::uint64_t{1} << bit));
  }
  for (int k = 0; k < 10'000; ++k) forged.push_back(s.random.next());
  std::size_t accepted = 0;

  for (const std::uint64_t bits : forged) {
    const handle h = handle::from_bits(bits);
    if (std::ranges::any_of(s.timers, [&](const auto& t) { return t.name == h; })) continue;
    if (s.store->reschedule(h, start) || s.store->cancel(h)) ++accepted;
  }

  EXPECT_EQ(accepted, 0U) << "seed " << s.seed;
  EXPECT_EQ(s.store->size(), 50U);
  EXPECT_EQ(s.store->next_wakeup(), wakeup);
  for (std::size_t id = 0; id < 50; ++id) EXPECT_TRUE(s.cancel(id));
  EXPECT_FALSE(s.wrong_value);
}

TEST_P(bad_input, AnEmptyStoreRefusesEveryHandle) {
  scenario s = fresh();

  for (const std::uint64_t bits : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 32}) {
    EXPECT_FALSE(s.store->cancel(handle::from_bits(bits)));
    EXPECT_FALSE(s.store->reschedule(handle::from_bits(bits), start));
  }
  EXPECT_EQ(s.store->size(), 0U);
}

TEST_P(bad_input, HandlesOfAnotherStoreAreRefused) {
  store_factory other_seed = backend();
  other_seed.seed = backend().seed + 1;
  scenario s = fresh();
  scenario other{other_seed, start};
  std::size_t accepted = 0;

  for (std::size_t k = 0; k < 1'000; ++k) {
    s.arm(start + second);
    other.arm(start + second);
    const handle foreign = other.timers[k].name;
    if (s.store->reschedule(foreign, start) || s.store->cancel(foreign)) ++accepted;
  }

  EXPECT_EQ(accepted, 0U);
  EXPECT_EQ(s.store->size(), 1'000U);
}

// ---- Polling

TEST_P(bad_input, ABudgetOfZeroDoesNothingAndTellsWhetherThereIsMore) {
  scenario s = fresh();
  s.arm(start + second * 5);
  const instant wakeup = s.store->next_wakeup();

  const poll_result early = s.poll(start + second, 0);
  const poll_result due = s.poll(start + second * 100, 0);

  EXPECT_FALSE(early.more);
  EXPECT_TRUE(due.more);
  EXPECT_EQ(due.fired + due.moved + early.fired + early.moved, 0U);
  EXPECT_EQ(s.store->next_wakeup(), wakeup);
  EXPECT_EQ(s.poll(start + second).fired, 0U) << "the clock did not move either";
  EXPECT_EQ(s.poll(start + second * 100).fired, 1U);
}

TEST_P(bad_input, TimeThatGoesBackIsTheLatestTimeAgain) {
  scenario s = fresh();
  s.poll(start + second * 100);
  s.arm(start + second * 50);

  s.poll(start);
  s.poll(instant{0});

  EXPECT_TRUE(s.has_fired(0)) << "its deadline was past by then";
}

TEST_P(bad_input, ASinkThatThrowsHasFiredThatOneAndTheNextPollFiresTheOthers) {
  for (const std::size_t budget : {unlimited, std::size_t{40}}) {
    for (const std::size_t victim : {1U, 2U, 39U, 40U, 63U, 64U, 65U, 99U, 100U}) {
      scenario s = fresh();
      for (std::uint64_t k = 0; k < 100; ++k) s.arm(start + second * (k % 7));
      const instant now = late(s, start + second * 7);
      std::size_t thrown = 0;

      for (int polls = 0; s.store->size() != 0 && polls < 20; ++polls) {
        try {
          s.poll(now, budget, [&](std::size_t) {
            if (s.fired.size() == victim) throw std::runtime_error("a sink's");
          });
        } catch (const std::runtime_error&) {
          ++thrown;
          ASSERT_EQ(s.fired.size(), victim);
          ASSERT_EQ(s.store->size(), 100 - victim) << "the others stay counted";
          if (victim != 100) {
            ASSERT_LE(s.store->next_wakeup(), now);
          }
        }
      }

      EXPECT_EQ(thrown, 1U);
      for (const scenario::timer& t : s.timers) ASSERT_EQ(t.fired, 1);
      EXPECT_FALSE(s.wrong_value);
    }
  }
}

TEST_P(bad_input, ASinkThatAlwaysThrowsFiresOneTimerAPoll) {
  scenario s = fresh();
  for (std::uint64_t k = 0; k < 100; ++k) s.arm(start + second * (k % 7));
  const instant now = late(s, start + second * 7);

  for (std::size_t k = 1; k <= 100; ++k) {
    EXPECT_THROW(s.poll(now, unlimited, [](std::size_t) { throw 1; }), int);
    ASSERT_EQ(s.fired.size(), k);
    ASSERT_EQ(s.store->size(), 100 - k);
  }

  EXPECT_EQ(s.poll(now).fired, 0U);
}

// ---- Memory

/// Arms and cancels so that slots, entries and nodes have all been used, and returns the ids that are left.
void populate(scenario& s, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) s.arm(start + second + s.random.any_length(40));
}

/// Lets all timers go by, and says whether each that should be there fired exactly once.
void expect_all_fire(scenario& s) {
  for (int polls = 0; s.store->size() != 0 && polls < 8; ++polls) s.poll(never);
  EXPECT_EQ(s.store->size(), 0U);
  for (const scenario::timer& t : s.timers) ASSERT_EQ(t.fired, 1);
  EXPECT_FALSE(s.wrong_value);
}

TEST_P(bad_input, SchedulingIsAllOrNothingAtWhicheverAllocationMemoryRunsOut) {
  std::size_t failures = 0;
  // Around the sizes at which containers and pages grow.
  for (const std::size_t population : {0U, 1U, 2U, 8U, 16U, 1'023U, 1'024U, 1'025U, 2'048U, 4'096U}) {
    bool threw = true;
    for (std::size_t n = 1; threw; ++n) {
      ASSERT_LT(n, 1'000U) << "arming one timer allocates without end";
      scenario s = fresh();
      populate(s, population);
      s.timers.reserve(population + 1);
      const instant wakeup = s.store->next_wakeup();
      token value{s.book, population};

      fail_allocation(n);
      threw = false;
      handle name;
      try {
        name = s.store->schedule(start + duration{1}, std::move(value));
      } catch (const std::bad_alloc&) {
        threw = true;
        ++failures;
      }
      fail_allocation(0);

      ASSERT_EQ(value.holds(), threw) << "population " << population << ", allocation " << n;
      ASSERT_EQ(s.store->size(), population + (threw ? 0 : 1));
      if (threw) {
        ASSERT_EQ(s.store->next_wakeup(), wakeup);
        name = s.store->schedule(start + duration{1}, std::move(value));  // now there is memory again
      }
      s.timers.push_back({start + duration{1}, start, name});
      expect_all_fire(s);
    }
  }
  EXPECT_GE(failures, 3U) << "no allocation failed, so nothing was tested";
}

TEST_P(bad_input, ReservingLeavesTheStoreAsItWasWhereverMemoryRunsOut) {
  std::size_t failures = 0;
  for (const std::size_t population : {0U, 10U, 1'024U}) {
    bool threw = true;
    for (std::size_t n = 1; threw; n += n < 16 ? 1 : 97) {
      ASSERT_LT(n, 100'000U) << "reserve() allocates without end";
      scenario s = fresh();
      populate(s, population);
      const instant wakeup = s.store->next_wakeup();

      fail_allocation(n);
      threw = false;
      try {
        s.store->reserve(5'000);
      } catch (const std::bad_alloc&) {
        threw = true;
        ++failures;
      }
      fail_allocation(0);

      ASSERT_EQ(s.store->size(), population);
      ASSERT_EQ(s.store->next_wakeup(), wakeup);
      if (threw) s.store->reserve(5'000);
      s.timers.reserve(5'000);
      for (std::size_t id = 0; id < 5'000; ++id) const token warm{s.book, id};
      const std::size_t before = allocations_so_far();
      populate(s, 5'000 - population);
      ASSERT_EQ(allocations_so_far(), before) << "reserved, after allocation " << n << " had failed";
      s.fired.reserve(5'000);
      expect_all_fire(s);
    }
  }
  EXPECT_GE(failures, 3U);
}

TEST_P(bad_input, WhenNoHandleIsLeftSchedulingSaysSoAndKeepsTheValue) {
  ledger book;
  const auto store = backend().make({.start = start, .slots_max = 1'500});
  std::vector<handle> names;
  for (std::size_t k = 0; k < 1'500; ++k) names.push_back(store->schedule(start + second, token{book, k}));
  token value{book, 1'500};

  EXPECT_THROW(store->schedule(start + second, std::move(value)), std::length_error);
  EXPECT_THROW(store->reserve(1'501), std::length_error);

  EXPECT_TRUE(value.holds());
  EXPECT_EQ(store->size(), 1'500U);
  EXPECT_TRUE(store->cancel(names[700]));
  names[700] = store->schedule(start + second, std::move(value));
  EXPECT_FALSE(value.holds());
  for (const handle h : names) ASSERT_TRUE(store->cancel(h));
}

TEST_P(bad_input, SlotsThatRanOutOfGenerationsCountAgainstTheHandlesThereAre) {
  ledger book;
  const auto store = backend().make({.start = start, .generation_bits = 4, .slots_max = 3});
  std::size_t armed = 0;

  EXPECT_THROW(
      for (; armed < 1'000; ++armed) {
        const handle h = store->schedule(start + second, token{book, armed});
        ASSERT_TRUE(store->cancel(h));
      },
      std::length_error);

  EXPECT_EQ(armed, 3U * 8) << "eight generations of each slot";
  EXPECT_EQ(store->retired(), 3U);
  EXPECT_EQ(store->size(), 0U);
}

}  // namespace
}  // namespace pinion::timer::testing
