// SPDX-License-Identifier: Apache-2.0
//
// S4: completions come out in the turn in which they are there, however busy submission is.
#include <array>

#include "rig.hpp"

namespace pinion::iosubmit::testing {
namespace {

violation work_is_fetched_in_the_turn_in_which_it_is_flagged(const submission_factory& factory) {
  probe awaited{device_read()};
  std::array<probe, 30> busy;
  rig io{factory};
  io.queue(awaited);
  for (int k = 0; k < 20 && io.io().depth() != 0; ++k) io.park(io.now());
  io.clock().advance_by(factory.ring.latency + duration{1});
  for (probe& each : busy) {
    each.ask({.operation = codes::recv});
    io.queue(each);
  }
  io.turn();
  const bool was_answered = awaited.answers == 1;
  io.settle();
  if (!was_answered) return broken(factory, "what was there when a busy turn ended was not handed out by it");
  return io.found("S4");
}

violation what_overflowed_is_fetched_turn_by_turn(const submission_factory& factory) {
  constexpr std::size_t count = 60;
  std::array<probe, count> asked;
  rig io{factory};
  for (probe& each : asked) io.queue(each);
  io.park(io.now());
  std::size_t turns = 0, answered = 0;
  const std::size_t most = 2 * count / std::min<std::size_t>(factory.ring.completions, count) + 2 +
                           count / std::min<std::size_t>(factory.ring.entries, count);
  for (; answered < count && turns < 10 * count; ++turns) {
    io.park(io.now());
    answered = 0;
    for (const probe& each : asked) answered += each.answers != 0 ? 1U : 0U;
  }
  io.settle();
  if (turns > most)
    return broken(factory, count, " completions took ", turns, " turns to come out, where ", most,
                  " would do");
  return io.found("S4");
}

violation a_turn_ends_whatever_answers_ask(const submission_factory& factory) {
  std::array<probe, 2> asked;
  rig io{factory};
  int answers = 0;
  bool goes_on = true;
  for (probe& each : asked) {
    each.then = [&](probe& self) {
      if (++answers < 3'000 && goes_on) io.queue_urgent(self);
    };
    io.queue(each);
  }
  io.park(io.now());
  io.turn();
  const int in_two_calls = answers;
  goes_on = false;
  io.settle();
  if (in_two_calls > 8)
    return broken(factory, "two operations that ask again were answered ", in_two_calls,
                  " times in two calls");
  return io.found("S4");
}

violation whatever_is_called(const submission_factory& factory) { return work_out("S4", factory); }

}  // namespace

std::vector<clause> not_starved() {
  return {{"S4", "WorkIsFetchedInTheTurnInWhichItIsFlagged",
           work_is_fetched_in_the_turn_in_which_it_is_flagged, true},
          {"S4", "WhatOverflowedIsFetchedTurnByTurn", what_overflowed_is_fetched_turn_by_turn, true},
          {"S4", "ATurnEndsWhateverAnswersAsk", a_turn_ends_whatever_answers_ask},
          {"S4", "HoldsWhateverIsCalled", whatever_is_called}};
}

}  // namespace pinion::iosubmit::testing
