// SPDX-License-Identifier: Apache-2.0
//
// T5: a handle whose timer is gone is refused for ever, however often its slot is used again.
#include "laws.hpp"
#include "scenario.hpp"

namespace pinion::timer::testing {
namespace {

/// Whether `h`, of which no timer should be left, is refused by everything that takes a handle.
bool is_refused(scenario& s, handle h) {
  return !s.store->reschedule(h, s.now + duration{1'000'000'000}) && !s.store->cancel(h);
}

violation a_handle_is_refused_once_its_timer_is_gone(const store_factory& factory) {
  scenario s{factory};
  const std::size_t fires = s.arm(instant{1'000});
  const std::size_t cancelled = s.arm(instant{1'000'000'000});
  const std::size_t cleared = s.arm(instant{1'000'000'000});
  s.poll(instant{1'000} + s.bound(fires));
  if (!s.cancel(cancelled)) return s.broken("a live handle was refused");
  s.store->clear();
  for (const std::size_t id : {fires, cancelled, cleared}) {
    if (!is_refused(s, s.timers[id].name))
      return s.broken("the handle of timer ", id, ", which is gone, was accepted");
  }
  if (!is_refused(s, handle{})) return s.broken("a default-constructed handle was accepted");
  if (!is_refused(s, handle::from_bits(~std::uint64_t{0})))
    return s.broken("a handle of all ones was accepted");
  return {};
}

violation a_reused_slot_refuses_its_old_handles(const store_factory& factory) {
  scenario s{factory};
  for (int round = 0; round < 500; ++round) {
    const std::size_t id = s.arm(s.now + duration{1'000});
    if (round % 2 == 0) {
      s.cancel(id);
    } else {
      s.poll(s.timers[id].deadline + s.bound(id));
    }
    const std::size_t heir = s.arm(s.now + duration{1'000'000'000});
    for (std::size_t old = 0; old < heir; ++old) {
      if (!s.is_armed(old) && !is_refused(s, s.timers[old].name)) {
        return s.broken("the handle of timer ", old, ", which is gone, was accepted for another");
      }
    }
    if (!s.cancel(heir)) return s.broken("a live handle was refused");
  }
  return {};
}

violation a_slot_whose_generation_would_wrap_is_retired(const store_factory& factory) {
  scenario s{factory, instant{0}, 4};
  for (int round = 0; round < 1'000; ++round) {
    const std::size_t id = s.arm(s.now + duration{1'000'000'000});
    for (std::size_t old = id < 40 ? 0 : id - 40; old < id; ++old) {
      if (!is_refused(s, s.timers[old].name))
        return s.broken("after a wrap the handle of timer ", old, " was accepted");
    }
    if (!s.cancel(id)) return s.broken("a live handle was refused");
  }
  for (const scenario::timer& t : s.timers) {
    if (!is_refused(s, t.name)) return s.broken("an old handle was accepted");
  }
  if (s.store->retired() == 0)
    return s.broken("1000 timers through slots of 16 generations, and none was retired");
  return {};
}

violation reschedule_and_growth_keep_a_handle(const store_factory& factory) {
  scenario s{factory};
  const std::size_t kept = s.arm(instant{50'000'000});
  const handle before = s.timers[kept].name;
  for (int k = 0; k < 5'000; ++k) {
    s.arm(s.now + s.random.any_length(40));
    if (k % 100 == 0 && !s.reschedule(kept, s.now + duration{100'000'000'000} + s.random.any_length(43))) {
      return s.broken("a live handle was refused by reschedule after ", k, " arms");
    }
    if (k % 50 == 0) s.poll(s.now + duration{1'000'000});
  }
  if (!(s.timers[kept].name == before) || !s.cancel(kept))
    return s.broken("a live handle was refused by cancel");
  return {};
}

violation forged_and_foreign_handles_are_refused(const store_factory& factory) {
  scenario s{factory};
  store_factory other = factory;
  other.seed = factory.seed + 1;
  scenario foreign{other};
  for (int k = 0; k < 1'000; ++k) {
    s.arm(instant{1'000'000'000});
    foreign.arm(instant{1'000'000'000});
  }
  for (int k = 0; k < 1'000; ++k) {
    const handle near = s.timers[s.random.below(1'000)].name;
    const handle forged[] = {handle::from_bits(s.random.next()), handle::from_bits(s.random.below(1'000) + 1),
                             handle::from_bits(near.bits() ^ (std::uint64_t{1} << (32 + s.random.below(8)))),
                             foreign.timers[static_cast<std::size_t>(k)].name};
    for (const handle h : forged) {
      if (!is_refused(s, h)) return s.broken("a handle of bits ", h.bits(), " was made up, and accepted");
    }
  }
  if (s.store->size() != 1'000) return s.broken("refused handles cost ", 1'000 - s.store->size(), " timers");
  return {};
}

violation a_handle_is_good_wherever_its_timer_moves(const store_factory& factory) {
  scenario s{factory};
  for (int k = 0; k < 1'000; ++k) s.arm(s.now + s.random.any_length(42));
  for (int round = 0; round < 1'000; ++round) {
    s.poll(s.store->next_wakeup());
    const std::size_t id = s.random.below(s.timers.size());
    if (s.is_armed(id) && !s.cancel(id)) return s.broken("the handle of timer ", id, " went bad on the way");
    if (s.wrong_value) return s.broken("the handle of one timer came to name another");
    s.arm(s.now + s.random.any_length(42));
  }
  return {};
}

violation a_crowd_that_shrinks_keeps_its_handles(const store_factory& factory) {
  scenario s{factory};
  for (int k = 0; k < 2'000; ++k) s.arm(instant{30'000'000'000});
  for (std::size_t id = 0; id < 2'000; ++id) {
    if (id % 200 != 7 && !s.cancel(id)) return s.broken("a live handle was refused by cancel");
    if (id % 100 == 0) s.poll(s.now + duration{10'000'000});
  }
  for (std::size_t id = 7; id < 2'000; id += 200) {
    if (!s.reschedule(id, instant{40'000'000'000}))
      return s.broken("after nine in ten of its neighbours went the handle of timer ", id, " was refused");
  }
  for (std::size_t id = 7; id < 2'000; id += 200) {
    if (!s.cancel(id) || s.wrong_value) return s.broken("a live handle was refused by cancel");
  }
  return {};
}

}  // namespace

std::vector<clause> safe_handles() {
  return {{"T5", "AHandleIsRefusedOnceItsTimerIsGone", a_handle_is_refused_once_its_timer_is_gone},
          {"T5", "AReusedSlotRefusesItsOldHandles", a_reused_slot_refuses_its_old_handles},
          {"T5", "ASlotWhoseGenerationWouldWrapIsRetired", a_slot_whose_generation_would_wrap_is_retired},
          {"T5", "RescheduleAndGrowthKeepAHandle", reschedule_and_growth_keep_a_handle},
          {"T5", "ForgedAndForeignHandlesAreRefused", forged_and_foreign_handles_are_refused},
          {"T5", "AHandleIsGoodWhereverItsTimerMoves", a_handle_is_good_wherever_its_timer_moves},
          {"T5", "ACrowdThatShrinksKeepsItsHandles", a_crowd_that_shrinks_keeps_its_handles}};
}

}  // namespace pinion::timer::testing
