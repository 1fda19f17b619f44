// SPDX-License-Identifier: Apache-2.0
//
// The defects of the design texts, and of projects that are older or younger than they. The texts are 000,
// the two-level wheel; 001, the three-level wheel; 003, the five-level wheel; 004, the optimisation plan. A
// letter or number is the defect's in the survey of them.
#include <algorithm>
#include <map>
#include <pinion/timer/wheel/stationary_wheel.hpp>

#include "historic_wheel.hpp"

namespace pinion::timer::testing {
namespace {

/// A stationary_wheel that some deadlines are rounded up for, behind the caller's back, or that is asked
/// about its next wakeup differently. Where timers stay in their level, routing and waking go wrong without
/// anything moving.
class misled : public any_store {
 public:
  misled(const setup& how, bool flawed)
      : flawed_(flawed), start_(how.start), now_(how.start),
        right_(std::make_unique<adapted<stationary_wheel>>(how)) {}

  [[nodiscard]] store_traits traits() const override { return right_->traits(); }
  [[nodiscard]] duration lateness_bound(duration ahead) const override {
    return right_->lateness_bound(ahead);
  }
  [[nodiscard]] instant next_wakeup() const override {
    return flawed_ ? misled_wakeup() : right_->next_wakeup();
  }
  [[nodiscard]] std::size_t size() const override { return right_->size(); }
  [[nodiscard]] std::size_t retired() const override { return right_->retired(); }
  [[nodiscard]] std::optional<std::uint64_t> work() const override { return right_->work(); }
  handle schedule(instant deadline, token&& value) override {
    const handle h = right_->schedule(flawed_ ? routed(deadline) : deadline, std::move(value));
    const uncounted_allocations own;
    deadlines_[h.bits()] = deadline;
    return h;
  }
  std::optional<token> cancel(handle h) override {
    std::optional<token> value = right_->cancel(h);
    if (value) deadlines_.erase(h.bits());
    return value;
  }
  bool reschedule(handle h, instant deadline) override {
    if (!right_->reschedule(h, flawed_ ? routed(deadline) : deadline)) return false;
    deadlines_[h.bits()] = deadline;
    return true;
  }
  poll_result poll(instant now, std::size_t budget, sink_ref sink) override {
    if (budget != 0) now_ = std::max(now, now_);
    auto with_its_own_deadline = [&](handle h, instant, token&& value) {
      const auto at = deadlines_.find(h.bits());
      const instant deadline = at->second;
      deadlines_.erase(at);
      sink(h, deadline, std::move(value));
    };
    return right_->poll(now, budget, with_its_own_deadline);
  }
  void clear() override {
    deadlines_.clear();
    right_->clear();
  }
  void reserve(std::size_t n) override { right_->reserve(n); }

 protected:
  /// What a defect overrides: the deadline that the wheel is told, and what it says of its next wakeup.
  [[nodiscard]] virtual instant routed(instant deadline) const { return deadline; }
  [[nodiscard]] virtual instant misled_wakeup() const { return right_->next_wakeup(); }
  [[nodiscard]] instant start() const noexcept { return start_; }
  [[nodiscard]] instant now() const noexcept { return now_; }
  [[nodiscard]] instant earliest_deadline() const {
    instant earliest = never;
    for (const auto& [bits, deadline] : deadlines_) earliest = std::min(earliest, deadline);
    return earliest;
  }

 private:
  bool flawed_;
  instant start_;
  instant now_;
  std::unique_ptr<any_store> right_;
  std::map<std::uint64_t, instant> deadlines_;  // by handle
};

/// Chooses the level by the distance from the start of the wheel, so that after a while all timers are on the
/// coarsest.
struct routes_by_the_distance_from_the_start final : misled {
  using misled::misled;
  [[nodiscard]] instant routed(instant deadline) const override {
    const duration from_start = deadline - start();
    const unsigned bits = from_start.ns < std::uint64_t{1} << 30   ? 20
                          : from_start.ns < std::uint64_t{1} << 40 ? 30
                                                                   : 36;
    const std::uint64_t tick = std::uint64_t{1} << bits;
    const instant rounded{(deadline + duration{tick - 1}).ns / tick * tick};
    return deadline <= now() || rounded < deadline || rounded == never ? deadline : rounded;
  }
};

/// Answers the earliest deadline, though the level that the timer is in will not fire it then.
struct wakes_at_a_deadline_that_its_level_will_not_fire final : misled {
  using misled::misled;
  [[nodiscard]] instant misled_wakeup() const override { return earliest_deadline(); }
};

mutant with(defect flaw, const char* law, const char* name, const char* origin, bool needs_checked = false) {
  static const store_factory frame{"HistoricWheel",
                                   [](const setup& how) { return std::make_unique<historic_wheel>(how); }};
  return {law,
          {name, [flaw](const setup& how) { return std::make_unique<historic_wheel>(how, flaw); }},
          &frame,
          origin,
          unless_checked(needs_checked)};
}

}  // namespace

std::vector<mutant> historic_mutants() {
  return {
      with(defect::aliases_beyond_its_range, "T1", "AliasesDeadlinesBeyondItsRange", "000-b"),
      with(defect::forgets_the_cursor_in_the_slot, "T1", "ForgetsTheCursorInTheSlot", "003 (a)"),
      with(defect::serves_a_slot_that_has_only_begun, "T1", "FiresAWholeSlotThatHasOnlyBegun", "003 (b)"),
      with(defect::leaves_a_cancelled_timer_linked, "T1", "LeavesACancelledTimerLinked", "003 (e)"),
      with(defect::rounds_deadlines_down, "T1", "RoundsDeadlinesDown", "004 (1)"),
      with(defect::forgets_the_width_in_the_slot, "T1", "ForgetsTheLevelsWidthInTheSlot", "004-a"),
      with(defect::adds_two_times_rounded_down, "T1", "AddsTwoTimesRoundedDown", "Folly"),
      with(defect::fires_a_coarse_slot_as_it_begins, "T1", "FiresACoarseSlotAsItBegins", "bitwheel"),

      with(defect::loses_what_cascades_into_a_full_slot, "T2", "LosesWhatCascadesIntoAFullSlot", "000-c"),
      with(defect::drops_a_past_deadline, "T2", "DropsAPastDeadline", "001 (j)"),
      with(defect::counts_a_cancelled_timer_until_the_next_poll, "T2",
           "CountsACancelledTimerUntilTheNextPoll", "003 (e)"),
      with(defect::refuses_to_cancel_what_is_due, "T2", "RefusesToCancelWhatIsDueAndFiresIt", "004 (4)"),
      with(defect::looks_for_a_timer_where_it_would_be_put_now, "T5", "LooksForATimerWhereItWouldBePutNow",
           "bitwheel"),
      with(defect::cascades_in_the_first_turn_only, "T2", "CascadesInTheFirstTurnOnly", "004-a"),
      with(defect::never_drains_its_overflow, "T2", "NeverDrainsItsOverflow", "003 (d), 004-c"),
      with(defect::counts_a_cancelled_due_timer_out_twice, "T2", "CountsACancelledDueTimerOutTwice", "Netty"),

      with(defect::cascades_a_slot_as_it_ends, "T3", "CascadesASlotAsItEnds", "000-a, 003-a"),
      made<routes_by_the_distance_from_the_start>("T3", "RoutesByTheDistanceFromTheStart", "001 (d)"),
      with(defect::fires_a_coarse_slot_as_it_ends, "T3", "FiresACoarseSlotAsItEnds", "001 (f)"),
      with(defect::serves_a_stall_modulo_a_turn, "T3", "ServesAStallModuloATurn", "003 (c)"),
      with(defect::cascades_what_is_due_upwards, "T3", "CascadesWhatIsDueUpwards", "003 (f)"),
      with(defect::puts_what_is_due_into_the_slot_just_served, "T3", "PutsWhatIsDueIntoTheSlotJustServed",
           "004-b"),
      with(defect::serves_one_tick_a_poll, "T3", "ServesOneTickAPoll", "Agrona, 000's ancestor"),

      made<wakes_at_a_deadline_that_its_level_will_not_fire>("T4", "WakesAtADeadlineThatItsLevelWillNotFire",
                                                             "001 (g)"),
      with(defect::wakes_at_zero_for_its_overflow, "T4", "WakesAtZeroForItsOverflow", "003 (d)"),
      with(defect::looks_at_the_finest_level_only, "T4", "ALaterFineTimerHidesAnEarlierCoarseOne",
           "Glommio's successor"),
      with(defect::cascades_into_the_slot_just_served, "T4", "SleepsPastADeadlineAtACascade",
           "Glommio's successor"),
      with(defect::takes_a_stale_slot_for_the_end, "T4", "TakesAStaleSlotForTheEnd", "prototypes"),
      with(defect::takes_a_stale_slot_for_an_answer, "T4", "TakesAStaleSlotForAnAnswer", "prototypes"),

      with(defect::renames_what_cascades, "T5", "RenamesWhatCascades", "000-d"),
      with(defect::renames_what_it_compacts, "T5", "RenamesWhatItCompacts", "001 (b)"),
      with(defect::compares_more_generation_bits_than_it_keeps, "T5", "ComparesMoreGenerationBitsThanItKeeps",
           "001 (c)"),
      with(defect::wraps_a_generation, "T5", "WrapsAGeneration", "001"),
      with(defect::names_timers_by_small_numbers, "T5", "NamesTimersBySmallNumbers", "004 (3)"),
      with(defect::puts_a_crowd_where_cancel_does_not_look, "T5", "PutsACrowdWhereCancelDoesNotLook",
           "bitwheel"),

      with(defect::cascades_beyond_the_budget, "T6", "CascadesBeyondTheBudget", "000-e"),
      with(defect::forgets_what_the_budget_left, "T6", "ForgetsWhatTheBudgetLeft", "001 (e)"),
      with(defect::passes_over_what_a_cascade_left, "T6", "PassesOverWhatACascadeLeft", "004-d"),

      with(defect::walks_each_tick_of_a_jump, "T8", "WalksEachTickOfAJump", "000-e, 004", true),
      with(defect::walks_each_tick_since_the_epoch, "T8", "WalksEachTickSinceTheEpoch", "004 (2)", true),
      with(defect::searches_the_slot_it_cancels_from, "T8", "SearchesTheSlotItCancelsFrom", "004", true),
      with(defect::looks_at_every_timer_after_a_cancel, "T8", "LooksAtEveryTimerAfterACancel", "001 (h)",
           true),
      with(defect::looks_at_every_timer, "T8", "LooksAtEveryTimerForTheNextWakeup",
           "Glommio's successor, 004", true),
  };
}

}  // namespace pinion::timer::testing
