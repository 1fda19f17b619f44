// SPDX-License-Identifier: Apache-2.0
#include "enters.hpp"

#include <sys/syscall.h>

#include <cstdint>
#include <pinion/config.hpp>

namespace {
constinit thread_local std::uint64_t count = 0;
}  // namespace

namespace pinion::scheduler::bench::inline PINION_MODE {
std::uint64_t enters_here() noexcept { return count; }
}  // namespace pinion::scheduler::bench::inline PINION_MODE

// The linker leads the program's calls of syscall() here. That function takes what is in the registers of six
// arguments, however many were given; so does this one.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" long __real_syscall(long number, ...);
extern "C" long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f) {
  if (number == SYS_io_uring_enter) ++count;
  return __real_syscall(number, a, b, c, d, e, f);
}
// NOLINTEND(bugprone-reserved-identifier)
