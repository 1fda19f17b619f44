// SPDX-License-Identifier: Apache-2.0
//
// S1: before the owner waits, all that is queued is the kernel's.
#include <array>

#include "rig.hpp"

namespace pinion::iosubmit::testing {
namespace {

violation nothing_is_left_when_the_owner_parks(const submission_factory& factory) {
  for (const std::size_t count : {1U, 3U, 40U, 300U}) {
    std::vector<probe> asked(count);
    port_probe by_port;
    rig io{factory};
    for (probe& each : asked) each.ask(device_read());
    for (std::size_t k = 0; k < count; ++k) k % 7 == 6 ? io.queue_urgent(asked[k]) : io.queue(asked[k]);
    io.queue(device_read(), by_port);
    io.park(io.now());
    if (!factory.is_faulty && factory.ring.completions > count && io.io().depth() != 0)
      return broken(factory, "a park that did not wait left ", io.io().depth(), " of ", count + 1);
    io.park(io.now() + duration{10'000'000});
    if (violation what = io.found("S1")) return what;
    io.settle();
    if (violation what = io.found("S1")) return what;
  }
  return {};
}

violation what_answers_queue_goes_with_the_next_park(const submission_factory& factory) {
  probe first{device_read()}, second{device_read()};
  rig io{factory};
  first.then = [&](probe&) { io.queue(second); };
  io.queue(first);
  for (int k = 0; k < 100 && first.answers == 0; ++k) io.park(io.now() + duration{5'000'000});
  io.settle();
  if (first.answers + second.answers != 2) return broken(factory, "an answer's operation was stranded");
  return io.found("S1");
}

violation an_owner_waits_only_for_a_retry_while_the_kernel_refuses(const submission_factory& factory) {
  probe asked{device_read()};
  rig io{factory};
  io.ring().fail(5, -EAGAIN);
  io.queue(asked);
  for (int k = 0; k < 5; ++k) {
    const instant before = io.now();
    io.park(never);
    const duration most =
        duration{1'000'000} + factory.ring.latency + factory.ring.enter_cost * 4 + factory.ring.wake_cost * 2;
    if (io.now() - before > most)
      return broken(factory, "with one that was refused the owner waited for ", (io.now() - before).ns,
                    " ns");
  }
  io.settle();
  if (asked.answers != 1) return broken(factory, "what was refused five times was not tried again");
  return io.found("S1");
}

violation whatever_is_called(const submission_factory& factory) { return work_out("S1", factory); }

}  // namespace

std::vector<clause> never_stranded() {
  return {{"S1", "NothingIsLeftWhenTheOwnerParks", nothing_is_left_when_the_owner_parks},
          {"S1", "WhatAnswersQueueGoesWithTheNextPark", what_answers_queue_goes_with_the_next_park},
          {"S1", "AnOwnerWaitsOnlyForARetryWhileTheKernelRefuses",
           an_owner_waits_only_for_a_retry_while_the_kernel_refuses, true},
          {"S1", "HoldsWhateverIsCalled", whatever_is_called}};
}

}  // namespace pinion::iosubmit::testing
