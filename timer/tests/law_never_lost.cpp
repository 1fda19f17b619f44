// SPDX-License-Identifier: Apache-2.0
//
// T2: each timer is fired once, handed back once, destroyed by clear or the destructor, or still counted.
#include "laws.hpp"
#include "scenario.hpp"

namespace pinion::timer::testing {
namespace {

/// What the store says against what it was asked: the count, the values alive, and that nothing ended twice.
violation account(const scenario& s) {
  if (s.wrong_value) return s.broken("a value came back empty or under another timer's handle");
  if (s.store->size() != s.armed()) {
    return s.broken("size() is ", s.store->size(), " with ", s.armed(), " timers armed");
  }
  for (std::size_t id = 0; id < s.timers.size(); ++id) {
    const int ended = s.timers[id].fired + s.timers[id].cancelled;
    if (ended > 1) return s.broken("timer ", id, " ended ", ended, " times");
    if (s.book.live(id) != 1 - ended)
      return s.broken("timer ", id, " has ", s.book.live(id), " values alive");
  }
  return {};
}

violation each_timer_ends_exactly_once(const store_factory& factory) {
  scenario s{factory, instant{1} + duration{factory.seed}};
  for (int step = 0; step < 20'000; ++step) {
    const std::uint64_t what = s.random.below(100);
    const std::size_t victim = s.timers.empty() ? 0 : s.random.below(s.timers.size());
    if (what < 45 || s.timers.empty()) {
      s.arm(what == 0 ? never : s.now + s.random.any_length(45));
    } else if (what < 65) {
      const bool armed = s.is_armed(victim);
      if (s.cancel(victim) != armed) return s.broken("cancel of timer ", victim, " said ", !armed);
    } else if (what < 80) {
      const bool armed = s.is_armed(victim);
      if (s.reschedule(victim, s.now + s.random.any_length(45)) != armed) {
        return s.broken("reschedule of timer ", victim, " said ", !armed);
      }
    } else {
      s.poll(s.now + s.random.any_length(what == 99 ? 48 : 30),
             s.random.below(2) == 0 ? unlimited : s.random.below(40));
    }
    if (step % 500 == 0) {
      if (violation broken = account(s)) return broken;
    }
  }
  for (int polls = 0; s.poll(instant{never.ns - 1}, 1'000).more; ++polls) {
    if (polls > 1'000'000) return s.broken("a million polls did not exhaust the backlog");
  }
  if (violation broken = account(s)) return broken;
  for (std::size_t id = 0; id < s.timers.size(); ++id) {
    if (s.is_armed(id) && s.timers[id].deadline < instant{never.ns - 1}) {
      return s.broken("timer ", id, " for ", s.timers[id].deadline.ns, " never fired");
    }
  }
  return {};
}

violation nothing_beyond_the_budget_is_lost(const store_factory& factory) {
  scenario s{factory};
  for (int k = 0; k < 1'000; ++k) s.arm(instant{1'000'000});
  const instant due = instant{1'000'000} + s.bound(0);
  if (!s.poll(due, 10).more)
    return s.broken("990 due timers were left, and the poll said there were no more");
  if (violation broken = account(s)) return broken;
  s.poll(due);
  if (s.fired.size() != 1'000) return s.broken("1000 due timers, ", s.fired.size(), " fired");
  return account(s);
}

violation what_a_budget_left_can_still_be_cancelled(const store_factory& factory) {
  scenario s{factory};
  for (int k = 0; k < 100; ++k) s.arm(instant{1'000'000});
  const instant due = instant{1'000'000} + s.bound(0);
  s.poll(due, 10);
  std::size_t left = 0;
  for (std::size_t id = 0; id < 100; ++id) {
    if (s.is_armed(id) && left++ % 2 == 0 && !s.cancel(id))
      return s.broken("timer ", id, " is due and has not run, and cancel said no");
  }
  if (violation broken = account(s)) return broken;
  s.poll(due);
  if (s.armed() != 0) return s.broken(s.armed(), " of 100 due timers are left after an unlimited poll");
  return account(s);
}

violation a_throwing_sink_has_fired_that_one_timer(const store_factory& factory) {
  struct thrown {};
  scenario s{factory};
  for (int k = 0; k < 100; ++k) s.arm(instant{5'000'000});
  const instant due = instant{5'000'000} + s.bound(0);
  for (std::size_t throws = 1; throws <= 3; ++throws) {
    bool passed_through = false;
    try {
      s.poll(due, unlimited, [&](std::size_t) {
        if (s.fired.size() % 10 == 0) throw thrown{};
      });
    } catch (const thrown&) {
      passed_through = true;
    }
    if (!passed_through) return s.broken("what the sink threw did not come out of poll()");
    if (s.fired.size() != throws * 10)
      return s.broken("the sink threw at each tenth timer, and ", s.fired.size(), " fired");
    if (violation broken = account(s)) return broken;
    if (s.store->next_wakeup() > due) {
      return s.broken("after the throw next_wakeup() is ", s.store->next_wakeup().ns, " with timers due");
    }
  }
  s.poll(due);
  if (s.fired.size() != 100) return s.broken("100 timers were due, ", s.fired.size(), " fired in the end");
  return account(s);
}

violation clear_destroys_every_value_once(const store_factory& factory) {
  scenario s{factory};
  for (int k = 0; k < 200; ++k) s.arm(k == 0 ? never : s.now + s.random.any_length(45));
  s.poll(instant{1} + s.random.any_length(30), 20);
  s.store->clear();
  if (s.store->size() != 0) return s.broken("after clear() size() is ", s.store->size());
  for (std::size_t id = 0; id < s.timers.size(); ++id) {
    if (s.book.live(id) != 0) return s.broken("clear() left ", s.book.live(id), " values of timer ", id);
    if (s.store->cancel(s.timers[id].name)) return s.broken("clear() left timer ", id, " to be cancelled");
  }
  s.arm(s.now + duration{1});
  if (s.store->size() != 1) return s.broken("a cleared store did not take a new timer");
  return {};
}

violation the_destructor_destroys_every_value_once(const store_factory& factory) {
  scenario s{factory};
  for (int k = 0; k < 200; ++k) s.arm(k == 0 ? never : s.now + s.random.any_length(45));
  s.poll(instant{1} + s.random.any_length(30), 20);
  s.store.reset();
  for (std::size_t id = 0; id < s.timers.size(); ++id) {
    if (s.book.live(id) != 0) return violation{"the destructor left a value of timer " + std::to_string(id)};
  }
  return {};
}

violation a_past_deadline_fires_at_the_next_poll(const store_factory& factory) {
  scenario s{factory, instant{5'000'000'000}};
  for (const std::uint64_t deadline : {0ULL, 1ULL, 4'000'000'000ULL, 4'999'999'999ULL, 5'000'000'000ULL})
    s.arm(instant{deadline});
  s.poll(s.now + s.bound(4));
  if (s.fired.size() != 5)
    return s.broken("5 timers were armed for now or before, ", s.fired.size(), " fired");
  return account(s);
}

violation a_crowd_that_moves_together_is_not_lost(const store_factory& factory) {
  scenario s{factory};
  for (int k = 0; k < 500; ++k) s.arm(instant{100'000'000'000});
  for (int polls = 0; s.store->next_wakeup() != never; ++polls) {
    if (polls > 10'000) return s.broken("10,000 wakeups, and ", s.store->size(), " timers are left");
    s.poll(s.store->next_wakeup());
  }
  if (s.fired.size() != 500) return s.broken("500 timers had one deadline, ", s.fired.size(), " fired");
  return account(s);
}

}  // namespace

std::vector<clause> never_lost() {
  return {{"T2", "EachTimerEndsExactlyOnce", each_timer_ends_exactly_once},
          {"T2", "NothingBeyondTheBudgetIsLost", nothing_beyond_the_budget_is_lost},
          {"T2", "WhatABudgetLeftCanStillBeCancelled", what_a_budget_left_can_still_be_cancelled},
          {"T2", "AThrowingSinkHasFiredThatOneTimer", a_throwing_sink_has_fired_that_one_timer},
          {"T2", "ClearDestroysEveryValueOnce", clear_destroys_every_value_once},
          {"T2", "TheDestructorDestroysEveryValueOnce", the_destructor_destroys_every_value_once},
          {"T2", "APastDeadlineFiresAtTheNextPoll", a_past_deadline_fires_at_the_next_poll},
          {"T2", "ACrowdThatMovesTogetherIsNotLost", a_crowd_that_moves_together_is_not_lost}};
}

}  // namespace pinion::timer::testing
