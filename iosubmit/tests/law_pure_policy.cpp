// SPDX-License-Identifier: Apache-2.0
//
// S3: neither a policy nor what drives it reads a clock, allocates, or goes by anything but what it is told.
#include <array>

#include "allocations.hpp"
#include "rig.hpp"

namespace pinion::iosubmit::testing {
namespace {

violation the_clock_is_read_once_before_and_once_after_a_wait(const submission_factory& factory) {
  std::array<probe, 50> asked;
  rig io{factory};
  const std::uint64_t at_first = io.clock().readings();
  for (probe& each : asked) {
    each.ask(device_read());
    io.queue(each);
    io.turn();
  }
  if (io.clock().readings() != at_first)
    return broken(factory, "queueing and turning read the clock ", io.clock().readings() - at_first,
                  " times");
  for (int parks = 1; parks <= 20; ++parks) {
    const bool waits = parks % 2 == 0;
    const std::uint64_t before = io.clock().readings();
    io.park(waits ? io.now() + duration{5'000'000} : io.now());
    if (io.clock().readings() - before > (waits ? 2U : 1U))
      return broken(factory, "one park read the clock ", io.clock().readings() - before, " times");
  }
  io.settle();
  return {};
}

violation the_same_calls_have_the_same_enters(const submission_factory& factory) {
  std::vector<enter_seen> first, again;
  static_cast<void>(work_out("S3", factory, &first));
  static_cast<void>(work_out("S3", factory, &again));
  if (first.size() < 50) return broken(factory, "there were but ", first.size(), " enters to compare");
  return first == again ? violation{}
                        : broken(factory, "the same calls entered ", first.size(), " times, then ",
                                 again.size(), " times, or not alike");
}

violation nothing_is_allocated(const submission_factory& factory) {
  std::array<probe, 40> asked;
  rig io{factory};
  io.io().record.enters.reserve(20'000);
  for (probe& each : asked) each.ask(device_read());
  std::size_t before = 0;
  for (int round = 0; round < 50; ++round) {
    if (round == 10) before = pinion::testing::allocations_so_far();  // until then the virtual ring grows
    for (probe& each : asked) {
      io.io().queue(each);
      io.io().turn(io.now());
    }
    for (int k = 0; k < 5'000 && io.io().depth() + io.io().in_flight() != 0; ++k)
      io.io().park(io.now() + duration{5'000'000});
    io.io().record.enters.clear();
  }
  const std::size_t made = pinion::testing::allocations_so_far() - before;
  return made == 0 ? violation{} : broken(factory, "40 rounds of 40 operations allocated ", made, " times");
}

}  // namespace

std::vector<clause> pure_policy() {
  return {{"S3", "TheClockIsReadOnceBeforeAndOnceAfterAWait",
           the_clock_is_read_once_before_and_once_after_a_wait},
          {"S3", "TheSameCallsHaveTheSameEnters", the_same_calls_have_the_same_enters},
          {"S3", "NothingIsAllocated", nothing_is_allocated, false, true}};
}

}  // namespace pinion::iosubmit::testing
