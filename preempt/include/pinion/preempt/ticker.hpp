// SPDX-License-Identifier: Apache-2.0
//
// ticker: a thread that ends slices, one for all executors of a process.
//
// The thread sleeps until the first end of all slices, and no longer than slices have lasted lately, so it
// wakes about twice for each slice whose end comes; and while no slice has an end, until one has: no timer
// runs then. An owner that begins a slice makes a system call only if the thread would sleep too long for
// that slice: for the first after a time in which no slice needed the thread, and for one that is shorter
// than the last 64 to 128.
//
//   ticker_source source;                     // by ticker::shared(), which is made at first use
//   ticker mine{{.resolution = ceil(50us)}};  // outlives its sources; for slices under 200 us
//   ticker_source finer{mine};
//
// What it costs: those wakes of the thread, some microseconds of another core each, if there is one. Where
// there is none (one core in all) the thread has to push aside the task that runs: the kernel does, a slice
// of its own later.
//
// Stalls. Hooks are called on a second thread, which exists from the first source on that watches for stalls,
// one hook at a time, and never while a lock is held. So a hook may block, allocate, and make or end sources,
// its own too. While one hook blocks, slices end as ever; the other hooks wait, and of the stalls of one
// source that wait the latest is told of. A source that is ended on another thread waits until its hook has
// returned: such a hook must not wait for the thread that ends its source. A hook may fork() a child that
// execs or calls _exit(). A hook may not end the ticker itself.
//
// In a child of fork() neither thread is there; they are made again when the next slice with an end begins. A
// stall that the parent saw is told of in the parent alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <pinion/base/export.hpp>
#include <pinion/base/time.hpp>
#include <pinion/preempt/detail/tick_board.hpp>
#include <pinion/preempt/detail/tick_gate.hpp>
#include <pinion/preempt/stall_watch.hpp>

namespace pinion::preempt {

/// How a ticker is made.
struct ticker_options {
  /// No slice that is to last so long is over late, but for what the machine takes to wake a thread; 10 us to
  /// 1 s. While slices are as short, the thread wakes as often.
  duration resolution{200'000};
};

/// The thread, and the slices that it looks after.
class PINION_EXPORT ticker {
 public:
  /// What it looks after.
  using slice_type = ticked_slice;

  /// Starts when the first slice has an end. Throws a refusal (std::system_error, invalid_argument) for a
  /// resolution out of range.
  explicit ticker(const ticker_options& options = {});
  ticker(const ticker&) = delete;
  ticker& operator=(const ticker&) = delete;
  /// Ends its threads. No source of this one may be left. Not from a stall's hook.
  ~ticker();

  /// The process's own, made at first use and never destroyed.
  [[nodiscard]] static ticker& shared();

  /// Looks after that slice from here on; any thread. Throws a refusal (std::system_error) where there can be
  /// no thread.
  void add(ticked_slice& slice, stall_watch watch = {});
  /// Watches it so from here on; any thread. Returns when the hook that it had, if that runs, has returned;
  /// from the hook itself at once. With a hook it throws as add(), and then nothing has changed.
  void watch(ticked_slice& slice, stall_watch watch);
  /// No more; any thread. Returns when no thread of the ticker looks at it, and its hook, if that runs, has
  /// returned. From the hook itself it returns at once.
  void remove(ticked_slice& slice) noexcept;
  /// The slice's owner, each time that it has begun one with that end. `is_told`: what
  /// basic_ticked_slice::begin() said.
  void began(bool is_told, instant end) noexcept {
    // Relaxed: set at a fork, by the one thread that there is then.
    if (is_lost_.load(std::memory_order_relaxed)) [[unlikely]]
      start_again();
    if (is_told) gate_.opened(end);
  }

  /// What it was made with.
  [[nodiscard]] const ticker_options& options() const noexcept { return options_; }
  /// How often its thread has woken.
  [[nodiscard]] std::uint64_t wakes() const noexcept { return wakes_.load(std::memory_order_relaxed); }

 private:
  struct guarded;  // what its threads and registration share
  struct family;   // all tickers of the process
  static family& everyone();
  static void before_fork() noexcept;
  static void after_fork_in_parent() noexcept;
  static void after_fork_in_child() noexcept;
  void start(bool is_watched);
  void wait_for_hook(std::unique_lock<std::mutex>& lock, const ticked_slice& slice) noexcept;
  void start_again() noexcept;
  void run() noexcept;
  void tell() noexcept;

  ticker_options options_;
  basic_tick_gate<std_sync> gate_;
  std::atomic<bool> is_lost_{false};     // the thread: it was left behind by a fork
  std::atomic<std::uint64_t> wakes_{0};  // written by the thread alone
  std::unique_ptr<guarded> guarded_;
};

}  // namespace pinion::preempt
