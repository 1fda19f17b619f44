// SPDX-License-Identifier: Apache-2.0
//
// A timer beside a hog, in virtual time: how late is it, with each source that knows time, as slice_rule has
// it?
//
// A loop with two queues, as small as one can be. The hog works in units of 10 us and looks at the word after
// each; its slices are to be q at most. A task of the other queue sleeps for 1 ms, give or take a half, runs
// for 5 us, and sleeps again. A thread, a signal, an interrupt comes up to 5 us late.
//
// Either the loop knows when the task will wake (a timer of its own): then the slice ends at the timer, and q
// doesn't matter. Or it doesn't (a completion, a wake from another thread), and has but the quantum to go by.
// A source that goes by the quantum where a timer is known, and one that ticks by an interval of its own, are
// too late: both are tried.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <pinion/preempt/slice_rule.hpp>
#include <pinion/preempt/ticker.hpp>
#include <random>
#include <string>
#include <vector>

#include "laws.hpp"
#include "listed_test.hpp"
#include "p4_source.hpp"

namespace pinion::preempt::testing {
namespace {

constexpr duration unit{10'000};
constexpr duration run{5'000};
constexpr duration machine_late{5'000};
constexpr duration shortest_sleep{500'000};
constexpr duration longest_sleep{1'500'000};
constexpr int wakes = 2'000;

// What is tried.
struct trial {
  duration q;
  bool knows_timers = false;
  bool ignores_next_timer = false;  // a mutant: slices end after the quantum, whatever the rule says

  // How late the sleeper may run: by two of the hog's units, one of which a source that counts checks may
  // need to see the end, and by what the machine is late. And by a slice, where nothing but the quantum ends
  // one.
  [[nodiscard]] std::uint64_t late_max() const noexcept {
    return 2 * unit.ns + machine_late.ns + (knows_timers ? 0 : q.ns);
  }
  // Half of a slice is gone by, most often, as the sleeper wakes. The bar that the design sets is 1.2 q.
  [[nodiscard]] std::uint64_t late_p50_max() const noexcept {
    return knows_timers ? late_max() : q.ns + q.ns / 5;
  }
};

class turn_loop {
 public:
  turn_loop(const source_factory& factory, const trial& tried)
      : on_{.late_max = machine_late,
            .slice_min = std::min(tried.q, ticker_options{}.resolution),
            .seed = factory.seed},
        source_(factory.make(on_)), tried_(tried), numbers_(factory.seed) {
    hog_ = rule_.add({.quantum = tried.q}).value();
    sleeper_ = rule_.add({.quantum = tried.q}).value();
  }

  // How late the sleeper ran, each time.
  std::vector<std::uint64_t> lateness() {
    std::vector<std::uint64_t> late;
    instant due = next_wake();
    while (late.size() < wakes) {
      if (due <= source_->now()) {
        late.push_back((source_->now() - due).ns);
        begin(sleeper_, {.now = source_->now(), .others_ready = true});
        source_->advance_by(run);
        due = next_wake();
      }
      begin(hog_, {.now = source_->now(),
                   .next_timer = tried_.knows_timers ? due : never,
                   .waits_for_others = !tried_.knows_timers});
      do source_->advance_by(unit);
      while (!source_->is_due());
    }
    return late;
  }

 private:
  instant next_wake() {
    return source_->now() + duration{std::uniform_int_distribution<std::uint64_t>{
                                shortest_sleep.ns, longest_sleep.ns}(numbers_)};
  }
  void begin(slice_rule::queue which, const slice_state& state) {
    source_->begin(tried_.ignores_next_timer ? state.now + rule_.slice_of(which)
                                             : rule_.end_of(which, state));
  }

  machine on_;
  std::unique_ptr<any_source> source_;
  trial tried_;
  std::mt19937_64 numbers_;
  slice_rule rule_;
  slice_rule::queue hog_{};
  slice_rule::queue sleeper_{};
};

// What is out of bounds; empty if nothing is.
violation lateness_is_within_bounds(const source_factory& factory, const trial& tried) {
  std::vector<std::uint64_t> late = turn_loop{factory, tried}.lateness();
  std::sort(late.begin(), late.end());
  const std::uint64_t p50 = late[late.size() / 2];
  std::cout << factory.name << ", q = " << tried.q.ns / 1'000 << " us, "
            << (tried.knows_timers ? "timers known" : "by the quantum") << ": late P50 " << p50 / 1'000
            << " us, P99 " << late[late.size() * 99 / 100] / 1'000 << " us, most " << late.back() / 1'000
            << " us\n";
  if (p50 > tried.late_p50_max())
    return broken(factory, "late by ", p50, " ns at P50, which may be ", tried.late_p50_max());
  if (late.back() > tried.late_max())
    return broken(factory, "late by ", late.back(), " ns at most, which may be ", tried.late_max());
  return {};
}

source_factory interval_timer(defect which, std::uint64_t seed) {
  return {.name = which == defect::none ? "a plain timer" : "a timer that ticks each millisecond",
          .make = [which](const machine& on) -> std::unique_ptr<any_source> {
            return std::make_unique<p4_source>(on, which);
          },
          .seed = seed};
}

void register_all() {
  const std::uint64_t seed = pinion::testing::seed_from_environment();
  for (const std::uint64_t us : {100U, 1'000U}) {
    const duration q{us * 1'000};
    const std::string at = std::to_string(us) + "Us";
    for (source_factory factory : backends()) {
      if (factory.traits.counts) continue;
      factory.seed = seed;
      for (const bool knows : {true, false}) {
        pinion::testing::add_test(
            "accuracy_of_" + factory.name, "IsWithin" + at + (knows ? "OfATimer" : "OfAWake"), [=] {
              const violation what = lateness_is_within_bounds(factory, {.q = q, .knows_timers = knows});
              EXPECT_FALSE(what) << what.what();
            });
      }
      pinion::testing::add_test("mutants_of_" + factory.name, "GoByTheQuantumOf" + at + "WhereATimerIsKnown",
                                [=] {
                                  EXPECT_TRUE(lateness_is_within_bounds(
                                      factory, {.q = q, .knows_timers = true, .ignores_next_timer = true}))
                                      << "it is as late as its quantum, and nothing saw it";
                                });
    }
    pinion::testing::add_test("mutants", "TickByAnIntervalAt" + at, [=] {
      const trial tried{.q = q, .knows_timers = true};
      EXPECT_FALSE(lateness_is_within_bounds(interval_timer(defect::none, seed), tried));
      EXPECT_TRUE(lateness_is_within_bounds(interval_timer(defect::ticks_on, seed), tried));
    });
  }
}

}  // namespace
}  // namespace pinion::preempt::testing

int main(int argc, char** argv) {
  pinion::preempt::testing::register_all();
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
