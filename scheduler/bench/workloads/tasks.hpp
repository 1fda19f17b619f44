// SPDX-License-Identifier: Apache-2.0
//
// Tasks of the executor: spawned, joined and yielding.
//
//   measured m = measure_spawns<meter>(1'000, 10);   // batches of 1,000, ten times
//
// An operation of the first is one task: its coroutine made, spawned, run, joined and destroyed. The batch
// before the first is not measured, so frames are there. An operation of the second is one yield of one of so
// many tasks. The checksum is the sum of what tasks gave.
#pragma once

#include <bench/program/program.hpp>
#include <cstddef>
#include <cstdint>
#include <pinion/scheduler.hpp>
#include <vector>

namespace pinion::scheduler::bench::inline PINION_MODE {

inline scheduler::task<std::uint64_t> gives(std::uint64_t value) { co_return value; }

inline scheduler::task<std::uint64_t> spawns_and_joins(std::size_t batch) {
  std::vector<scheduler::join_handle<std::uint64_t>> handles;
  handles.reserve(batch);
  for (std::size_t k = 0; k < batch; ++k) handles.push_back(scheduler::spawn(gives(k)));
  std::uint64_t sum = 0;
  for (auto& each : handles) sum += co_await each;
  co_return sum;
}

template <class Meter>
scheduler::task<pinion::bench::measured> measured_spawns(std::size_t batch, std::size_t batches) {
  pinion::bench::measured result{.operations = batch * batches,
                                 .expected = batches * (batch * (batch - 1) / 2)};
  static_cast<void>(co_await spawns_and_joins(batch));
  const Meter meter;
  for (std::size_t k = 0; k < batches; ++k) result.checksum += co_await spawns_and_joins(batch);
  result.seconds = meter.seconds();
  co_return result;
}

/// On an executor of its own.
template <class Meter>
pinion::bench::measured measure_spawns(std::size_t batch, std::size_t batches) {
  scheduler::executor loop;
  return loop.run(measured_spawns<Meter>(batch, batches));
}

inline scheduler::task<std::uint64_t> yields(std::size_t times) {
  for (std::size_t k = 0; k < times; ++k) co_await scheduler::yield();
  co_return times;
}

template <class Meter>
scheduler::task<pinion::bench::measured> measured_yields(std::size_t tasks, std::size_t times) {
  pinion::bench::measured result{.operations = tasks * times, .expected = tasks * times};
  std::vector<scheduler::join_handle<std::uint64_t>> handles;
  handles.reserve(tasks);
  for (std::size_t k = 0; k < tasks; ++k) handles.push_back(scheduler::spawn(yields(times)));
  const Meter meter;
  for (auto& each : handles) result.checksum += co_await each;
  result.seconds = meter.seconds();
  co_return result;
}

/// On an executor of its own.
template <class Meter>
pinion::bench::measured measure_yields(std::size_t tasks, std::size_t times) {
  scheduler::executor loop;
  return loop.run(measured_yields<Meter>(tasks, times));
}

}  // namespace pinion::scheduler::bench::inline PINION_MODE
