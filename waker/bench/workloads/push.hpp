// SPDX-License-Identifier: Apache-2.0
//
// Pushes to an owner that drains all the while, by one, two, four threads.
//
//   pushes m = measure_push<contestant>(2, 50);
//
// It goes in rounds: each sender pushes 4,000 items of its own, and the next round begins when the owner has
// all of them. What is timed is the loop of pushes, by each sender's own CPU time, so neither waiting for the
// round nor a core that is somebody else's is charged. The owner has the first core, senders follow from the
// second on. Beside it stands the wall time until the owner has had the round.
#pragma once

#include <atomic>
#include <bench/program/clock.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "wakes.hpp"

namespace pinion::waker::bench {

struct pushes {
  measured push;            ///< of all senders together
  double wall_seconds = 0;  ///< until the owner had them
  std::string fault{};      ///< a sender's items did not come in its order
};

inline constexpr std::size_t items_each = 4'000;

/// The checksum adds up what the owner was sent.
template <class Contestant, class Meter = stopwatch>
pushes measure_push(std::size_t senders, std::size_t rounds) {
  using item = typename Contestant::item;
  Contestant contestant{senders * items_each};
  std::vector<double> seconds(senders);
  // Memory ordering. round: its release publishes that all of the round before was received, so that items
  // are the senders' again; senders acquire. ready: release and acquire, so the first round finds all senders
  // made.
  std::atomic<std::size_t> round{0};
  std::atomic<std::size_t> ready{0};

  std::vector<std::thread> threads;
  for (std::size_t who = 0; who < senders; ++who) {
    threads.emplace_back([&, who] {
      const on_core place{who + 1};
      std::vector<item> items = make_items(contestant, items_each, who * items_each);
      typename Contestant::sender sender{contestant};
      std::uint64_t sequence = 0;
      double spent = 0;
      ready.fetch_add(1, std::memory_order_release);
      for (std::size_t k = 1; k <= rounds; ++k) {
        wait_until("the next round", [&] { return round.load(std::memory_order_acquire) >= k; });
        const Meter watch;
        for (item& each : items) {
          each.payload = stamped(who, sequence++);
          sender.push(each);
        }
        spent += watch.seconds();
      }
      seconds[who] = spent;
      // The items are this thread's, and the owner may still have the last of them.
      wait_until("the end", [&] { return round.load(std::memory_order_acquire) > rounds; });
    });
  }

  const on_core place{0};
  pushes result;
  std::vector<std::uint64_t> next(senders);
  bool in_order = true;
  const auto receive = [&](item& each) {
    const std::size_t who = each.payload >> 40;
    in_order = in_order && each.payload == stamped(who, next[who]);
    ++next[who];
    result.push.checksum += each.payload;
  };
  wait_until("the senders", [&] { return ready.load(std::memory_order_acquire) == senders; });
  for (std::size_t k = 1; k <= rounds; ++k) {
    const auto begun = std::chrono::steady_clock::now();
    round.store(k, std::memory_order_release);
    patience waiting{"what was pushed"};
    for (std::size_t received = 0; received < senders * items_each;) {
      const std::size_t count = contestant.drain(receive);
      received += count;
      if (count == 0) {
        waiting.look_again();
      } else {
        waiting.renew();
      }
    }
    result.wall_seconds += seconds_since(begun);
  }
  round.store(rounds + 1, std::memory_order_release);
  for (std::thread& thread : threads) thread.join();

  const std::uint64_t of_each = rounds * items_each;
  result.push.operations = senders * of_each;
  for (const double each : seconds) result.push.seconds += each;
  for (std::size_t who = 0; who < senders; ++who) {
    result.push.expected += of_each * stamped(who, 0) + of_each * (of_each - 1) / 2;
  }
  if (!in_order && keeps_order<Contestant>) result.fault = "what one thread pushed did not come in its order";
  return result;
}

}  // namespace pinion::waker::bench
