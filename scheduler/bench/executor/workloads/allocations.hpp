// SPDX-License-Identifier: Apache-2.0
//
// How often memory is asked for, of operator new or of aligned_alloc(), for a task that is spawned, run and
// joined.
//
//   outcome o = measure_allocations<by_executor<executor>>(1'000, 10);
#pragma once

#include <bench/program/program.hpp>
#include <cstddef>
#include <pinion/config.hpp>

#include "../../workloads/tasks.hpp"

namespace pinion::scheduler::bench::inline PINION_MODE {

/// Of the calling thread, so far: a counter of the thread's, so that counting changes nothing that is timed.
[[nodiscard]] std::size_t allocations_here() noexcept;

/// Stands where a workload has its stopwatch; its "seconds" are allocations.
class allocation_meter {
 public:
  [[nodiscard]] double seconds() const noexcept { return static_cast<double>(allocations_here() - begin_); }

 private:
  std::size_t begin_ = allocations_here();
};

/// Allocations a task.
inline pinion::bench::outcome shown_allocations(const pinion::bench::measured& work) {
  return {1e-3,
          work.checksum,
          work.expected,
          {{"allocations_count", work.seconds / static_cast<double>(work.operations)}}};
}

template <class Runtime>
pinion::bench::outcome measure_allocations(std::size_t batch, std::size_t batches) {
  return shown_allocations(measure_spawns<Runtime, allocation_meter>(batch, batches));
}

}  // namespace pinion::scheduler::bench::inline PINION_MODE
