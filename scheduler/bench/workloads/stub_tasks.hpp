// SPDX-License-Identifier: Apache-2.0
//
// stub_tasks: in a task runner's place: always ready, or as often as it was told. Running takes next to
// nothing, and is counted.
#pragma once

#include <cstdint>

namespace pinion::scheduler::bench {

struct stub_tasks {
  bool is_ready = false;    ///< always
  std::uint64_t to_do = 0;  ///< else so often
  std::uint64_t runs = 0;

  [[nodiscard]] bool has_ready() const noexcept { return is_ready || to_do != 0; }
  void run() noexcept {
    ++runs;
    if (to_do != 0) --to_do;
    asm volatile("" : : "r"(this) : "memory");  // a call that the optimiser can't look through
  }
};

}  // namespace pinion::scheduler::bench
