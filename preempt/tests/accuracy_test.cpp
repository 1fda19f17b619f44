// SPDX-License-Identifier: Apache-2.0
//
// A timer beside a hog, in virtual time: how late is it, with each source that knows time, as slice_rule has it?
//
// A loop with two queues, as small as one can be. The hog works in units of 10 us and looks at the word after each; its slices are to be
// q at most. A task of the other queue sleeps for 1 ms, give or take a half, runs for 5 us, and sleeps again. Either the loop knows when
// it will wake (a timer of its own), or it doesn't (a completion, a wake from another thread), and has but the quantum to go by. A
// thread, a signal, an interrupt comes up to 5 us late.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <pinion/preempt/slice_rule.hpp>
#include <pinion/preempt/ticker.hpp>
#include <random>
#include <string>
#include <vector>

#include "any_source.hpp"
#include "listed_test.hpp"

namespace pinion::preempt::testing {
namespace {

constexpr duration unit{10'000};
constexpr duration run{5'000};
constexpr duration shortest_sleep{500'000};
constexpr duration longest_sleep{1'500'000};
constexpr int wakes = 2'000;

class turn_loop {
 public:
  turn_loop(const source_factory& factory, duration q, bool knows_timers)
      : on_{.late_max = duration{5'000},
            .slice_min = std::min(q, ticker_options{}.resolution),
            .seed = factory.seed},
        source_(factory.make(on_)), knows_timers_(knows_timers), numbers_(factory.seed) {
    hog_ = rule_.add({.quantum = q}).value();
    sleeper_ = rule_.add({.quantum = q}).value();
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
                   .next_timer = knows_timers_ ? due : never,
                   .waits_for_others = !knows_timers_});
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
    source_->begin(rule_.end_of(which, state));
  }

  machine on_;
  std::unique_ptr<any_source> source_;
  bool knows_timers_;
  std::mt19937_64 numbers_;
  slice_rule rule_;
  slice_rule::queue hog_{};
  slice_rule::queue sleeper_{};
};

void lateness_is_within_bounds(const source_factory& factory, duration q, bool knows_timers) {
  std::vector<std::uint64_t> late = turn_loop{factory, q, knows_timers}.lateness();

  std::sort(late.begin(), late.end());
  const std::uint64_t p50 = late[late.size() / 2];
  std::cout << factory.name << ", q = " << q.ns / 1'000 << " us, "
            << (knows_timers ? "timers known" : "by the quantum") << ": late P50 " << p50 / 1'000
            << " us, P99 " << late[late.size() * 99 / 100] / 1'000 << " us, most " << late.back() / 1'000
            << " us\n";
  EXPECT_LE(p50, q.ns + q.ns / 5);
  // A slice, the unit in which it ends, one more for a source that counts checks, and the machine.
  EXPECT_LE(late.back(), q.ns + 2 * unit.ns + 5'000);
}

void register_all() {
  for (source_factory factory : backends()) {
    if (factory.traits.counts) continue;
    factory.seed = pinion::testing::seed_from_environment();
    for (const std::uint64_t us : {100U, 1'000U}) {
      for (const bool knows : {true, false}) {
        pinion::testing::add_test("accuracy_of_" + factory.name,
                                  std::string{"IsWithin"} + std::to_string(us) +
                                      (knows ? "UsOfATimer" : "UsOfAWake"),
                                  [=] { lateness_is_within_bounds(factory, duration{us * 1'000}, knows); });
      }
    }
  }
}

}  // namespace
}  // namespace pinion::preempt::testing

int main(int argc, char** argv) {
  pinion::preempt::testing::register_all();
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
