// SPDX-License-Identifier: Apache-2.0
//
// Tasks of a runtime: spawned, joined and yielding. executor/runtimes.hpp says what a runtime has.
//
//   measured m = measure_spawns<by_executor<executor>, stopwatch>(1'000, 10);  // batches of 1,000, ten times
//
// An operation of the first is one task: its coroutine made, spawned, run, joined and destroyed. The batch
// before the first is not measured, so frames are there. An operation of the second is one yield of one of so
// many tasks. The checksum is the sum of what tasks gave.
#pragma once

#include <bench/program/program.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <pinion/config.hpp>
#include <utility>
#include <vector>

namespace pinion::scheduler::bench::inline PINION_MODE {

template <class Runtime, class T>
using task_of = typename Runtime::template task<T>;
template <class Runtime, class T>
using handle_of = decltype(Runtime::spawn(std::declval<task_of<Runtime, T>>()));

/// What so many tasks give that give their numbers, from 0 on.
constexpr std::uint64_t sum_of_numbers(std::size_t tasks) noexcept {
  return std::uint64_t{tasks} * (tasks - 1) / 2;
}

template <class Runtime>
task_of<Runtime, std::uint64_t> gives(std::uint64_t value) {
  co_return value;
}

/// The meter lives from the end of the first batch on, which is not measured.
template <class Runtime, class Meter>
task_of<Runtime, pinion::bench::measured> measured_spawns(std::size_t batch, std::size_t batches) {
  pinion::bench::measured result{.operations = batch * batches,
                                 .expected = (batches + 1) * sum_of_numbers(batch)};
  std::vector<handle_of<Runtime, std::uint64_t>> handles;
  handles.reserve(batch);
  std::optional<Meter> meter;
  for (std::size_t left = batches + 1; left != 0; --left) {
    if (left == batches) meter.emplace();
    for (std::size_t k = 0; k < batch; ++k) handles.push_back(Runtime::spawn(gives<Runtime>(k)));
    for (auto& each : handles) result.checksum += co_await each;
    handles.clear();
  }
  result.seconds = meter->seconds();
  co_return result;
}

template <class Runtime, class Meter>
pinion::bench::measured measure_spawns(std::size_t batch, std::size_t batches) {
  return Runtime::run(measured_spawns<Runtime, Meter>(batch, batches));
}

template <class Runtime>
task_of<Runtime, std::uint64_t> yields(std::size_t times) {
  for (std::size_t k = 0; k < times; ++k) co_await Runtime::yield();
  co_return times;
}

template <class Runtime, class Meter>
task_of<Runtime, pinion::bench::measured> measured_yields(std::size_t tasks, std::size_t times) {
  pinion::bench::measured result{.operations = tasks * times, .expected = tasks * times};
  std::vector<handle_of<Runtime, std::uint64_t>> handles;
  handles.reserve(tasks);
  for (std::size_t k = 0; k < tasks; ++k) handles.push_back(Runtime::spawn(yields<Runtime>(times)));
  const Meter meter;
  for (auto& each : handles) result.checksum += co_await each;
  result.seconds = meter.seconds();
  co_return result;
}

template <class Runtime, class Meter>
pinion::bench::measured measure_yields(std::size_t tasks, std::size_t times) {
  return Runtime::run(measured_yields<Runtime, Meter>(tasks, times));
}

}  // namespace pinion::scheduler::bench::inline PINION_MODE
