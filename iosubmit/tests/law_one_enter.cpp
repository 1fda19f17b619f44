// SPDX-License-Identifier: Apache-2.0
//
// S2: submitting and waiting are one system call, and there is none without a reason.
#include "rig.hpp"

namespace pinion::iosubmit::testing {
namespace {

violation submitting_and_waiting_are_one_enter(const submission_factory& factory) {
  probe asked{device_read()};
  rig io{factory};
  for (int round = 0; round < 20; ++round) {
    io.queue(asked);
    for (int k = 0; k < 100 && asked.answers == round; ++k) {
      io.park(never);
      if (io.enters() > 1) return broken(factory, "one park entered ", io.enters(), " times");
    }
  }
  return io.found("S2");
}

violation a_turn_with_nothing_to_do_enters_not(const submission_factory& factory) {
  rig io{factory};
  for (int k = 0; k < 100; ++k) {
    io.turn();
    if (io.enters() != 0) return broken(factory, "a turn with nothing to do entered");
    io.park(io.now());
    if (io.enters() != 0) return broken(factory, "a park that is over at once, with nothing to do, entered");
  }
  return io.found("S2");
}

violation what_is_urgent_goes_with_its_turn(const submission_factory& factory) {
  probe plain{device_read()}, urgent{device_read()}, reply{device_read()};
  rig io{factory};
  io.queue(plain);
  io.queue_urgent(urgent);
  io.turn();
  if (io.io().depth() != 0)
    return broken(factory, "after the turn in which one was urgent ", io.io().depth(), " were still queued");
  io.settle();
  io.ring().fail(1, -EAGAIN);
  io.queue_urgent(urgent);
  if (io.io().depth() != 0) {
    io.turn();
    io.turn();
  }
  if (io.io().depth() != 0)
    return broken(factory, "what was urgent and refused did not go with the next turn");
  urgent.then = [&](probe&) { io.queue_urgent(reply); };
  for (int k = 0; k < 100 && urgent.answers < 2; ++k) io.park(never);
  const std::uint32_t left = io.io().depth();
  io.settle();
  if (left != 0) return broken(factory, "what an answer queued as urgent was still queued after its turn");
  return io.found("S2");
}

violation whatever_is_called(const submission_factory& factory) { return work_out("S2", factory); }

}  // namespace

std::vector<clause> one_enter() {
  return {{"S2", "SubmittingAndWaitingAreOneEnter", submitting_and_waiting_are_one_enter, true},
          {"S2", "ATurnWithNothingToDoEntersNot", a_turn_with_nothing_to_do_enters_not},
          {"S2", "WhatIsUrgentGoesWithItsTurn", what_is_urgent_goes_with_its_turn, true},
          {"S2", "HoldsWhateverIsCalled", whatever_is_called}};
}

}  // namespace pinion::iosubmit::testing
