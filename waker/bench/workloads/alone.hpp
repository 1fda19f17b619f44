// SPDX-License-Identifier: Apache-2.0
//
// One thread that is sender and owner: what the instructions of a wake cost where no other core is in the
// way.
//
//   measured m = measure_batch<contestant>(16, 10'000);   // batches of sixteen: pushed, then drained
#pragma once

#include <cstddef>
#include <cstdint>

#include "wakes.hpp"

namespace pinion::waker::bench {

/// `rounds` times n items are pushed and drained. An operation is one item.
template <class Contestant, class Meter = stopwatch>
measured measure_batch(std::size_t n, std::size_t rounds) {
  Contestant contestant{n};
  typename Contestant::sender sender{contestant};
  auto items = make_items(contestant, n);
  measured result{.operations = n * rounds};
  const auto receive = [&](auto& each) { result.checksum += each.payload; };

  const Meter watch;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (auto& each : items) {
      each.payload = each.number + round;
      sender.push(each);
    }
    for (std::size_t received = 0; received < n;) received += contestant.drain(receive);
  }
  result.seconds = watch.seconds();

  result.expected = rounds * (n * (n - 1) / 2) + n * (rounds * (rounds - 1) / 2);
  return result;
}

struct push_and_drain {
  measured push;
  measured drain;
};

/// The halves of one such batch, each by a meter of its own.
template <class Contestant, class Meter>
push_and_drain measure_push_and_drain(std::size_t n) {
  Contestant contestant{n};
  typename Contestant::sender sender{contestant};
  auto items = make_items(contestant, n);
  push_and_drain result{{.operations = n}, {.operations = n}};
  const auto receive = [&](auto& each) { result.drain.checksum += each.number; };

  const Meter pushing;
  for (auto& each : items) sender.push(each);
  result.push.seconds = pushing.seconds();

  std::size_t received = 0;
  const Meter draining;
  received = contestant.drain(receive);
  result.drain.seconds = draining.seconds();

  result.drain.expected = n * (n - 1) / 2;
  result.push.checksum = received;
  result.push.expected = n;
  return result;
}

/// `wakes` times one of n items is pushed that are all queued. An operation is one such wake. Right is that
/// the owner is handed each item once, whatever the number of wakes.
template <class Contestant, class Meter = stopwatch>
measured measure_queued_again(std::size_t n, std::size_t wakes) {
  Contestant contestant{n};
  typename Contestant::sender sender{contestant};
  auto items = make_items(contestant, n);
  for (auto& each : items) sender.push(each);
  measured result{.operations = wakes};

  const Meter watch;
  for (std::size_t k = 0; k < wakes; ++k) sender.push(items[k % n]);
  result.seconds = watch.seconds();

  contestant.drain([&](auto& each) { result.checksum += each.number + 1; });
  result.expected = n * (n + 1) / 2;
  return result;
}

/// `rounds` times an owner with nothing to do arms and takes it back. A contestant that has try_arm() and
/// disarm().
template <class Contestant, class Meter = stopwatch>
measured measure_arming(std::size_t rounds) {
  Contestant contestant{1};
  measured result{.operations = rounds, .expected = 2 * rounds};

  const Meter watch;
  for (std::size_t k = 0; k < rounds; ++k) {
    result.checksum += contestant.try_arm() ? 1U : 0U;
    result.checksum += contestant.disarm() ? 1U : 0U;
  }
  result.seconds = watch.seconds();
  return result;
}

}  // namespace pinion::waker::bench
