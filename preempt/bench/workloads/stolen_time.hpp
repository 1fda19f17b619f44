// SPDX-License-Identifier: Apache-2.0
//
// stolen_time: for how long others on the machine below had the cores of this one. Lateness is wall time, and
// holds what was stolen.
//
//   const stolen_time stolen;
//   …
//   stolen.ns();     // of all cores, since; in steps of 10 ms
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdio>

namespace pinion::preempt::bench {

class stolen_time {
 public:
  [[nodiscard]] double ns() const noexcept {
    return static_cast<double>(so_far() - begin_) * 1e9 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }

 private:
  /// In the kernel's ticks; 0 where it doesn't say.
  static std::uint64_t so_far() noexcept {
    unsigned long long stolen = 0;
    if (std::FILE* const file = std::fopen("/proc/stat", "re")) {
      // user, nice, system, idle, iowait, irq, softirq; then it.
      if (std::fscanf(file, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &stolen) != 1) stolen = 0;
      std::fclose(file);
    }
    return stolen;
  }
  std::uint64_t begin_ = so_far();
};

}  // namespace pinion::preempt::bench
