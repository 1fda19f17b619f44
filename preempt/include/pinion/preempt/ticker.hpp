// SPDX-License-Identifier: Apache-2.0
//
// ticker: a thread that ends slices, one for all executors of a process.
//
// It sleeps until the first end of all slices, or for `resolution`, whichever is first; and while no slice has an end, until one has: no
// timer runs then. An owner who begins a slice makes a system call only if the thread sleeps so: the first after a time in which
// nobody needed it.
//
//   ticker_source source;                            // by ticker::shared(), which is made at first use
//   ticker mine{{.resolution = ceil(50us)}};         // or by one of your own, which outlives its sources
//   ticker_source finer{mine};
//
// What it costs: a wake of the thread each `resolution` while some slice has an end, a few microseconds of another core, if there is
// one. Where there is none (one core in all) the thread has to push aside the task that runs: the kernel does, a slice of its own later.
//
// In a child of fork() the thread isn't there; it is made again when a slice needs it next.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <pinion/base/sync.hpp>
#include <pinion/base/time.hpp>
#include <pinion/preempt/tick_board.hpp>

namespace pinion::preempt {

/// Where the thread sleeps while no slice has an end, and how an owner finds out.
template <sync_traits Sync>
class basic_tick_gate {
 public:
  basic_tick_gate() { Sync::name(state_, "gate"); }

  /// An owner whose slice had no end has begun one that has: wakes the thread if it sleeps for want of any. Otherwise a fence and a load.
  void opened() noexcept {
    Sync::fence(
        std::
            memory_order_seq_cst);  // tick_board: the end was stored before this, and is_quiet() read after the other's
    if (state_.load(std::memory_order_relaxed) == asleep) call();
  }
  /// Wakes the thread, whatever it waits for.
  void call() noexcept {
    // Relaxed: the ends are ordered by the fences, and what the thread waits for besides by its lock.
    if (state_.exchange(called, std::memory_order_relaxed) != called) Sync::futex_wake(state_, 1);
  }

  /// The thread: waits until then, or a call. With `never`, unless `is_quiet()` is false once it has said that it sleeps.
  template <class IsQuiet>
  void wait(instant until, IsQuiet is_quiet) noexcept {
    const std::uint32_t how = until == never ? asleep : awake;
    std::uint32_t was = awake;
    // Relaxed, as in call(): a call that came since the last wait is taken here.
    if (state_.compare_exchange_strong(was, how, std::memory_order_relaxed, std::memory_order_relaxed)) {
      if (how == asleep) Sync::fence(std::memory_order_seq_cst);
      if (how == awake || is_quiet()) Sync::futex_wait(state_, how, until);
    }
    state_.store(awake, std::memory_order_relaxed);
  }

 private:
  static constexpr std::uint32_t awake = 0;
  static constexpr std::uint32_t asleep = 1;
  static constexpr std::uint32_t called = 2;
  typename Sync::template atomic<std::uint32_t> state_{awake};
};

/// How a ticker is made.
struct ticker_options {
  /// No slice that is to last so long is over late, but for what the machine takes to wake a thread; 10 us to 1 s.
  duration resolution{200'000};
};

/// The thread, and the slices that it looks after.
class ticker {
 public:
  /// Starts when the first slice has an end. Throws std::invalid_argument for a resolution out of range.
  explicit ticker(const ticker_options& options = {});
  ticker(const ticker&) = delete;
  ticker& operator=(const ticker&) = delete;
  /// Ends the thread. No source of this one may be left.
  ~ticker();

  /// The process's own, made at first use and never destroyed.
  [[nodiscard]] static ticker& shared();

  /// Looks after that slice from here on; any thread. Throws std::system_error where there can be no thread.
  void add(ticked_slice& slice, stall_watch watch = {});
  /// No more. Returns when the thread looks at it no longer. Not from a stall's hook.
  void remove(ticked_slice& slice) noexcept;
  /// The slice's owner: it had no end, and has one now.
  void began() noexcept {
    if (is_forked()) [[unlikely]]
      start_again();
    gate_.opened();
  }

  /// What it was made with.
  [[nodiscard]] const ticker_options& options() const noexcept { return options_; }
  /// How often its thread has woken.
  [[nodiscard]] std::uint64_t wakes() const noexcept { return wakes_.load(std::memory_order_relaxed); }

 private:
  static std::atomic<std::uint32_t>& forks() noexcept;
  // Whether this process was forked since the thread was made. Relaxed: a fork happens in a thread that goes on.
  [[nodiscard]] bool is_forked() const noexcept {
    return forks_seen_.load(std::memory_order_relaxed) != forks().load(std::memory_order_relaxed);
  }
  void start();
  void start_again() noexcept;
  void run() noexcept;

  ticker_options options_;
  basic_tick_gate<std_sync> gate_;
  std::atomic<std::uint32_t>
      forks_seen_;  // how many forks this process is from the first, when the thread was made
  std::atomic<std::uint64_t> wakes_{0};  // written by the thread alone
  struct guarded;                        // what the thread and registration share
  std::unique_ptr<guarded> guarded_;
};

}  // namespace pinion::preempt
