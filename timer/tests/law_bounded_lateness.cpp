// SPDX-License-Identifier: Apache-2.0
//
// T3: a timer is due at most lateness_bound(distance at arm) after its deadline, and fires when polled then.
#include "laws.hpp"
#include "scenario.hpp"

namespace pinion::timer::testing {
namespace {

violation fires_when_polled_at_its_due_time(const store_factory& factory) {
  for (unsigned bits = 0; bits < 56; ++bits) {
    scenario s{factory, instant{77'777}};
    s.arm(s.now + duration{std::uint64_t{1} << bits} + s.random.any_length(bits + 1));
    const instant due = s.timers[0].deadline + s.bound(0);
    s.poll(due);
    if (!s.has_fired(0)) {
      return s.broken("armed ", (s.timers[0].deadline - s.timers[0].armed_at).ns, " ns ahead, polled ",
                      s.bound(0).ns, " ns after the deadline, as its bound says, and it did not fire");
    }
  }
  return {};
}

violation nothing_overdue_survives_an_unlimited_poll(const store_factory& factory) {
  scenario s{factory};
  for (int round = 0; round < 300; ++round) {
    for (int k = 0; k < 8; ++k) s.arm(s.now + s.random.any_length(40));
    s.arm(s.now - s.random.any_length(34));  // due already
    if (round % 3 == 0) s.reschedule(s.random.below(s.timers.size()), s.now + s.random.any_length(40));
    s.poll(s.now + s.random.any_length(round % 10 == 0 ? 42 : 32));
    for (std::size_t id = 0; id < s.timers.size(); ++id) {
      if (s.is_armed(id) && s.timers[id].deadline + s.bound(id) <= s.now) {
        return s.broken("timer ", id, " for ", s.timers[id].deadline.ns, " with a bound of ", s.bound(id).ns,
                        " is left after an unlimited poll");
      }
    }
  }
  return {};
}

// A level reaches less far where the hand is at the end of a slot: from each phase of a slot, to both sides
// of what so many slots reach.
violation holds_at_the_edge_of_each_level(const store_factory& factory) {
  for (const unsigned slot_bits : {20U, 30U}) {
    const std::uint64_t slot = std::uint64_t{1} << slot_bits;
    for (unsigned bits = 5; bits <= 12; ++bits) {
      for (std::uint64_t halves = 0; halves <= 8; ++halves) {
        for (const std::uint64_t phase : {std::uint64_t{0}, std::uint64_t{1}, slot - 1}) {
          for (const std::uint64_t more : {std::uint64_t{0}, std::uint64_t{1}, slot / 2 - 1}) {
            scenario s{factory, instant{slot * 7 + phase}};
            s.arm(s.now + duration{(slot << bits) - halves * (slot / 2) + more});
            s.poll(s.timers[0].deadline + s.bound(0));
            if (!s.has_fired(0)) {
              return s.broken("armed ", (s.timers[0].deadline - s.timers[0].armed_at).ns, " ns ahead of ",
                              s.timers[0].armed_at.ns, ", and not fired ", s.bound(0).ns, " ns late");
            }
          }
        }
      }
    }
  }
  return {};
}

violation a_stall_of_whole_turns_is_caught_up_with(const store_factory& factory) {
  for (const std::uint64_t tick : {std::uint64_t{1} << 20, std::uint64_t{1'000'000}}) {
    for (const std::uint64_t turn : {64U, 256U, 1'024U, 4'096U, 65'536U}) {
      for (const std::uint64_t turns : {1U, 2U, 3U, 17U}) {
        scenario s{factory, instant{7 * tick}};
        const duration stall = duration{tick} * turn * turns;
        for (std::uint64_t k = 1; k <= 32; ++k) s.arm(s.now + duration{stall.ns / 32 * k});
        s.poll(s.now + stall);
        for (std::size_t id = 0; id < s.timers.size(); ++id) {
          if (s.is_armed(id) && s.timers[id].deadline + s.bound(id) <= s.now) {
            return s.broken("a stall of ", turns, " turns of ", turn, " ticks left timer ", id, " for ",
                            s.timers[id].deadline.ns);
          }
        }
      }
    }
  }
  return {};
}

}  // namespace

std::vector<clause> bounded_lateness() {
  return {{"T3", "FiresWhenPolledAtItsDueTime", fires_when_polled_at_its_due_time},
          {"T3", "HoldsAtTheEdgeOfEachLevel", holds_at_the_edge_of_each_level},
          {"T3", "NothingOverdueSurvivesAnUnlimitedPoll", nothing_overdue_survives_an_unlimited_poll},
          {"T3", "AStallOfWholeTurnsIsCaughtUpWith", a_stall_of_whole_turns_is_caught_up_with}};
}

}  // namespace pinion::timer::testing
