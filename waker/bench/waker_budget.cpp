// SPDX-License-Identifier: Apache-2.0
//
// What each operation of the wakes may cost in instructions: the workloads of one thread, for pinion's own
// inboxes behind a wake_channel, and beside them for what was tried and is not shipped. `./check budget`
// compares with bench/budget/waker.toml.
#include <bench/budget/budget.hpp>
#include <cstddef>
#include <pinion/waker.hpp>
#include <string>

#include "contestants.hpp"
#include "trial/ring_per_sender.hpp"
#include "trial/wake_bitmap.hpp"
#include "workloads/alone.hpp"

namespace pinion::waker::bench {
namespace {

using meter = pinion::bench::instruction_meter;

template <class Contestant>
void count(pinion::bench::budget& counted, const std::string& who) {
  constexpr std::size_t n = 200;  // fewer than a bounded_inbox holds
  constexpr std::size_t repeated = 10'000;
  const push_and_drain each = measure_push_and_drain<Contestant, meter>(n);
  counted.instructions(who, "push", each.push);
  counted.instructions(who, "drain", each.drain);
  counted.instructions(who, "queued_again", measure_queued_again<Contestant, meter>(n, repeated));
  counted.instructions(who, "arm_and_disarm", measure_arming<Contestant, meter>(repeated));
}

template <class Inbox>
void count_inbox(pinion::bench::budget& counted, const std::string& who) {
  count<channel_contestant<Inbox, futex_notifier>>(counted, who);
}

/// What finds the ring full.
void count_overflow(pinion::bench::budget& counted) {
  using contestant = channel_contestant<bounded_inbox<2>, futex_notifier>;
  const push_and_drain each = measure_push_and_drain<contestant, meter>(1'000);
  counted.instructions("bounded_inbox", "overflowing_push", each.push);
  counted.instructions("bounded_inbox", "overflowed_drain", each.drain);
}

}  // namespace
}  // namespace pinion::waker::bench

int main() {
  using namespace pinion::waker;
  pinion::bench::budget counted;
  bench::count_inbox<tagged_inbox>(counted, "tagged_inbox");
  bench::count_inbox<bounded_inbox<256>>(counted, "bounded_inbox");
  bench::count_overflow(counted);
  bench::count_inbox<mutex_inbox>(counted, "mutex_inbox");
  bench::count<bench::ring_per_sender<bench::barrier::of_each_push>>(counted, "ring_per_sender");
  bench::count<bench::ring_per_sender<bench::barrier::of_the_arming>>(counted, "ring_membarrier");
  bench::count<bench::wake_bitmap>(counted, "wake_bitmap");
  return counted.exit_status();
}
