// SPDX-License-Identifier: Apache-2.0
//
// T7: the sink may change the store, and what it changes holds at once, but nothing it arms fires in the same
// poll.
#include "laws.hpp"
#include "scenario.hpp"

namespace pinion::timer::testing {
namespace {

constexpr instant soon{3'000'000};

/// Ten timers due together.
instant arm_ten(scenario& s) {
  for (int k = 0; k < 10; ++k) s.arm(soon);
  return soon + s.bound(0);
}

violation what_the_sink_schedules_waits_for_the_next_poll(const store_factory& factory) {
  scenario s{factory};
  const instant due = arm_ten(s);
  s.poll(due, unlimited, [&](std::size_t id) {
    if (id < 10) s.arm(id % 2 == 0 ? instant{0} : s.now);
  });
  if (s.fired.size() != 10)
    return s.broken("10 timers were due, and ", s.fired.size(), " fired in the poll that armed more");
  if (s.last.more) return s.broken("a poll counts what its own sink armed as left over");
  if (s.store->next_wakeup() > s.now + s.bound(10))
    return s.broken("timers armed in a sink are not seen to be due");
  s.poll(s.now + s.bound(10));
  if (s.fired.size() != 20)
    return s.broken("10 timers were armed in the sink, ", s.fired.size() - 10, " fired next time");
  return {};
}

violation a_due_timer_cancelled_by_an_earlier_callback_does_not_run(const store_factory& factory) {
  scenario s{factory};
  const instant due = arm_ten(s);
  std::size_t refused = 0;
  s.poll(due, unlimited, [&](std::size_t self) {
    for (std::size_t id = 0; id < 10; ++id) {
      if (id != self && !s.cancel(id)) ++refused;
    }
    if (s.cancel(self)) ++refused;
  });
  if (s.fired.size() != 1)
    return s.broken("the first callback cancelled all others, and ", s.fired.size() - 1, " ran");
  if (refused != 0)
    return s.broken("cancelling from inside the sink went wrong for ", refused, " of 10 timers");
  if (s.store->size() != 0)
    return s.broken("size() is ", s.store->size(), " with every timer fired or cancelled");
  return {};
}

violation a_due_timer_rescheduled_by_an_earlier_callback_does_not_run(const store_factory& factory) {
  scenario s{factory};
  const instant due = arm_ten(s);
  bool refused = false;
  s.poll(due, unlimited, [&](std::size_t self) {
    if (s.fired.size() != 1) return;
    for (std::size_t id = 0; id < 10; ++id) {
      // To later, to now, and to the past: none of them may run in this poll.
      const instant deadline = id % 3 == 0 ? due + duration{1'000'000'000} : id % 3 == 1 ? due : instant{1};
      if (id != self && !s.reschedule(id, deadline)) refused = true;
    }
  });
  if (refused) return s.broken("a due timer could not be rescheduled from inside the sink");
  if (s.fired.size() != 1) {
    return s.broken("the first callback rescheduled all others, and ", s.fired.size() - 1,
                    " ran all the same");
  }
  s.poll(due + duration{1'000'000'000'000});
  if (s.fired.size() != 10)
    return s.broken("10 timers in all, ", s.fired.size(), " fired after the next poll");
  return {};
}

violation clear_inside_the_sink_ends_the_batch(const store_factory& factory) {
  scenario s{factory};
  const instant due = arm_ten(s);
  s.poll(due, unlimited, [&](std::size_t) {
    s.store->clear();
    s.arm(s.now);
  });
  if (s.fired.size() != 1)
    return s.broken("the first callback cleared the store, and ", s.fired.size() - 1, " more ran");
  if (s.store->size() != 1) return s.broken("a timer armed after clear() inside the sink is not counted");
  for (std::size_t id = 0; id < 10; ++id) {
    if (s.book.live(id) != 0) return s.broken("clear() inside the sink left the value of timer ", id);
  }
  return {};
}

/// While it lives, a broken contract throws `caught`.
class expect_contract_violations {
 public:
  struct caught {};
  expect_contract_violations()
      : before_(set_violation_handler([](const contract_violation&) { throw caught{}; })) {}
  expect_contract_violations(const expect_contract_violations&) = delete;
  expect_contract_violations& operator=(const expect_contract_violations&) = delete;
  ~expect_contract_violations() { set_violation_handler(before_); }

 private:
  violation_handler before_;
};

violation a_nested_poll_is_a_contract_violation(const store_factory& factory) {
  const expect_contract_violations expected;
  scenario s{factory};
  const instant due = arm_ten(s);
  int noticed = 0;
  s.poll(due, unlimited, [&](std::size_t) {
    auto sink = [](handle, instant, token&&) {};
    try {
      s.store->poll(due, unlimited, sink);
    } catch (const expect_contract_violations::caught&) {
      ++noticed;
    }
  });
  if (noticed != 10) return s.broken("10 nested polls, ", noticed, " noticed");
  if (s.fired.size() != 10) return s.broken("a refused nested poll cost ", 10 - s.fired.size(), " timers");
  return {};
}

}  // namespace

std::vector<clause> re_entrancy() {
  return {{"T7", "WhatTheSinkSchedulesWaitsForTheNextPoll", what_the_sink_schedules_waits_for_the_next_poll},
          {"T7", "ADueTimerCancelledByAnEarlierCallbackDoesNotRun",
           a_due_timer_cancelled_by_an_earlier_callback_does_not_run},
          {"T7", "ADueTimerRescheduledByAnEarlierCallbackDoesNotRun",
           a_due_timer_rescheduled_by_an_earlier_callback_does_not_run},
          {"T7", "ClearInsideTheSinkEndsTheBatch", clear_inside_the_sink_ends_the_batch},
          {"T7", "ANestedPollIsAContractViolation", a_nested_poll_is_a_contract_violation, true}};
}

}  // namespace pinion::timer::testing
