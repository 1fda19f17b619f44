// SPDX-License-Identifier: Apache-2.0
//
// S9: what another part queues through the port leaves with the turn in which it was queued.
#include "rig.hpp"

namespace pinion::iosubmit::testing {
namespace {

violation a_ports_entry_leaves_with_its_turn(const submission_factory& factory) {
  probe plain{device_read()};
  port_probe signal;
  rig io{factory};
  io.queue(plain);
  if (!io.queue(device_read(), signal)) return broken(factory, "a port has no room beside one operation");
  io.turn();
  const std::uint32_t left = io.io().depth();
  io.settle();
  return left == 0
             ? violation{}
             : broken(factory, "a turn that does not wait left ", left, " queued, a port's entry among them");
}

violation a_ports_entry_of_an_answer_leaves_with_its_turn(const submission_factory& factory) {
  for (const bool waits : {false, true}) {
    probe first{device_read()};
    port_probe signal;
    bool took = false;
    rig io{factory};
    first.then = [&](probe&) { took = io.queue(device_read(), signal); };
    io.queue(first);
    for (int k = 0; k < 100 && io.io().depth() != 0; ++k) io.park(io.now());
    io.clock().advance_by(factory.ring.latency);
    for (int k = 0; k < 100 && first.answers == 0; ++k) waits ? io.park(never) : io.turn();
    const std::uint32_t left = io.io().depth();
    io.settle();
    if (!took || left != 0)
      return broken(factory, "after the turn in which an answer queued it a port's entry was still queued");
  }
  return {};
}

}  // namespace

std::vector<clause> urgent_ports() {
  return {{"S9", "APortsEntryLeavesWithItsTurn", a_ports_entry_leaves_with_its_turn, true},
          {"S9", "APortsEntryOfAnAnswerLeavesWithItsTurn", a_ports_entry_of_an_answer_leaves_with_its_turn,
           true}};
}

}  // namespace pinion::iosubmit::testing
