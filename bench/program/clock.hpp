// SPDX-License-Identifier: Apache-2.0
//
// The clocks that benchmarks read.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>

namespace pinion::bench {

/// CPU time by a clock of the kernel's.
template <clockid_t Clock>
class cpu_stopwatch {
 public:
  [[nodiscard]] double seconds() const noexcept { return now() - begin_; }

 private:
  static double now() noexcept {
    timespec t{};
    clock_gettime(Clock, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
  }
  double begin_ = now();
};

/// CPU time of this thread: what a busy neighbour on the machine changes least.
using stopwatch = cpu_stopwatch<CLOCK_THREAD_CPUTIME_ID>;

/// The same of all threads of this program, the kernel's that work for it among them: for work that others
/// may do.
using process_stopwatch = cpu_stopwatch<CLOCK_PROCESS_CPUTIME_ID>;

/// Wall time.
class wall_stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Wall time in the machine's own ticks, for stretches too short for a system call on each side.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// The same, after all that stands before it and before all that stands behind it.
inline std::uint64_t ticks_in_order() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_lfence();
  const std::uint64_t now = ticks();
  __builtin_ia32_lfence();
  return now;
#else
  return ticks();
#endif
}

/// Nanoseconds a tick, measured once over 20 ms.
inline double ns_per_tick() {
  static const double ratio = [] {
    const auto begin = std::chrono::steady_clock::now();
    const std::uint64_t first = ticks();
    while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds{20}) {
    }
    const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - begin;
    return passed.count() / static_cast<double>(ticks() - first);
  }();
  return ratio;
}

}  // namespace pinion::bench
