// SPDX-License-Identifier: Apache-2.0
//
// S5: whatever the kernel answers to an enter, each operation is answered once, and in order.
#include <array>
#include <utility>

#include "rig.hpp"

namespace pinion::iosubmit::testing {
namespace {

struct fault {
  const char* name;
  void (*bring)(const sim::virtual_ring&);
};
constexpr fault faults[] = {
    {"nothing", [](const sim::virtual_ring&) {}},
    {"EINTR", [](const sim::virtual_ring& r) { r.fail(3, -EINTR); }},
    {"a run of EAGAIN", [](const sim::virtual_ring& r) { r.fail(9, -EAGAIN); }},
    {"EBUSY", [](const sim::virtual_ring& r) { r.fail(2, -EBUSY); }},
    {"short submits", [](const sim::virtual_ring& r) { r.accept_at_most(1, 20); }},
    {"submits of nothing", [](const sim::virtual_ring& r) { r.accept_at_most(0, 3); }},
    {"waits that end early", [](const sim::virtual_ring& r) { r.end_early(4); }},
};

violation each_is_answered_once(const submission_factory& factory) {
  for (const fault& f : faults) {
    std::array<probe, 70> asked;
    std::array<port_probe, 10> by_port;
    rig io{factory};
    std::size_t in_order = 0;
    io.ring().serve([&](const ring_entry& entry, instant now) -> sim::virtual_answer {
      if (entry.user_data == asked[in_order % asked.size()].entry().user_data) ++in_order;
      return {.at = now + factory.ring.latency, .result = 3};
    });
    f.bring(io.ring());
    for (probe& each : asked) {
      each.ask(device_read());
      io.queue(each);
    }
    if (!io.settle()) return broken(factory, "after ", f.name, " something was never answered");
    for (const probe& each : asked) {
      if (each.answers != 1 || each.result != 3) {
        return broken(factory, "through ", f.name, " an operation was answered ", each.answers,
                      " times, the last with ", each.result);
      }
    }
    if (in_order != asked.size()) return broken(factory, "through ", f.name, " the order was lost");
    for (port_probe& each : by_port) {
      const bool took = io.queue(device_read(), each);
      io.settle();
      if (each.answers != (took ? 1 : 0))
        return broken(factory, "a port's entry was answered ", each.answers, " times");
    }
  }
  return {};
}

violation a_lasting_error_answers_all_that_was_queued(const submission_factory& factory) {
  std::array<probe, 70> asked;
  probe later{device_read()};
  rig io{factory};
  io.ring().fail(sim::virtual_ring::for_ever, -EPERM);
  for (probe& each : asked) {
    each.ask(device_read());
    io.queue(each);
  }
  for (int k = 0; k < 3; ++k) io.park(io.now());
  for (const probe& each : asked) {
    if (each.answers != 1 || each.result != -EPERM) {
      io.ring().fail(0, 0);
      io.io().stop();
      return broken(factory, "where the kernel refuses for good an operation was answered ", each.answers,
                    " times, the last with ", each.result);
    }
  }
  io.ring().fail(0, 0);
  io.queue(later);
  io.settle();
  return later.answers == 1 && later.result == 0
             ? violation{}
             : broken(factory, "a ring that works again was not used again: ", later.result);
}

violation the_end_answers_all(const submission_factory& factory) {
  for (const bool by_destructor : {false, true}) {
    std::array<probe, 30> in_flight, queued;
    std::array<port_probe, 5> by_port;
    int took[5] = {};
    bool asked_late = false;
    probe lasting{{.operation = codes::recv}}, late{device_read()};
    rig io{factory};
    io.ring().serve([&](const ring_entry& entry, instant now) -> sim::virtual_answer {
      return {
          .at = now + duration{70'000'000}, .result = 9, .can_be_cancelled = entry.operation != codes::recv};
    });
    io.queue(lasting);
    for (probe& each : in_flight) {
      each.ask(device_read());
      io.queue(each);
    }
    for (int k = 0; k < 200 && io.io().depth() != 0; ++k) io.park(io.now());
    for (probe& each : queued) {
      each.ask(device_read());
      each.then = [&](probe&) {
        if (!std::exchange(asked_late, true)) io.queue(late);
      };
      io.queue(each);
    }
    for (std::size_t k = 0; k < by_port.size(); ++k) took[k] = io.queue(device_read(), by_port[k]) ? 1 : 0;
    by_destructor ? io.destroy() : io.io().stop();
    if (lasting.answers != 1 || (lasting.result != 9 && lasting.result != -ECANCELED))
      return broken(factory, "what can't be cancelled was answered ", lasting.answers, " times by the end");
    if (!by_destructor && late.answers != 0)
      return broken(factory, "the end answered what an answer queued meanwhile");
    if (!by_destructor) io.turn();
    if (late.answers != 1)
      return broken(factory, "what an answer queued meanwhile was answered ", late.answers, " times");
    for (const auto* some : {&in_flight, &queued}) {
      for (const probe& each : *some) {
        if (each.answers != 1 || each.result != -ECANCELED)
          return broken(factory, "the end answered an operation ", each.answers, " times, with ",
                        each.result);
      }
    }
    for (std::size_t k = 0; k < by_port.size(); ++k) {
      if (by_port[k].answers != took[k])
        return broken(factory, "the end answered a port's entry ", by_port[k].answers, " times");
    }
  }
  return {};
}

violation the_end_comes_whatever_answers_ask(const submission_factory& factory) {
  for (const bool by_destructor : {false, true}) {
    std::array<probe, 3> stubborn;
    rig io{factory};
    for (probe& each : stubborn) {
      each.ask(device_read());
      each.then = [&](probe& self) {
        if (self.answers < 1'000) io.queue(self);
      };
    }
    io.queue(stubborn[0]);
    for (int k = 0; k < 100 && io.io().depth() != 0; ++k) io.park(io.now());
    io.queue(stubborn[1]);
    io.queue_urgent(stubborn[2]);
    int before[3];
    for (std::size_t k = 0; k < stubborn.size(); ++k) before[k] = stubborn[k].answers;
    by_destructor ? io.destroy() : io.io().stop();
    for (std::size_t k = 0; k < stubborn.size(); ++k) {
      if (stubborn[k].answers != before[k] + (by_destructor ? 2 : 1) || stubborn[k].result != -ECANCELED)
        return broken(factory, "an end answered what asks again ", stubborn[k].answers - before[k], " times");
    }
    if (by_destructor) continue;
    for (probe& each : stubborn) each.then = nullptr;
    probe later{device_read()};
    io.queue(later);
    io.settle();
    for (std::size_t k = 0; k < stubborn.size(); ++k) {
      if (stubborn[k].answers != before[k] + 2 || stubborn[k].result != -ECANCELED)
        return broken(factory, "what asked again while it ended was answered ",
                      stubborn[k].answers - before[k] - 1, " times afterwards, with ", stubborn[k].result);
    }
    if (later.answers != 1 || later.result != 0)
      return broken(factory, "what was queued after an end was answered ", later.answers, " times, with ",
                    later.result);
  }
  return {};
}

violation whatever_is_called(const submission_factory& factory) { return work_out("S5", factory); }

}  // namespace

std::vector<clause> nothing_lost() {
  return {{"S5", "EachIsAnsweredOnce", each_is_answered_once, true},
          {"S5", "ALastingErrorAnswersAllThatWasQueued", a_lasting_error_answers_all_that_was_queued, true},
          {"S5", "TheEndAnswersAll", the_end_answers_all, true},
          {"S5", "TheEndComesWhateverAnswersAsk", the_end_comes_whatever_answers_ask, true},
          {"S5", "HoldsWhateverIsCalled", whatever_is_called}};
}

}  // namespace pinion::iosubmit::testing
