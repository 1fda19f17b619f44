// SPDX-License-Identifier: Apache-2.0
//
// S6: queueing calls no answer, whatever the ring says. What was refused is answered by the next turn, park
// or stop, and nothing is entered before.
#include <array>

#include "rig.hpp"

namespace pinion::iosubmit::testing {
namespace {

violation queueing_answers_nothing_where_the_kernel_refuses(const submission_factory& factory) {
  for (const std::int32_t error : {-EPERM, -EBADF, -EAGAIN, -EBUSY}) {
    std::array<probe, 200> asked;
    std::array<port_probe, 20> by_port;
    rig io{factory};
    io.ring().fail(sim::virtual_ring::for_ever, error);
    for (std::size_t k = 0; k < asked.size(); ++k) {
      asked[k].ask(device_read());
      k % 9 == 8 ? io.queue_urgent(asked[k]) : io.queue(asked[k]);
      if (k % 10 == 9) io.queue(device_read(), by_port[k / 10]);
    }
    io.ring().fail(0, 0);
    io.io().stop();
    if (violation what = io.found("S6")) return what;
  }
  return {};
}

violation what_was_refused_is_answered_once_by_the_next_turn(const submission_factory& factory) {
  for (const bool parks : {false, true}) {
    std::array<probe, 200> asked;
    rig io{factory};
    io.ring().fail(sim::virtual_ring::for_ever, -EPERM);
    std::size_t refused = 0;  // so many were queued when the kernel had refused
    std::size_t enters = 0;
    for (probe& each : asked) {
      each.ask(device_read());
      io.queue(each);
      const std::size_t now = io.io().record.enters.size();
      if (now > 1) return broken(factory, "a refusal was followed by another enter before the turn");
      if (now == enters) continue;
      enters = now;
      refused = io.io().record.enters.back().depth_before;
    }
    io.ring().fail(0, 0);
    const std::size_t answers = static_cast<std::size_t>(asked::order);
    if (refused != 0) parks ? io.park(never) : io.turn();
    if (refused != 0 && static_cast<std::size_t>(asked::order) < answers + refused)
      return broken(factory, parks ? "a park" : "a turn", " left some of what was refused unanswered");
    io.settle();
    for (std::size_t k = 0; k < asked.size(); ++k) {
      if (asked[k].answers != 1 || asked[k].result != (k < refused ? -EPERM : 0))
        return broken(factory, "operation ", k, " of which ", refused, " were refused was answered ",
                      asked[k].answers, " times, the last with ", asked[k].result);
    }
  }
  return {};
}

violation whatever_is_called(const submission_factory& factory) { return work_out("S6", factory); }

}  // namespace

std::vector<clause> no_answers() {
  return {{"S6", "QueueingAnswersNothingWhereTheKernelRefuses",
           queueing_answers_nothing_where_the_kernel_refuses, true},
          {"S6", "WhatWasRefusedIsAnsweredOnceByTheNextTurn",
           what_was_refused_is_answered_once_by_the_next_turn, true},
          {"S6", "HoldsWhateverIsCalled", whatever_is_called}};
}

}  // namespace pinion::iosubmit::testing
