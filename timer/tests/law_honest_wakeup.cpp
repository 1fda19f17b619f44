// SPDX-License-Identifier: Apache-2.0
//
// T4: next_wakeup() is at most the earliest due time, and never a time at which a poll would do nothing.
#include "laws.hpp"
#include "scenario.hpp"

namespace pinion::timer::testing {
namespace {

violation is_never_later_than_the_earliest_due(const store_factory& factory) {
  scenario s{factory, instant{5'000}};
  for (int step = 0; step < 2'000; ++step) {
    const std::uint64_t what = s.random.below(10);
    if (what < 4) s.arm(s.now + s.random.any_length(40));
    if (what >= 4 && what < 6 && !s.timers.empty()) s.cancel(s.random.below(s.timers.size()));
    if (what == 6 && !s.timers.empty())
      s.reschedule(s.random.below(s.timers.size()), s.now + s.random.any_length(40));
    if (what > 6) s.poll(s.now + s.random.any_length(33), what == 9 ? unlimited : s.random.below(4));
    instant earliest = never;
    for (std::size_t id = 0; id < s.timers.size(); ++id) {
      const instant due = s.timers[id].deadline + s.bound(id);
      if (s.is_armed(id) && due < earliest) earliest = due;
    }
    if (earliest < s.store->next_wakeup()) {
      return s.broken("next_wakeup() is ", s.store->next_wakeup().ns, ", ",
                      (s.store->next_wakeup() - earliest).ns, " ns after the earliest due time");
    }
  }
  return {};
}

violation sleeping_on_it_never_spins(const store_factory& factory) {
  scenario s{factory, instant{5'000}};
  for (int k = 0; k < 500; ++k) s.arm(s.now + s.random.any_length(44));
  for (std::size_t id = 0; id < 500; id += 3) s.cancel(id);
  // Each timer fires once and moves at most once a level; 64 levels are more than any store has.
  for (std::size_t polls = 0; s.store->size() != 0; ++polls) {
    const instant wakeup = s.store->next_wakeup();
    if (wakeup == never) return s.broken("next_wakeup() is never with ", s.store->size(), " timers armed");
    if (polls > 500 * 64) return s.broken("32,000 polls at next_wakeup() left ", s.store->size(), " timers");
    s.poll(wakeup);
    if (s.last.fired + s.last.moved == 0)
      return s.broken("a poll at next_wakeup() ", wakeup.ns, " did nothing");
  }
  return {};
}

violation is_never_when_nothing_will_fire(const store_factory& factory) {
  scenario s{factory};
  if (s.store->next_wakeup() != never)
    return s.broken("an empty store wants to wake at ", s.store->next_wakeup().ns);
  s.arm(never);
  if (s.store->next_wakeup() != never) return s.broken("with one timer at never it wants to wake");
  for (int k = 0; k < 100; ++k) s.arm(s.now + s.random.any_length(40));
  for (std::size_t id = 1; id <= 100; ++id) s.cancel(id);
  for (int polls = 0; s.store->next_wakeup() != never; ++polls) {  // garbage may be visited, each piece once
    if (polls > 100)
      return s.broken("with all timers cancelled next_wakeup() is still ", s.store->next_wakeup().ns);
    s.poll(s.store->next_wakeup());
  }
  if (!s.fired.empty()) return s.broken("a cancelled timer fired");
  return {};
}

violation is_at_most_now_while_more(const store_factory& factory) {
  scenario s{factory};
  for (int k = 0; k < 100; ++k) s.arm(instant{1'000'000 + s.random.below(50'000'000)});
  const instant late = instant{1'000'000'000'000};
  while (s.poll(late, 7).more) {
    if (s.store->next_wakeup() > late) {
      return s.broken("more timers are due, and next_wakeup() is ", s.store->next_wakeup().ns);
    }
  }
  if (s.fired.size() != 100) return s.broken("100 timers were due, ", s.fired.size(), " fired");
  return {};
}

violation is_not_slept_past_where_a_slot_begins(const store_factory& factory) {
  for (const std::uint64_t tick : {std::uint64_t{1} << 20, std::uint64_t{1'000'000}}) {
    for (unsigned bits = 0; bits < 24; ++bits) {
      const std::uint64_t edge = tick << bits;
      for (const std::uint64_t before : {tick / 2, std::uint64_t{1}, std::uint64_t{0}}) {
        scenario s{factory, instant{tick / 3}};
        s.arm(instant{edge - before});
        for (int polls = 0; !s.has_fired(0); ++polls) {
          const instant wakeup = s.store->next_wakeup();
          if (polls > 1'000 || s.timers[0].deadline + s.bound(0) < wakeup) {
            return s.broken("next_wakeup() sleeps past ", s.timers[0].deadline.ns, ", until ", wakeup.ns);
          }
          s.poll(wakeup);
        }
      }
    }
  }
  return {};
}

violation a_later_timer_does_not_hide_an_earlier_one(const store_factory& factory) {
  for (const std::uint64_t tick : {std::uint64_t{1} << 20, std::uint64_t{1'000'000}}) {
    for (unsigned bits = 6; bits < 24; ++bits) {
      // The first is far away when it is armed, the second near, and both are beyond where a slot begins.
      const instant edge{tick << bits};
      scenario s{factory};
      const std::size_t earlier = s.arm(edge + duration{tick});
      s.poll(edge - duration{20 * tick});
      s.arm(edge + duration{20 * tick});
      const instant due = s.timers[earlier].deadline + s.bound(earlier);
      if (due < s.store->next_wakeup()) {
        return s.broken("next_wakeup() is ", s.store->next_wakeup().ns, " for a later timer, and one for ",
                        s.timers[earlier].deadline.ns, " is slept past");
      }
    }
  }
  return {};
}

}  // namespace

std::vector<clause> honest_wakeup() {
  return {{"T4", "IsNeverLaterThanTheEarliestDue", is_never_later_than_the_earliest_due},
          {"T4", "SleepingOnItNeverSpins", sleeping_on_it_never_spins},
          {"T4", "IsNeverWhenNothingWillFire", is_never_when_nothing_will_fire},
          {"T4", "IsAtMostNowWhileMore", is_at_most_now_while_more},
          {"T4", "IsNotSleptPastWhereASlotBegins", is_not_slept_past_where_a_slot_begins},
          {"T4", "ALaterTimerDoesNotHideAnEarlierOne", a_later_timer_does_not_hide_an_earlier_one}};
}

}  // namespace pinion::timer::testing
