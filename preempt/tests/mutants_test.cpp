// SPDX-License-Identifier: Apache-2.0
//
// What the laws are worth: each mutant is killed by the law that it breaks, through that law's own violation.
#include <gtest/gtest.h>

#include <iostream>
#include <set>
#include <string>

#include "laws.hpp"
#include "listed_test.hpp"
#include "p4_source.hpp"

namespace pinion::preempt::testing {
namespace {

struct mutant {
  const char* law;  ///< that kills it
  const char* name;
  defect which;
  const char* origin;
};

constexpr mutant mutants[] = {
    {"Y1", "TakesTheFlag", defect::takes_the_flag, "004 P4: need_yield.swap(false) at each check"},
    {"Y1", "MovesItsWord", defect::moves_its_word, "two words, used in turn"},
    {"Y1", "AsksWithoutSaying", defect::asks_without_saying,
     "a budget behind a word that is said to be plain"},
    {"Y1", "ReadsTheClockToLook", defect::reads_the_clock_to_look, "a clock behind each check"},
    {"Y2", "TakesTheFlag", defect::takes_the_flag, "004 P4: swap(false): the second look in a slice says no"},
    {"Y2", "KeepsTheFlag", defect::keeps_the_flag, "004 P4: NEED_YIELD is left set from the slice before"},
    {"Y2", "FlagsWhicheverRuns", defect::flags_whichever_runs,
     "004 P4: the handler stores true, whichever slice runs by then"},
    {"Y2", "LooksBetweenTasks", defect::looks_between_tasks,
     "004 P4: should_preempt() in the loop: a task that checks isn't told"},
    {"Y2", "ServesOneOwner", defect::serves_one_owner,
     "004 P4: ITIMER_REAL is the process's: the last to set it has it"},
    {"Y2", "TicksOn", defect::ticks_on, "004 P4: it_interval goes on whatever begins"},
    {"Y2", "LosesWholeSeconds", defect::loses_whole_seconds,
     "004 P4: interval_us as tv_usec: EINVAL from a second on"},
    {"Y2", "GoesByJiffies", defect::goes_by_jiffies,
     "timers on a clock of CPU time: exact to the kernel's tick"},
    {"Y2", "ArmsForNothingInThePast", defect::arms_for_nothing_in_the_past, "it_value of 0 disarms"},
    {"Y2", "KeepsTheFirstEnd", defect::keeps_the_first_end, "a timer is armed already"},
    {"Y2", "ForgetsItLater", defect::forgets_it_later, "a flag that the next tick clears"},
    {"Y2", "CountsTimeSigned", defect::counts_time_signed, "int64_t nanoseconds"},
    {"Y2", "OrdersSlicesByNumber", defect::orders_slices_by_number,
     "a late end is told by >=, and numbers begin anew"},
    {"Y3", "TellsOfNoStall", defect::tells_of_no_stall,
     "004 P4: a task that never checks isn't seen by anybody"},
    {"Y3", "TellsAtEachTick", defect::tells_at_each_tick, "a report for each signal of one stall"},
    {"Y3", "TellsOfWhatIsOver", defect::tells_of_what_is_over,
     "each slice that uses its quantum up is a stall"},
    {"Y3", "TellsTheFirstOwner", defect::tells_the_first_owner, "a hook of the process"},
    {"Y4", "NeverDisarms", defect::never_disarms, "004 P4: nobody ends the interval"},
    {"Y4", "Polls", defect::polls, "a thread that looks each millisecond, whoever there is"},
    {"Y4", "StaysDueAtRest", defect::stays_due_at_rest, "the flag is cleared by the next slice alone"},
    {"Y4", "TakesNeverForATime", defect::takes_never_for_a_time, "a timer for the end of time"},
    {"Y4", "StopsAllTimers", defect::stops_all_timers, "whoever parks stops the timer of all"},
};

source_factory factory_of(const char* name, defect which, std::uint64_t seed) {
  return {.name = name,
          .make = [which](const machine& on) -> std::unique_ptr<any_source> {
            return std::make_unique<p4_source>(on, which);
          },
          .traits = {.sees_stalls = true},
          .seed = seed};
}

void register_all() {
  const std::uint64_t seed = pinion::testing::seed_from_environment();
  for (const mutant& m : mutants) {
    pinion::testing::add_test("mutants", std::string{m.name} + "IsKilledBy" + m.law, [m, seed] {
      const violation what = check_law(m.law, factory_of(m.name, m.which, seed));
      EXPECT_TRUE(what) << "mutant " << m.name << " is alive: law " << m.law << " did not see it";
      std::cout << "mutant " << m.name << " (" << m.origin << "), killed by " << m.law << ": " << what.what()
                << '\n';
    });
  }
}

TEST(suite, HasAMutantForEveryLaw) {
  std::set<std::string> unproven;
  for (const clause& c : laws()) unproven.insert(c.law);

  for (const mutant& m : mutants) unproven.erase(m.law);

  EXPECT_TRUE(unproven.empty()) << "no mutant shows that the suite would see a breach of "
                                << *unproven.begin();
}

// A kill is the defect's doing only if the frame, which is the same for all mutants, is right without it.
TEST(suite, JudgesTheFrameOfAllMutantsByEachLaw) {
  const source_factory frame =
      factory_of("the frame", defect::none, pinion::testing::seed_from_environment());
  std::set<std::string> unjudged;
  for (const mutant& m : mutants) unjudged.insert(m.law);

  for (const clause& c : laws())
    if (is_for(c, frame)) unjudged.erase(c.law);

  EXPECT_TRUE(unjudged.empty()) << *unjudged.begin();
}

void register_frame() {
  const source_factory frame =
      factory_of("the frame", defect::none, pinion::testing::seed_from_environment());
  for (const clause& c : laws()) {
    if (!is_for(c, frame)) continue;
    pinion::testing::add_test("frame", std::string{c.law} + c.name, [c, frame] {
      const violation what = c.check(frame);
      EXPECT_FALSE(what) << "law " << c.law << " is broken by the frame of the mutants: " << what.what();
    });
  }
}

}  // namespace
}  // namespace pinion::preempt::testing

int main(int argc, char** argv) {
  pinion::preempt::testing::register_all();
  pinion::preempt::testing::register_frame();
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
