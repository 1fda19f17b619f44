// SPDX-License-Identifier: Apache-2.0
//
// Every law against every pair of inbox and notifier, and every mutant against the law that must kill it.
//
//   waker_conformance --gtest_filter='tagged_inbox*'    one inbox; law_suite.hpp knows more
#include <string>
#include <vector>

#include "flawed_channel.hpp"
#include "law_suite.hpp"
#include "laws.hpp"

namespace pinion::waker::testing {
namespace {

using pinion::testing::add_laws;
using pinion::testing::add_mutants;

using mutant = pinion::testing::mutant_of<channel_factory>;

channel_factory factory_of(const char* name, defect which) {
  return {.name = name, .make = [which] { return std::make_unique<flawed_channel>(which); }};
}
mutant made(const char* law, const char* name, defect which) {
  static const channel_factory frame = factory_of("FlawedChannel", defect::none);
  return {.law = law, .factory = factory_of(name, which), .frame = &frame};
}

std::vector<mutant> mutants() {
  return {
      made("W1", "SignalsOnlyTheFirstTime", defect::signals_only_the_first_time),
      made("W1", "ArmsWithoutLookingAgain", defect::arms_without_looking_again),
      made("W1", "ForgetsThatItWasArmed", defect::forgets_that_it_was_armed),
      made("W2", "SignalsEachPushToASleeper", defect::signals_each_push_to_a_sleeper),
      made("W2", "SignalsAnOwnerThatIsAwake", defect::signals_an_owner_that_is_awake),
      made("W2", "StaysArmedThroughADrain", defect::stays_armed_through_a_drain),
      made("W3", "DropsTheOldestBeyond256", defect::drops_the_oldest_beyond_256),
      made("W3", "AllocatesForEachPush", defect::allocates_for_each_push),
      made("W4", "DrainsNewestFirst", defect::drains_newest_first),
      made("W4", "OvertakesWhatOverflowed", defect::overtakes_what_overflowed),
      made("W5", "LosesWhatWasThereAtClose", defect::loses_what_was_there_at_close),
      made("W5", "DeliversAfterClose", defect::delivers_after_close),
      made("W5", "KeepsARefusedNodeQueued", defect::keeps_a_refused_node_queued),
      made("W5", "SleepsThoughClosed", defect::sleeps_though_closed),
      made("W6", "DrainsWhatItsSinkPushes", defect::drains_what_its_sink_pushes),
      made("W6", "LosesTheRestBehindAThrow", defect::loses_the_rest_behind_a_throw),
      made("W7", "QueuesANodeTwice", defect::queues_a_node_twice),
      made("W7", "UnqueuesAfterTheSink", defect::unqueues_after_the_sink),
  };
}

[[maybe_unused]] const bool are_listed = (add_laws(laws(), backends()), add_mutants(laws(), mutants()), true);

}  // namespace
}  // namespace pinion::waker::testing
