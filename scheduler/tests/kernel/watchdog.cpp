// SPDX-License-Identifier: Apache-2.0
#include "watchdog.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace pinion::scheduler::testing {

watchdog::watchdog(std::chrono::seconds patience, std::function<std::string()> state)
    : patience_(patience), state_(std::move(state)), thread_([this] { watch(); }) {}

watchdog::~watchdog() {
  {
    const std::lock_guard lock{mutex_};
    is_over_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void watchdog::watch() {
  std::unique_lock lock{mutex_};
  std::uint64_t seen = count_.load(std::memory_order_relaxed);
  while (!ended_.wait_for(lock, patience_, [this] { return is_over_; })) {
    const std::uint64_t now = count_.load(std::memory_order_relaxed);
    if (now == seen) {
      std::fprintf(stderr, "nothing went on for %lld s:\n%s\n", static_cast<long long>(patience_.count()),
                   state_().c_str());
      std::abort();
    }
    seen = now;
  }
}

}  // namespace pinion::scheduler::testing
