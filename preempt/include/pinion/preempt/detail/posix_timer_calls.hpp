// SPDX-License-Identifier: Apache-2.0
//
// posix_timer_calls: what a posix_timer_source asks the operating system for, apart, so that tests can have
// it fail and keep the time.
//
// A stand-in is a class with the same static functions; basic_posix_timer_source<it> is the shipped source
// over it.
//
//   struct full_queue : posix_timer_calls {
//     static int open(int, timer_id&) noexcept { return -EAGAIN; }
//   };
//   basic_posix_timer_source<full_queue> source;      // throws, and says which limit, and how to raise it
#pragma once

#include <cstdint>
#include <pinion/base/export.hpp>
#include <pinion/base/time.hpp>

namespace pinion::preempt {

/// Signals, from the first to the last.
struct signal_range {
  int first = 0;
  int last = 0;
};

/// The operating system's. Errors are negative.
struct PINION_EXPORT posix_timer_calls {
  /// A timer of this process; timer_t.
  using timer_id = void*;
  /// Called with the signal, on the thread that it was sent to.
  using signal_handler = void (*)(int signal);

  /// Those that are queued, and free for programs: the real-time ones.
  static signal_range signals() noexcept;
  /// Whether nobody in this process has said what that signal does.
  static bool is_free(int signal) noexcept;
  /// From here on it calls that; 0.
  static int handle(int signal, signal_handler handler) noexcept;
  /// No more: what is pending of it anywhere in this process is dropped, and it is free again. Nothing, if
  /// another handler was set since.
  static void unhandle(int signal, signal_handler handler) noexcept;
  /// Whether it is blocked in this thread; and makes it so.
  static bool is_blocked(int signal) noexcept;
  static void set_blocked(int signal, bool blocked) noexcept;

  /// This thread, and no other that lives. In a child of fork() it is the one that forked.
  static std::uintptr_t thread() noexcept;
  /// From here on, around each fork(); 0.
  static int at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept;

  /// A timer of the monotonic clock that sends that signal to this thread; 0.
  static int open(int signal, timer_id& timer) noexcept;
  /// It signals once, then, or at once if that has been; not when it was armed for before. 0. Also from a
  /// handler.
  static int arm(timer_id timer, instant at) noexcept;
  static void close(timer_id timer) noexcept;
  /// The time that timers are armed by. Also from a handler.
  static instant now() noexcept { return monotonic_clock::now(); }
};

}  // namespace pinion::preempt
