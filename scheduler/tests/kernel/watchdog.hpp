// SPDX-License-Identifier: Apache-2.0
//
// watchdog: ends a program that makes no progress, and says where it stood. What hangs in the kernel can't be
// told from inside, so this is a thread of its own.
//
//   watchdog watched{20s, [] { return "in law C6 of " + name; }};
//   for (…) { work(); watched.progress(); }
//
// Memory ordering: relaxed; the count is only compared with what it was.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace pinion::scheduler::testing {

class watchdog {
 public:
  /// Aborts when nothing went on for so long, with what `state` says then, on a thread of its own.
  watchdog(std::chrono::seconds patience, std::function<std::string()> state);
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;
  ~watchdog();

  /// Something went on. Any thread.
  void progress() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }

 private:
  void watch();

  std::chrono::seconds patience_;
  std::function<std::string()> state_;
  std::atomic<std::uint64_t> count_{0};
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace pinion::scheduler::testing
