// SPDX-License-Identifier: Apache-2.0
//
// sleeper: whether a thread of this process sleeps in the kernel, and how many system calls another one made
// to wake it.
//
//   const sleeper owner{gettid()};
//   wait_until("the owner's sleep", [&] { return owner.is_asleep(); });
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <pinion/base/sync.hpp>
#include <pinion/waker/futex_notifier.hpp>
#include <string>

#include "wakes.hpp"

namespace pinion::waker::bench {

class sleeper {
 public:
  explicit sleeper(int thread)
      : state_(
            ::open(("/proc/self/task/" + std::to_string(thread) + "/stat").c_str(), O_RDONLY | O_CLOEXEC)) {
    if (state_ < 0) give_up("/proc/self/task to be readable");
  }
  sleeper(const sleeper&) = delete;
  sleeper& operator=(const sleeper&) = delete;
  ~sleeper() { ::close(state_); }

  /// Waits in the kernel, until somebody wakes it.
  [[nodiscard]] bool is_asleep() const {
    std::array<char, 64> line{};
    if (::pread(state_, line.data(), line.size() - 1, 0) <= 0) return false;
    // "1234 (name) S …": the name is this program's, and holds no parenthesis.
    const char* const name_end = std::strchr(line.data(), ')');
    return name_end != nullptr && name_end[1] == ' ' && name_end[2] == 'S';
  }

 private:
  int state_;
};

/// System calls that wake and that the kernel does not count as writes. One counter for the program: only one
/// thread of a benchmark makes them while somebody counts. Memory ordering: relaxed; it is read by that
/// thread.
inline std::atomic<std::uint64_t> counted_signals{0};

/// std_sync that counts the system calls which wake.
struct counting_sync : std_sync {
  static void futex_wake(const atomic<std::uint32_t>& word, std::uint32_t most) noexcept {
    counted_signals.fetch_add(1, std::memory_order_relaxed);
    std_sync::futex_wake(word, most);
  }
};

/// futex_notifier, with its system calls counted.
using counted_futex_notifier = basic_futex_notifier<counting_sync>;

/// How many system calls this thread has made that write, by the kernel's own count, and what was counted
/// here.
inline std::uint64_t signals_so_far() {
  std::ifstream counters{"/proc/thread-self/io"};
  for (std::string line; std::getline(counters, line);) {
    if (line.starts_with("syscw: ")) {
      return std::stoull(line.substr(7)) + counted_signals.load(std::memory_order_relaxed);
    }
  }
  give_up("/proc/thread-self/io to tell the number of writes");
}

/// Stands where a workload has its stopwatch; its "seconds" are signals.
class signal_meter {
 public:
  [[nodiscard]] double seconds() const { return static_cast<double>(signals_so_far() - begin_); }

 private:
  std::uint64_t begin_ = signals_so_far();
};

}  // namespace pinion::waker::bench
