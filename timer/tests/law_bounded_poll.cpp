// SPDX-License-Identifier: Apache-2.0
//
// T6: a budgeted poll does at most its budget, and the next one resumes exactly there.
#include <algorithm>

#include "laws.hpp"
#include "scenario.hpp"

namespace pinion::timer::testing {
namespace {

violation a_poll_does_at_most_its_budget(const store_factory& factory) {
  scenario s{factory};
  for (int k = 0; k < 10'000; ++k) s.arm(instant{2'000'000});
  const instant due = instant{2'000'000} + s.bound(0);
  while (s.store->size() != 0) {
    const std::size_t before = s.fired.size();
    const poll_result did = s.poll(due, 64);
    if (did.fired != s.fired.size() - before) {
      return s.broken("a poll says it fired ", did.fired, " and fired ", s.fired.size() - before);
    }
    if (did.fired + did.moved > 64)
      return s.broken("a budget of 64 was spent ", did.fired + did.moved, " times");
    if (did.fired + did.moved == 0)
      return s.broken("a poll with a budget left ", s.store->size(), " due and did nothing");
    if (did.more != (s.store->size() != 0)) {
      return s.broken("with ", s.store->size(), " timers still due a poll says more: ", did.more);
    }
  }
  if (s.fired.size() != 10'000) return s.broken("10000 timers were due, ", s.fired.size(), " fired");
  return {};
}

violation one_crowded_tick_never_makes_one_long_turn(const store_factory& factory) {
  scenario s{factory};
  for (int k = 0; k < 10'000; ++k) s.arm(instant{2'000'000});
  const instant due = instant{2'000'000} + s.bound(0);
  std::vector<std::uint64_t> works;
  for (bool more = true; more;) {
    const std::uint64_t before = s.store->work().value_or(0);
    more = s.poll(due, 64).more;
    works.push_back(s.store->work().value_or(0) - before);
  }
  std::sort(works.begin(), works.end());
  const std::uint64_t median = works[works.size() / 2];
  if (works.back() > 2 * median) {
    return s.broken("the longest of ", works.size(), " polls touched ", works.back(),
                    " entries, the median one ", median);
  }
  return {};
}

violation a_budget_of_nothing_does_nothing(const store_factory& factory) {
  scenario s{factory};
  const std::size_t soon = s.arm(instant{1'000'000});
  const instant due = instant{1'000'000} + s.bound(soon);
  const poll_result did = s.poll(due, 0);
  if (did.fired + did.moved != 0 || !s.fired.empty()) return s.broken("a budget of 0 was spent");
  if (s.store->size() != 1) return s.broken("a poll with a budget of 0 changed size()");
  if (s.store->next_wakeup() > due) return s.broken("a poll with a budget of 0 hid the timer that is due");
  s.poll(due, 1);
  while (!s.has_fired(soon) && s.last.moved != 0) s.poll(due, 1);
  if (!s.has_fired(soon)) return s.broken("a poll with a budget of 0 kept the next one from firing");
  return {};
}

violation newcomers_come_after_the_backlog(const store_factory& factory) {
  scenario s{factory};
  for (int k = 0; k < 100; ++k) s.arm(instant{10'000'000 + static_cast<std::uint64_t>(k) * 1'000'000});
  const instant late{10'000'000'000'000};
  bool more = s.poll(late, 10).more;
  for (int k = 0; k < 50; ++k) s.arm(instant{1} + s.random.any_length(34));  // all long due
  std::size_t backlog = 100 - s.fired.size();
  while (more) {
    const std::size_t before = s.fired.size();
    more = s.poll(late, 10).more;
    for (std::size_t f = before; f < s.fired.size(); ++f) {
      if (s.fired[f].id >= 100 && backlog != 0) {
        return s.broken("timer ", s.fired[f].id, ", armed after a poll that left a backlog, fired with ",
                        backlog, " of the backlog waiting");
      }
      if (s.fired[f].id < 100) --backlog;
    }
  }
  s.poll(late);
  if (s.fired.size() != 150) return s.broken("150 timers were due, ", s.fired.size(), " fired");
  return {};
}

violation a_crowd_on_the_move_keeps_to_the_budget(const store_factory& factory) {
  scenario s{factory};
  for (int k = 0; k < 2'000; ++k) s.arm(instant{100'000'000'000});
  for (int polls = 0; s.store->size() != 0; ++polls) {
    if (polls > 2'000) return s.broken("2,000 polls with a budget of 64 left ", s.store->size(), " timers");
    const poll_result did = s.poll(s.store->next_wakeup(), 64);
    if (did.fired + did.moved > 64)
      return s.broken("a budget of 64 was spent ", did.fired + did.moved, " times on timers on their way");
  }
  for (const scenario::firing& f : s.fired) {
    if (f.deadline + s.bound(f.id) < f.now) {
      return s.broken("timer ", f.id, " for ", f.deadline.ns,
                      " was left on its way by a budget, and fired at ", f.now.ns);
    }
  }
  return {};
}

}  // namespace

std::vector<clause> bounded_poll() {
  return {{"T6", "APollDoesAtMostItsBudget", a_poll_does_at_most_its_budget},
          {"T6", "OneCrowdedTickNeverMakesOneLongTurn", one_crowded_tick_never_makes_one_long_turn, true},
          {"T6", "ABudgetOfNothingDoesNothing", a_budget_of_nothing_does_nothing},
          {"T6", "NewcomersComeAfterTheBacklog", newcomers_come_after_the_backlog},
          {"T6", "ACrowdOnTheMoveKeepsToTheBudget", a_crowd_on_the_move_keeps_to_the_budget}};
}

}  // namespace pinion::timer::testing
