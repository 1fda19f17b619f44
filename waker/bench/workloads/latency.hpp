// SPDX-License-Identifier: Apache-2.0
//
// How long a wake is on its way, from before the push to the owner's sink, in wall time: to an owner that
// polls, and to one that sleeps.
//
//   latencies m = measure_parked<contestant>(2'000);
//
// There is one wake at a time. To an owner that polls it is sent a little after the last one was received; to
// one that sleeps when the kernel says that it does.
#pragma once

#include <unistd.h>

#include <atomic>
#include <bench/program/clock.hpp>
#include <bench/program/percentiles.hpp>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "sleeper.hpp"
#include "wakes.hpp"

namespace pinion::waker::bench {

struct latencies {
  pinion::bench::percentiles spread;
  double signals = 0;  ///< system calls of the sender to wake the owner
  double seconds = 0;
  std::uint64_t checksum = 0;
  std::uint64_t expected = 0;
};

/// n wakes. `Turn` is what the owner does again and again: turn(contestant, run). `ready` says whether the
/// owner is where it is to be for the next wake.
template <class Contestant, class Turn, class Ready>
latencies measure_latency(std::size_t n, Turn turn, Ready ready) {
  using item = typename Contestant::item;
  using pinion::bench::ticks_in_order;
  Contestant contestant{1};
  std::vector<double> samples;
  samples.reserve(n);
  const double ns_each = pinion::bench::ns_per_tick();
  latencies result;
  // Memory ordering. received: release and acquire, so that the item is the sender's again.
  std::atomic<std::size_t> received{0};

  // This thread is the owner, as it has made the contestant.
  const on_core owners_place{0};
  std::thread sending{[&, watched_thread = gettid()] {
    const on_core place{1};
    const sleeper watched{watched_thread};
    typename Contestant::sender sender{contestant};
    auto items = make_items(contestant, 1);
    const auto begin = static_cast<double>(signals_so_far());
    const stopwatch watch;
    for (std::size_t k = 0; k < n; ++k) {
      wait_until("a wake to be received", [&] { return received.load(std::memory_order_acquire) == k; });
      wait_until("the owner to be ready", [&] { return ready(watched); });
      items[0].payload = ticks_in_order();
      sender.push(items[0]);
    }
    result.seconds = watch.seconds();
    result.signals = static_cast<double>(signals_so_far()) - begin;
    wait_until("the last wake", [&] { return received.load(std::memory_order_acquire) == n; });
  }};

  const auto run = [&](item& each) {
    const std::uint64_t now = ticks_in_order();
    // Two cores' clocks may differ by a few ticks.
    samples.push_back(now > each.payload ? static_cast<double>(now - each.payload) * ns_each : 0);
    result.checksum += samples.size();
    received.store(samples.size(), std::memory_order_release);
  };
  patience waiting{"a wake"};
  while (samples.size() < n) {
    const std::size_t before = samples.size();
    turn(contestant, run);
    if (samples.size() != before) {
      waiting.renew();
    } else {
      waiting.look_again();
    }
  }
  sending.join();
  result.expected = n * (n + 1) / 2;
  result.spread = pinion::bench::percentiles_of(samples);
  return result;
}

/// To an owner that polls.
template <class Contestant>
latencies measure_polled(std::size_t n) {
  return measure_latency<Contestant>(
      n, [](Contestant& contestant, auto& run) { contestant.drain(run); },
      [](const sleeper&) {
        // Long enough for the owner to have come back to its look.
        for (int k = 0; k < 32; ++k) std_sync::pause();
        return true;
      });
}

/// To an owner that sleeps each time.
template <class Contestant>
latencies measure_parked(std::size_t n) {
  return measure_latency<Contestant>(
      n,
      [](Contestant& contestant, auto& run) {
        contestant.park(run);
        contestant.drain(run);
      },
      [](const sleeper& owner) { return owner.is_asleep(); });
}

}  // namespace pinion::waker::bench
