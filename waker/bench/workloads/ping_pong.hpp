// SPDX-License-Identifier: Apache-2.0
//
// Two owners that send one item to and fro, each on a thread of its own, and park as they do while it is
// away.
//
//   conversation m = measure_ping_pong<contestant>(20'000);
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "wakes.hpp"

namespace pinion::waker::bench {

/// What two owners did together.
struct conversation {
  double wall_seconds = 0;
  double cpu_seconds = 0;  ///< of both
  std::size_t operations = 0;
  std::uint64_t checksum = 0;
  std::uint64_t expected = 0;

  [[nodiscard]] double wall_ns_each() const noexcept {
    return wall_seconds * 1e9 / static_cast<double>(operations);
  }
  [[nodiscard]] double cpu_ns_each() const noexcept {
    return cpu_seconds * 1e9 / static_cast<double>(operations);
  }
};

/// Each owner writes into the item, in turn, what only this order of writers gives.
inline std::uint64_t hit(std::uint64_t payload, std::uint64_t owner) noexcept {
  return (payload ^ owner) * 0x9e37'79b9'7f4a'7c15 + 1;
}

/// An operation is a way there and back.
template <class Contestant>
conversation measure_ping_pong(std::size_t rounds) {
  using item = typename Contestant::item;
  Contestant here{1};
  Contestant there{1};
  item ball;

  // Plays until it has had the ball `rounds` times. Who serves keeps it then.
  const auto play = [&](Contestant& mine, Contestant& other, std::uint64_t owner, bool serves) {
    const on_core place{owner};
    const stopwatch watch;
    typename Contestant::sender sender{other};
    std::size_t had = 0;
    const auto run = [&](item& each) {
      each.payload = hit(each.payload, owner);
      if (++had < rounds || !serves) sender.push(each);
    };
    if (serves) sender.push(ball);
    while (had < rounds) {
      if (mine.drain(run) == 0) mine.park(run);
    }
    return watch.seconds();
  };
  conversation result{.operations = rounds};
  double cpu_there = 0;
  std::thread second{[&] { cpu_there = play(there, here, 2, false); }};
  const auto begun = std::chrono::steady_clock::now();
  const double cpu_here = play(here, there, 1, true);
  result.wall_seconds = seconds_since(begun);
  second.join();

  result.cpu_seconds = cpu_here + cpu_there;
  result.checksum = ball.payload;
  for (std::size_t k = 0; k < rounds; ++k) result.expected = hit(hit(result.expected, 2), 1);
  return result;
}

}  // namespace pinion::waker::bench
