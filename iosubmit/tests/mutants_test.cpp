// SPDX-License-Identifier: Apache-2.0
//
// What the laws are worth: each mutant is killed by the law that it breaks, through that law's own violation.
#include <pinion/base/diagnostic.hpp>

#include <memory>
#include <ranges>
#include <vector>

#include "flawed_submission.hpp"
#include "law_suite.hpp"
#include "laws.hpp"

namespace pinion::iosubmit::testing {
namespace {

// Rings in which the shipped submission must fall: the laws see what a ring does to it, too.
struct hands_over_newest_first : watched_ring {
  using watched_ring::watched_ring;
  ring_entered enter(const ring_wait& wait) noexcept {
    std::vector<ring_entry> all;
    watched_ring::withdraw([&](const ring_entry& e) noexcept { all.push_back(e); });
    for (const ring_entry& each : all | std::views::reverse) put(each);
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

using mutant = pinion::testing::mutant_of<submission_factory>;

// All in a ring that is small and keeps back, with room enough that a law may expect one enter.
constexpr sim::virtual_ring_options small{
    .entries = 32, .completions = 64, .keeps_back = true, .latency = duration{80'000}};
constexpr sim::virtual_ring_options tiny{.entries = 2, .latency = duration{80'000}};

submission_factory plain(const char* name, defect which, const sim::virtual_ring_options& ring) {
  return {.name = name,
          .make = [which](sim::virtual_clock& clock,
                          const sim::virtual_ring_options& how) -> std::unique_ptr<any_submission> {
            return std::make_unique<flawed_submission>(clock, how, which);
          },
          .ring = ring,
          .may_allocate = ring.entries == tiny.entries};
}
template <class Ring>
submission_factory shipped_in(const char* name) {
  return {.name = name,
          .make = [](sim::virtual_clock& clock,
                     const sim::virtual_ring_options& how) -> std::unique_ptr<any_submission> {
            return std::make_unique<adapted<batch_or_idle, Ring>>(clock, how, batch_or_idle{});
          },
          .ring = small};
}

mutant flawed(const char* law, const char* name, defect which) {
  static const submission_factory frame = plain("PlainSubmission", defect::none, small);
  return {law, plain(name, which, small), &frame};
}
mutant flawed_in_tiny(const char* law, const char* name, defect which) {
  static const submission_factory frame = plain("PlainSubmissionInATinyRing", defect::none, tiny);
  return {law, plain(name, which, tiny), &frame};
}
const submission_factory& shipped() {
  static const submission_factory frame = shipped_in<watched_ring>("ShippedSubmission");
  return frame;
}
template <class Ring>
mutant in_ring(const char* law, const char* name) {
  return {law, shipped_in<Ring>(name), &shipped()};
}

std::vector<mutant> mutants() {
  return {
      flawed("S1", "StrandsWhenThePolicySaysNo", defect::strands_when_the_policy_says_no),
      flawed_in_tiny("S1", "StrandsWhatDoesNotFit", defect::strands_what_does_not_fit),
      flawed("S1", "SleepsThroughARefusal", defect::sleeps_through_a_refusal),
      flawed("S2", "SubmitsAndWaitsApart", defect::submits_and_waits_apart),
      flawed("S2", "EntersEachTurn", defect::enters_each_turn),
      flawed("S2", "ForgetsTheUrgent", defect::forgets_the_urgent),
      flawed("S2", "ForgetsTheUrgentWhenRefused", defect::forgets_the_urgent_when_refused),
      in_ring<asks_for_enters_always>("S2", "AsksForEntersAlways"),
      flawed("S3", "ReadsTheClockForEach", defect::reads_the_clock_for_each),
      flawed("S3", "GoesByAGlobal", defect::goes_by_a_global),
      flawed("S3", "AllocatesForEach", defect::allocates_for_each),
      flawed("S4", "IgnoresTaskrun", defect::ignores_taskrun),
      flawed("S4", "FetchesOnlyWhenItSubmits", defect::fetches_only_when_it_submits),
      flawed("S4", "WaitsWhileCompletionsAreThere", defect::waits_while_completions_are_there),
      flawed("S4", "ReapsWithoutEnd", defect::reaps_without_end),
      in_ring<hides_what_is_kept_back>("S4", "HidesWhatIsKeptBack"),
      flawed_in_tiny("S5", "DropsWhatDoesNotFit", defect::drops_what_does_not_fit),
      flawed("S5", "AnswersTwiceOnAShortSubmit", defect::answers_twice_on_a_short_submit),
      flawed("S5", "ForgetsTheRestOfAShortSubmit", defect::forgets_the_rest_of_a_short_submit),
      flawed("S5", "TakesEagainForAnAnswer", defect::takes_eagain_for_an_answer),
      flawed("S5", "LosesAllAtALastingError", defect::loses_all_at_a_lasting_error),
      flawed_in_tiny("S5", "LosesTheListAtALastingError", defect::loses_the_list_at_a_lasting_error),
      flawed_in_tiny("S5", "OvertakesWhatWaitsInTheList", defect::overtakes_what_waits_in_the_list),
      flawed("S5", "ForgetsTheQueuedAtTheEnd", defect::forgets_the_queued_at_the_end),
      flawed("S5", "ForgetsTheFlyingAtTheEnd", defect::forgets_the_flying_at_the_end),
      flawed("S5", "EndsWhatAnswersAsk", defect::ends_what_answers_ask),
      in_ring<hands_over_newest_first>("S5", "HandsOverNewestFirst"),
      flawed("S6", "AnswersInsideQueue", defect::answers_inside_queue),
      flawed("S6", "TriesAgainBeforeTheTurn", defect::tries_again_before_the_turn),
      flawed("S7", "WaitsFromTheLastTurn", defect::waits_from_the_last_turn),
      flawed("S8", "SubmitsPastTheCount", defect::submits_past_the_count),
      flawed("S8", "FetchesWhenItSubmits", defect::fetches_when_it_submits),
      flawed("S9", "LetsAPortWait", defect::lets_a_port_wait),
  };
}

void quiet(const diagnostic&) noexcept {}

[[maybe_unused]] const bool are_listed =
    (set_diagnostic_sink(&quiet), pinion::testing::add_mutants(laws(), mutants()), true);

}  // namespace
}  // namespace pinion::iosubmit::testing
