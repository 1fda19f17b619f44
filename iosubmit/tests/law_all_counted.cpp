// SPDX-License-Identifier: Apache-2.0
//
// S8: all that enters is counted, also what submit() hands over; and that fetches nothing.
#include <array>

#include "rig.hpp"

namespace pinion::iosubmit::testing {
namespace {

violation submit_hands_over_and_fetches_nothing(const submission_factory& factory) {
  probe first{device_read()};
  port_probe second;  // no policy enters for it
  rig io{factory};
  io.queue(first);
  for (int k = 0; k < 100 && io.io().depth() != 0; ++k) io.park(io.now());
  io.clock().advance_by(factory.ring.latency);
  const bool was_wanted = io.ring().wants_enter();
  if (was_wanted != factory.ring.keeps_back) return broken(factory, "the first was not kept back");
  io.queue(device_read(), second);
  io.submit();
  if (io.io().depth() != 0) return broken(factory, "submit() left ", io.io().depth(), " queued");
  if (was_wanted && !io.ring().wants_enter()) return broken(factory, "submit() fetched what was kept back");
  if (io.io().in_flight() != 2)
    return broken(factory, "of two that are in flight after submit() ", io.io().in_flight(), " are counted");
  io.io().stop();
  if (first.answers != 1 || second.answers != 1)
    return broken(factory, "what submit() took was not answered");
  return io.found("S6");
}

violation submit_keeps_what_is_refused(const submission_factory& factory) {
  for (const std::int32_t error : {-EAGAIN, -EBUSY, -EPERM}) {
    std::array<probe, 5> asked;
    rig io{factory};
    io.ring().fail(1, error);
    for (probe& each : asked) {
      each.ask(device_read());
      io.queue(each);
      io.submit();
    }
    io.settle();
    for (const probe& each : asked) {
      if (each.answers != 1)
        return broken(factory, "after a refusal one was answered ", each.answers, " times");
    }
    if (violation what = io.found("S6")) return what;
  }
  return {};
}

violation submit_enters_only_with_something_to_hand_over(const submission_factory& factory) {
  rig io{factory};
  io.submit();
  return io.io().record.enters.empty() ? violation{}
                                       : broken(factory, "submit() entered with nothing queued");
}

violation whatever_is_called(const submission_factory& factory) { return work_out("S8", factory); }

}  // namespace

std::vector<clause> all_counted() {
  return {{"S8", "SubmitHandsOverAndFetchesNothing", submit_hands_over_and_fetches_nothing, true},
          {"S8", "SubmitKeepsWhatIsRefused", submit_keeps_what_is_refused, true},
          {"S8", "SubmitEntersOnlyWithSomethingToHandOver", submit_enters_only_with_something_to_hand_over},
          {"S8", "HoldsWhateverIsCalled", whatever_is_called}};
}

}  // namespace pinion::iosubmit::testing
