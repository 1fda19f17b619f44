// SPDX-License-Identifier: Apache-2.0
//
// Values from one task to another of the same thread, through a channel with room for 64.
//
//   const measured m = measure_values(1'000'000);
//
// An operation is one value: sent and received. The checksum is the sum of what was received.
#pragma once

#include <bench/program/clock.hpp>
#include <bench/program/program.hpp>
#include <cstddef>
#include <cstdint>
#include <pinion/scheduler.hpp>
#include <utility>

#include "../../workloads/tasks.hpp"

namespace pinion::scheduler::bench::inline PINION_MODE {

inline constexpr std::size_t room = 64;
using channel_of_values = channel<std::uint64_t, room>;

inline scheduler::task<> sends(channel_of_values& to, std::size_t values) {
  for (std::uint64_t k = 0; k < values; ++k) {
    std::uint64_t value = k;
    const auto sent = co_await to.send(std::move(value));
    if (!sent) co_return;
  }
  to.close();
}

inline scheduler::task<pinion::bench::measured> receives(std::size_t values) {
  pinion::bench::measured result{.operations = values, .expected = sum_of_numbers(values)};
  channel_of_values from;
  const pinion::bench::stopwatch watch;
  auto sender = spawn(sends(from, values));
  while (const auto value = co_await from.receive()) result.checksum += *value;
  co_await sender;
  result.seconds = watch.seconds();
  co_return result;
}

inline pinion::bench::measured measure_values(std::size_t values) {
  scheduler::executor loop;
  return loop.run(receives(values));
}

}  // namespace pinion::scheduler::bench::inline PINION_MODE
