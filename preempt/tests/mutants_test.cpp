// SPDX-License-Identifier: Apache-2.0
//
// What the laws are worth: each mutant is killed by the law that it breaks, through that law's own violation.
#include <memory>
#include <vector>

#include "law_suite.hpp"
#include "laws.hpp"
#include "p4_source.hpp"

namespace pinion::preempt::testing {
namespace {

using mutant = pinion::testing::mutant_of<source_factory>;

source_factory factory_of(const char* name, defect which) {
  return {.name = name,
          .make = [which](const machine& on) -> std::unique_ptr<any_source> {
            return std::make_unique<p4_source>(on, which);
          },
          .traits = {.sees_stalls = true}};
}
mutant made(const char* law, const char* name, defect which, const char* origin) {
  static const source_factory frame = factory_of("P4Source", defect::none);
  return {law, factory_of(name, which), &frame, origin};
}

std::vector<mutant> mutants() {
  return {
      made("Y1", "TakesTheFlag", defect::takes_the_flag, "004 P4: need_yield.swap(false) at each check"),
      made("Y1", "MovesItsWord", defect::moves_its_word, "two words, used in turn"),
      made("Y1", "AsksWithoutSaying", defect::asks_without_saying,
           "a budget behind a word that is said to be plain"),
      made("Y1", "ReadsTheClockToLook", defect::reads_the_clock_to_look, "a clock behind each check"),
      made("Y2", "TakesTheFlag", defect::takes_the_flag,
           "004 P4: swap(false): the second look in a slice says no"),
      made("Y2", "KeepsTheFlag", defect::keeps_the_flag,
           "004 P4: NEED_YIELD is left set from the slice before"),
      made("Y2", "FlagsWhicheverRuns", defect::flags_whichever_runs,
           "004 P4: the handler stores true, whichever slice runs by then"),
      made("Y2", "LooksBetweenTasks", defect::looks_between_tasks,
           "004 P4: should_preempt() in the loop: a task that checks isn't told"),
      made("Y2", "ServesOneOwner", defect::serves_one_owner,
           "004 P4: ITIMER_REAL is the process's: the last to set it has it"),
      made("Y2", "TicksOn", defect::ticks_on, "004 P4: it_interval goes on whatever begins"),
      made("Y2", "LosesWholeSeconds", defect::loses_whole_seconds,
           "004 P4: interval_us as tv_usec: EINVAL from a second on"),
      made("Y2", "GoesByJiffies", defect::goes_by_jiffies,
           "timers on a clock of CPU time: exact to the kernel's tick"),
      made("Y2", "ArmsForNothingInThePast", defect::arms_for_nothing_in_the_past, "it_value of 0 disarms"),
      made("Y2", "KeepsTheFirstEnd", defect::keeps_the_first_end, "a timer is armed already"),
      made("Y2", "ForgetsItLater", defect::forgets_it_later, "a flag that the next tick clears"),
      made("Y2", "CountsTimeSigned", defect::counts_time_signed, "int64_t nanoseconds"),
      made("Y2", "OrdersSlicesByNumber", defect::orders_slices_by_number,
           "a late end is told by >=, and numbers begin anew"),
      made("Y3", "TellsOfNoStall", defect::tells_of_no_stall,
           "004 P4: a task that never checks isn't seen by anybody"),
      made("Y3", "TellsAtEachTick", defect::tells_at_each_tick, "a report for each signal of one stall"),
      made("Y3", "TellsOfWhatIsOver", defect::tells_of_what_is_over,
           "each slice that uses its quantum up is a stall"),
      made("Y3", "TellsTheFirstOwner", defect::tells_the_first_owner, "a hook of the process"),
      made("Y4", "NeverDisarms", defect::never_disarms, "004 P4: nobody ends the interval"),
      made("Y4", "Polls", defect::polls, "a thread that looks each millisecond, whoever there is"),
      made("Y4", "StaysDueAtRest", defect::stays_due_at_rest, "the flag is cleared by the next slice alone"),
      made("Y4", "TakesNeverForATime", defect::takes_never_for_a_time, "a timer for the end of time"),
      made("Y4", "StopsAllTimers", defect::stops_all_timers, "whoever parks stops the timer of all"),
  };
}

[[maybe_unused]] const bool are_listed = (pinion::testing::add_mutants(laws(), mutants()), true);

}  // namespace
}  // namespace pinion::preempt::testing
