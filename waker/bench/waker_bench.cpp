// SPDX-License-Identifier: Apache-2.0
//
// What wakes cost: every workload for every contestant.
//
//   waker_bench --benchmark_filter=^push/ --benchmark_repetitions=9
//
// A benchmark is named <workload>/<contestant>/<n>. A new backend joins by a line in main(), a peer by one in
// peers/peers.cpp; their names and words for the report stand in report.toml. `./demo` measures all of it and
// writes the report.
#include <bench/program/program.hpp>
#include <pinion/waker.hpp>
#include <string>

#include "benchmarks.hpp"
#include "contestants.hpp"
#include "peers/peers.hpp"
#include "ring_bell.hpp"
#include "trial/ring_per_sender.hpp"
#include "trial/wake_bitmap.hpp"

namespace pinion::waker::bench {
namespace {

template <class Inbox>
void add_inbox(const std::string& who) {
  using contestant = channel_contestant<Inbox, eventfd_notifier>;
  add_queue<contestant>(who);
  add_queued_again<contestant>(who);
}

/// `senders_max`: with how many it can take part.
template <class Contestant>
void add_trial(const std::string& who, std::size_t senders_max) {
  for (std::size_t senders = 1; senders <= senders_max; senders *= 2) add_push<Contestant>(who, senders);
  add_batch<Contestant>(who);
  add_polled<Contestant>(who);
  add_queued_again<Contestant>(who);
  add_parked<Contestant>(who);
}

}  // namespace
}  // namespace pinion::waker::bench

int main(int argc, char** argv) {
  using namespace pinion::waker;
  using bench::counted_futex_notifier;
  using bench::spin;
  bench::add_inbox<tagged_inbox>("tagged_inbox");
  bench::add_inbox<bounded_inbox<256>>("bounded_inbox");
  bench::add_inbox<mutex_inbox>("mutex_inbox");

  // Where each wake meets a sleeper, polling before the sleep would only wait for the sender.
  bench::add_signals<bench::channel_contestant<tagged_inbox, eventfd_notifier, spin::never>>(
      "tagged_eventfd");
  bench::add_signals<bench::channel_contestant<tagged_inbox, counted_futex_notifier, spin::never>>(
      "tagged_futex");
  bench::add_signals<bench::channel_contestant<bounded_inbox<256>, counted_futex_notifier, spin::never>>(
      "bounded_futex");

  if (pinion::testing::raw_ring::refusal().empty()) {
    bench::add_signals<bench::channel_contestant<tagged_inbox, bench::ring_bell, spin::never>>(
        "tagged_msg_ring");
  } else {
    pinion::bench::leave_out("tagged_msg_ring", "this machine makes no io_uring");
  }

  bench::add_conversations<bench::channel_contestant<tagged_inbox, eventfd_notifier>>("tagged_eventfd");
  bench::add_conversations<bench::channel_contestant<tagged_inbox, futex_notifier>>("tagged_futex");
  bench::add_conversations<bench::channel_contestant<bounded_inbox<256>, futex_notifier>>("bounded_futex");
  bench::add_conversations<bench::channel_contestant<mutex_inbox, futex_notifier>>("mutex_futex");
  bench::add_conversations<bench::channel_contestant<tagged_inbox, eventfd_notifier, spin::never>>(
      "eventfd_no_spin");
  bench::add_conversations<bench::channel_contestant<tagged_inbox, futex_notifier, spin::never>>(
      "futex_no_spin");

  // What was tried and is not shipped.
  bench::add_trial<bench::ring_per_sender<bench::barrier::of_each_push>>("ring_per_sender", 4);
  bench::add_trial<bench::ring_per_sender<bench::barrier::of_the_arming>>("ring_membarrier", 4);
  bench::add_trial<bench::wake_bitmap>("wake_bitmap", 1);

  bench::add_peers();
  return pinion::bench::run(argc, argv);
}
