// SPDX-License-Identifier: Apache-2.0
//
// What the laws are worth: each mutant is killed by the law that it breaks, through that law's own violation.
#include <gtest/gtest.h>

#include <pinion/base/diagnostic.hpp>

#include <array>
#include <iostream>
#include <set>
#include <string>

#include "flawed_submission.hpp"
#include "laws.hpp"
#include "listed_test.hpp"

namespace pinion::iosubmit::testing {
namespace {

// Rings in which the shipped submission must fall: the laws see what a ring does to it, too.
struct hands_over_newest_first : watched_ring {
  using watched_ring::watched_ring;
  ring_entered enter(const ring_wait& wait) noexcept {
    std::vector<ring_entry> all;
    watched_ring::withdraw([&](const ring_entry& e) noexcept { all.push_back(e); });
    for (auto each = all.rbegin(); each != all.rend(); ++each) put(*each);
    return watched_ring::enter(wait);
  }
};
struct hides_what_is_kept_back : watched_ring {
  using watched_ring::watched_ring;
  [[nodiscard]] bool wants_enter() const noexcept { return false; }
};
struct asks_for_enters_always : watched_ring {
  using watched_ring::watched_ring;
  [[nodiscard]] bool wants_enter() const noexcept { return true; }
};

struct mutant {
  const char* law;  ///< that kills it
  submission_factory factory;
};

// All in a ring that is small and keeps back, with room enough that a law may expect one enter.
constexpr sim::virtual_ring_options small{
    .entries = 32, .completions = 64, .keeps_back = true, .latency = duration{80'000}};
constexpr sim::virtual_ring_options tiny{.entries = 2, .latency = duration{80'000}};

submission_factory flawed(const char* name, defect which, const sim::virtual_ring_options& ring = small) {
  return {.name = name,
          .make = [which](sim::virtual_clock& clock,
                          const sim::virtual_ring_options& how) -> std::unique_ptr<any_submission> {
            return std::make_unique<flawed_submission>(clock, how, which);
          },
          .ring = ring};
}
template <class Ring>
submission_factory in_ring(const char* name) {
  return {.name = name,
          .make = [](sim::virtual_clock& clock,
                     const sim::virtual_ring_options& how) -> std::unique_ptr<any_submission> {
            return std::make_unique<adapted<batch_or_idle, Ring>>(clock, how, batch_or_idle{});
          },
          .ring = small};
}

const std::vector<mutant>& mutants() {
  static const std::vector<mutant> all{
      {"S1", flawed("StrandsWhenThePolicySaysNo", defect::strands_when_the_policy_says_no)},
      {"S1", flawed("StrandsWhatDoesNotFit", defect::strands_what_does_not_fit, tiny)},
      {"S1", flawed("SleepsThroughARefusal", defect::sleeps_through_a_refusal)},
      {"S2", flawed("SubmitsAndWaitsApart", defect::submits_and_waits_apart)},
      {"S2", flawed("EntersEachTurn", defect::enters_each_turn)},
      {"S2", flawed("ForgetsTheUrgent", defect::forgets_the_urgent)},
      {"S2", flawed("ForgetsTheUrgentWhenRefused", defect::forgets_the_urgent_when_refused)},
      {"S2", in_ring<asks_for_enters_always>("AsksForEntersAlways")},
      {"S3", flawed("ReadsTheClockForEach", defect::reads_the_clock_for_each)},
      {"S3", flawed("GoesByAGlobal", defect::goes_by_a_global)},
      {"S3", flawed("AllocatesForEach", defect::allocates_for_each)},
      {"S4", flawed("IgnoresTaskrun", defect::ignores_taskrun)},
      {"S4", flawed("FetchesOnlyWhenItSubmits", defect::fetches_only_when_it_submits)},
      {"S4", flawed("WaitsWhileCompletionsAreThere", defect::waits_while_completions_are_there)},
      {"S4", flawed("ReapsWithoutEnd", defect::reaps_without_end)},
      {"S4", in_ring<hides_what_is_kept_back>("HidesWhatIsKeptBack")},
      {"S5", flawed("DropsWhatDoesNotFit", defect::drops_what_does_not_fit, tiny)},
      {"S5", flawed("AnswersTwiceOnAShortSubmit", defect::answers_twice_on_a_short_submit)},
      {"S5", flawed("ForgetsTheRestOfAShortSubmit", defect::forgets_the_rest_of_a_short_submit)},
      {"S5", flawed("TakesEagainForAnAnswer", defect::takes_eagain_for_an_answer)},
      {"S5", flawed("LosesAllAtALastingError", defect::loses_all_at_a_lasting_error)},
      {"S5", flawed("LosesTheListAtALastingError", defect::loses_the_list_at_a_lasting_error, tiny)},
      {"S5", flawed("OvertakesWhatWaitsInTheList", defect::overtakes_what_waits_in_the_list, tiny)},
      {"S5", flawed("ForgetsTheQueuedAtTheEnd", defect::forgets_the_queued_at_the_end)},
      {"S5", flawed("ForgetsTheFlyingAtTheEnd", defect::forgets_the_flying_at_the_end)},
      {"S5", in_ring<hands_over_newest_first>("HandsOverNewestFirst")},
  };
  return all;
}

void quiet(const diagnostic&) noexcept {}

void register_all() {
  const std::uint64_t seed = pinion::testing::seed_from_environment();
  for (const mutant& m : mutants()) {
    pinion::testing::add_test("mutants", m.factory.name + "IsKilledBy" + m.law, [m, seed] {
      submission_factory factory = m.factory;
      factory.seed = seed;
      const violation what = check_law(m.law, factory);
      EXPECT_TRUE(what) << "mutant " << factory.name << " is alive: law " << m.law << " did not see it";
      std::cout << "mutant " << factory.name << ", killed by " << m.law << ": " << what.what() << '\n';
    });
  }
  // Otherwise a kill could be the frame's doing, and not the defect's.
  for (const clause& c : laws()) {
    pinion::testing::add_test("unaltered", std::string{c.law} + c.name, [c, seed] {
      for (submission_factory factory : {in_ring<watched_ring>("shipped"), flawed("plain", defect::none),
                                         flawed("plain_in_tiny", defect::none, tiny)}) {
        // What does not fit the plain form keeps in a list, which allocates.
        if (factory.name == "plain_in_tiny" && std::string{c.name} == "NothingIsAllocated") continue;
        factory.seed = seed;
        const violation what = c.check(factory);
        EXPECT_FALSE(what) << c.law << ' ' << c.name << " of " << factory.name << ": " << what.what();
      }
    });
  }
}

TEST(suite, HasAMutantForEveryLaw) {
  std::set<std::string> unproven;
  for (const clause& c : laws()) unproven.insert(c.law);

  for (const mutant& m : mutants()) unproven.erase(m.law);

  EXPECT_TRUE(unproven.empty()) << "no mutant shows that the suite would see a breach of "
                                << *unproven.begin();
}

}  // namespace
}  // namespace pinion::iosubmit::testing

int main(int argc, char** argv) {
  pinion::set_diagnostic_sink(pinion::iosubmit::testing::quiet);
  pinion::iosubmit::testing::register_all();
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
