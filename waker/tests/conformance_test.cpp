// SPDX-License-Identifier: Apache-2.0
//
// Every law against every pair of inbox and notifier, and every mutant against the law that must kill it.
//
//   waker_conformance --gtest_filter='tagged_inbox*'    one inbox
//   waker_conformance --gtest_filter='mutants.*'        what the suite is worth
//   PINION_TEST_SEED=7 waker_conformance                other numbers; a failure prints the seed it had
#include <gtest/gtest.h>

#include <iostream>
#include <set>

#include "flawed_channel.hpp"
#include "laws.hpp"
#include "listed_laws.hpp"

namespace pinion::waker::testing {
namespace {

struct mutant {
  const char* law;  ///< that kills it
  const char* name;
  defect which;
};

constexpr mutant mutants[] = {
    {"W1", "SignalsOnlyTheFirstTime", defect::signals_only_the_first_time},
    {"W1", "ArmsWithoutLookingAgain", defect::arms_without_looking_again},
    {"W1", "ForgetsThatItWasArmed", defect::forgets_that_it_was_armed},
    {"W2", "SignalsEachPushToASleeper", defect::signals_each_push_to_a_sleeper},
    {"W2", "SignalsAnOwnerThatIsAwake", defect::signals_an_owner_that_is_awake},
    {"W2", "StaysArmedThroughADrain", defect::stays_armed_through_a_drain},
    {"W3", "DropsTheOldestBeyond256", defect::drops_the_oldest_beyond_256},
    {"W3", "AllocatesForEachPush", defect::allocates_for_each_push},
    {"W4", "DrainsNewestFirst", defect::drains_newest_first},
    {"W4", "OvertakesWhatOverflowed", defect::overtakes_what_overflowed},
    {"W5", "LosesWhatWasThereAtClose", defect::loses_what_was_there_at_close},
    {"W5", "DeliversAfterClose", defect::delivers_after_close},
    {"W5", "KeepsARefusedNodeQueued", defect::keeps_a_refused_node_queued},
    {"W5", "SleepsThoughClosed", defect::sleeps_though_closed},
    {"W6", "DrainsWhatItsSinkPushes", defect::drains_what_its_sink_pushes},
    {"W6", "LosesTheRestBehindAThrow", defect::loses_the_rest_behind_a_throw},
    {"W7", "QueuesANodeTwice", defect::queues_a_node_twice},
    {"W7", "UnqueuesAfterTheSink", defect::unqueues_after_the_sink},
};

channel_factory factory_of(const char* name, defect which, std::uint64_t seed) {
  return {.name = name,
          .make = [which] { return std::make_unique<flawed_channel>(which); },
          .keeps_w3 = true,
          .seed = seed};
}

void is_killed(const mutant& m, std::uint64_t seed) {
  const violation what = check_law(m.law, factory_of(m.name, m.which, seed));
  EXPECT_TRUE(what) << "mutant " << m.name << " is alive: law " << m.law << " did not see it";
  std::cout << "mutant " << m.name << ", killed by " << m.law << ": " << what.what() << '\n';
}

void register_all() {
  const std::uint64_t seed = seed_from_environment();
  add_laws(laws(), seed);
  for (const mutant& m : mutants) {
    add_test("mutants", std::string{m.name} + "IsKilledBy" + m.law, [m, seed] { is_killed(m, seed); });
  }
}

TEST(suite, HasAMutantForEveryLaw) {
  std::set<std::string> unproven;
  for (const clause& c : laws()) unproven.insert(c.law);

  for (const mutant& m : mutants) unproven.erase(m.law);

  EXPECT_TRUE(unproven.empty()) << "no mutant shows that the suite would see a breach of "
                                << *unproven.begin();
}

TEST(suite, FindsNothingWrongWithAMutantsUnalteredBase) {
  const channel_factory right = factory_of("none", defect::none, seed_from_environment());

  for (const clause& c : laws()) {
    const violation what = c.check(right);
    EXPECT_FALSE(what) << c.law << ' ' << c.name << ": " << what.what();
  }
}

}  // namespace
}  // namespace pinion::waker::testing

int main(int argc, char** argv) {
  pinion::waker::testing::register_all();
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
