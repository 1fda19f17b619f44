// SPDX-License-Identifier: Apache-2.0
//
// What a round of a loop costs, and going on after a wait: every workload for every contestant.
//
//   scheduler_bench --benchmark_filter=^busy/ --benchmark_repetitions=9
//
// A benchmark is named <workload>/<contestant>/<n>. Their names and words for the report stand in
// report.toml. `./demo` measures all of it and writes the report.
#include <bench/program/program.hpp>
#include <pinion/iosubmit.hpp>
#include <pinion/preempt.hpp>
#include <pinion/waker.hpp>
#include <string>

#include "../../base/tests/traced_calls.hpp"
#include "benchmarks.hpp"

namespace pinion::scheduler::bench {
namespace {

void add_all_calls(bool has_uring) {
  if (const std::string why = testing::trace([] { return true; }).refusal; !why.empty()) {
    pinion::bench::leave_out("calls", why);
    return;
  }
  using iosubmit::epoll_ring, iosubmit::uring_ring, waker::eventfd_notifier, waker::msg_ring_notifier;
  if (has_uring) {
    // A slice that begins after a sleep may have to wake the ticker's thread.
    add_calls<turn_over<uring_ring, eventfd_notifier, preempt::slicer<>>>("turn", {.tick = 1, .wake = 2});
    add_calls<turn_over<uring_ring, eventfd_notifier>>("turn_unsliced", {.tick = 1, .wake = 1});
    add_calls<turn_over<uring_ring, msg_ring_notifier>>("turn_msg_ring", {.tick = 1, .wake = 1});
  }
  add_calls<turn_over<epoll_ring, eventfd_notifier>>("turn_epoll_ring", {.busy = 1, .tick = 1, .wake = 1});
  add_calls<turn_in_epoll>("turn_in_epoll", {.busy = 1, .tick = 2, .wake = 2});
  add_calls<epoll_by_hand>("epoll_by_hand", {.busy = 1, .tick = 1, .wake = 2});
}

void add_all() {
  const auto ring = iosubmit::uring_ring::open({});
  add_waits<resuming>("resumption", 20'000'000);
  add_yields(20'000'000);
  add_waits<sleeping>("sleep", 2'000'000);
  add_waits<being_woken>("wake", 5'000'000);
  if (ring) {
    add_waits<asking>("nop", 1'000'000);
    add_rounds();
  } else {
    for (const char* const who : {"nop", "turn", "by_hand"})
      pinion::bench::leave_out(who, to_string(ring.error()));
  }
  add_all_calls(ring.has_value());
}

}  // namespace
}  // namespace pinion::scheduler::bench

int main(int argc, char** argv) {
  pinion::scheduler::bench::add_all();
  return pinion::bench::run(argc, argv);
}
