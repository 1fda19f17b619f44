// SPDX-License-Identifier: Apache-2.0
#include <pinion/base/kernel.hpp>
#include <pinion/base/sync.hpp>
#include <thread>
#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#endif

namespace pinion {

void std_sync::yield() noexcept { std::this_thread::yield(); }

void std_sync::event::wait() noexcept {
  while (!try_wait()) {
    std::uint32_t expected = unset;
    // The order is of no account: what is waited for is acquired by try_wait().
    if (state_.compare_exchange_strong(expected, waited_for, std::memory_order_relaxed,
                                       std::memory_order_relaxed) ||
        expected == waited_for) {
      futex_wait(state_, waited_for);
    }
  }
}

#if defined(__linux__)

// The operation is private to the process, and its time absolute on the monotonic clock: so does
// FUTEX_WAIT_BITSET take it.
void std_sync::futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                          instant until) noexcept {
  const auto deadline = kernel_time::of(until).as<timespec>();
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, expected, until == never ? nullptr : &deadline,
          nullptr, FUTEX_BITSET_MATCH_ANY);
}

void std_sync::futex_wake(const std::atomic<std::uint32_t>& word, std::uint32_t count) noexcept {
  constexpr std::uint32_t count_max = 0x7fffffff;  // the kernel takes an int
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count < count_max ? count : count_max, nullptr, nullptr, 0);
}

#else

void std_sync::futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected, instant) noexcept {
  if (word.load(std::memory_order_relaxed) == expected) yield();
}

void std_sync::futex_wake(const std::atomic<std::uint32_t>&, std::uint32_t) noexcept {}

#endif

}  // namespace pinion
