// SPDX-License-Identifier: Apache-2.0
//
// Every law against every allocator of frames, and every mutant against the law that must kill it.
//
//   scheduler_frames --gtest_filter='slab_frames*'    one allocator; law_suite.hpp knows more
#include <string>
#include <vector>

#include "flawed_frames.hpp"
#include "law_suite.hpp"
#include "laws.hpp"

namespace pinion::scheduler::testing {
namespace {

using mutant = pinion::testing::mutant_of<frames_factory>;

frames_factory factory_of(const char* name, frames_defect which) {
  return {.name = name,
          .make = [which] { return std::make_unique<flawed_frames>(which); },
          .traits = counted_slab_frames::traits};
}
mutant made(const char* law, const char* name, frames_defect which) {
  static const frames_factory frame = factory_of("FlawedFrames", frames_defect::none);
  const bool is_unseen = std::string{law} == "F3" && pinion::testing::is_sanitized;
  return {.law = law,
          .factory = factory_of(name, which),
          .frame = &frame,
          .skipped = is_unseen ? "a sanitizer has a pthread_mutex_lock of its own" : ""};
}

std::vector<mutant> mutants() {
  return {
      made("F1", "AlignsToEight", frames_defect::aligns_to_eight),
      made("F1", "HandsOutABlockTwice", frames_defect::hands_out_a_block_twice),
      made("F1", "CountsWhatWasRefused", frames_defect::counts_what_was_refused),
      made("F2", "LosesWhatOthersFree", frames_defect::loses_what_others_free),
      made("F2", "TakesBlocksAlong", frames_defect::takes_blocks_along),
      made("F2", "LeavesAnOrphanBehind", frames_defect::leaves_an_orphan_behind),
      made("F2", "LosesWhatIsFreedBetweenOwners", frames_defect::loses_what_is_freed_between_owners),
      made("F3", "Locks", frames_defect::locks),
      made("F4", "KeepsItsPeak", frames_defect::keeps_its_peak),
      made("F4", "GivesAllBackAtOnce", frames_defect::gives_all_back_at_once),
      made("F4", "KeepsWhatTrimShouldGive", frames_defect::keeps_what_trim_should_give),
      made("F5", "KeepsNoReserve", frames_defect::keeps_no_reserve),
      made("F5", "AllocatesForEach", frames_defect::allocates_for_each),
      made("F6", "ForgetsLargeBlocks", frames_defect::forgets_large_blocks),
      made("F6", "CountsLateWhatOthersFree", frames_defect::counts_late_what_others_free),
  };
}

[[maybe_unused]] const bool are_listed = (pinion::testing::add_laws(frames_laws(), backends()),
                                          pinion::testing::add_mutants(frames_laws(), mutants()), true);

}  // namespace
}  // namespace pinion::scheduler::testing
