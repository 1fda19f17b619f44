// SPDX-License-Identifier: Apache-2.0
//
// posix_timer_source: slices that a signal to their own thread ends: exact where the ticker's thread finds no
// core to run on.
//
//   // on the thread that runs slices
//   posix_timer_source source{{.stalls = {.after = ceil(25ms), .hook = {.function = write_stack}}}};
//   source.begin(now, now + quantum);  // two stores; a system call where no timer is armed
//   const bool is_over = source.word().is_due();
//   source.rest();                     // two stores
//
// How it works. A POSIX timer of the thread's own (CLOCK_MONOTONIC, SIGEV_THREAD_ID) is armed for the first
// end that it was told, and left alone while slices begin that end later. The handler looks at the end that
// is meant by then: if that end has been, the word is due; if not, the handler arms the timer for that end;
// if there is none, the timer stays unarmed. So slices that end early cost no system call each, but one
// signal for each time that the timer was armed for. After rest() at most one signal comes.
//
// A signal is a hint to look at the clock, and no more: one too many, late, or forged ends no slice
// (thread_signal.hpp).
//
// What a signal can't do, and what it costs, which is why it is never the default:
//   It suspends nothing. A coroutine goes on until it awaits; the handler sets the word that its checks look
//     at.
//   It interrupts. Waits that SA_RESTART doesn't begin again (epoll_wait, io_uring_enter, nanosleep, poll, …)
//     return EINTR; code that doesn't expect that breaks. Parked threads get no signal, but for the one after
//     rest().
//   It comes not while it is blocked: a slice in which a library blocks all signals is over when that lets
//     go.
//   Each is some microseconds of the thread's: into the kernel, out through the handler, with the whole state
//     of the core saved.
//   Debuggers stop at it, and a handler that the program sets over ours takes it away.
//
// The signal is a real-time one, found when the first source of the process is made: the highest whose
// disposition is the default, and which isn't blocked; a program that uses some by number names one that it
// doesn't. All sources share the signal. It is unblocked in the thread that makes a source, for as long as
// the source lives: threads of workers are often made with all signals blocked. With the last source the
// signal's disposition is the default again.
//
// A source belongs to the thread that makes it: its timer signals that thread. The source ends on that
// thread, too, or after that thread. In a child of fork() the source's timer isn't there; the source makes
// another when a slice begins next. A slice that ran at the fork has no end there.
//
// Memory ordering. The handler runs on the owner's thread, in the middle of anything that stands below, so
// all that counts is the order in which that thread's own writes are made: the end, then the word, then what
// the timer is armed for is read. Relaxed atomics and a signal fence say that to the compiler; the processor
// keeps it for its own thread anyway.
#pragma once

#include <atomic>
#include <cstdint>
#include <pinion/base/assert.hpp>
#include <pinion/base/export.hpp>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
#include <pinion/preempt/concept.hpp>
#include <pinion/preempt/detail/posix_timer_calls.hpp>
#include <pinion/preempt/detail/thread_signal.hpp>
#include <pinion/preempt/stall_watch.hpp>
#include <pinion/preempt/word.hpp>

namespace pinion::preempt {

/// How a posix_timer_source is made.
struct posix_timer_options {
  /// By which signal: SIGRTMIN to SIGRTMAX, where nobody has said what it does; 0: one is found.
  int signal = 0;
  /// Its hook is called in the handler, on the thread whose slice goes on: it may take that thread's stack.
  /// The hook may do what a handler of signals may (write(), atomics, memory of its own; backtrace(), if that
  /// was called once before), and nothing else: it allocates nothing, takes no lock, throws nothing and calls
  /// no source. `who` is the source.
  stall_watch stalls{};
};

namespace posix_timer_detail {
inline constexpr signal_user user{.name = "a posix_timer_source",
                                  .otherwise = "take a ticker_source, which needs none"};
PINION_EXPORT [[noreturn]] void throw_no_timer(int error);
PINION_EXPORT void complain_of_no_timer(int error) noexcept;
PINION_EXPORT void complain_of_arming(int error) noexcept;
}  // namespace posix_timer_detail

inline namespace PINION_MODE {

/// Over a timer of `Calls`.
template <class Calls = posix_timer_calls>
class basic_posix_timer_source {
 public:
  /// What it declares.
  static constexpr source_traits traits{.sees_stalls = true};

  /// Of this thread. Throws a refusal (std::system_error) where there can be no timer, where the signal isn't
  /// to be had, and where there are 1024.
  explicit basic_posix_timer_source(const posix_timer_options& options = {})
      : watch_(options.stalls), signal_(*this, posix_timer_detail::user, options.signal) {
    if (const int error = open(); error != 0) posix_timer_detail::throw_no_timer(-error);
  }
  basic_posix_timer_source(const basic_posix_timer_source&) = delete;
  basic_posix_timer_source& operator=(const basic_posix_timer_source&) = delete;
  /// On that thread, or when it is gone.
  ~basic_posix_timer_source() {
    // A signal from here on finds no end, and leaves the timer alone.
    end_.store(never.ns, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (has_timer()) Calls::close(timer_);
  }

  /// As preempt_source says. On the thread that made this.
  [[nodiscard]] const preempt::word& word() const noexcept { return word_; }
  void begin(instant now, instant until) noexcept {
    PINION_ASSERT(
        signal_.thread() == Calls::thread(),
        "a slice began on another thread than the one that made its posix_timer_source and is signalled: "
        "make the source where its slices run");
    end_.store(until.ns, std::memory_order_relaxed);
    word_.begin();
    if (until == never) return;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    // Before `now`: the signal is on its way still, since it is blocked; or somebody took it.
    const instant armed{armed_.load(std::memory_order_relaxed)};
    if (armed < now || until < armed) begin_to_wait(until);
  }
  void rest() noexcept { begin({}, never); }

  /// The signal by which it ends slices.
  [[nodiscard]] int signal() const noexcept { return signal_.number(); }

 private:
  friend class signal_detail::thread_signal<Calls, basic_posix_timer_source>;

  enum class timer_state : std::uint8_t { is_there, was_forked, is_lost };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "a handler takes no lock");

  [[nodiscard]] bool has_timer() const noexcept {
    return state_.load(std::memory_order_relaxed) == timer_state::is_there;
  }
  int open() noexcept;
  void begin_to_wait(instant until) noexcept;
  int arm(instant at) noexcept;
  void signalled() noexcept;
  instant next_look(instant now) noexcept;
  void was_forked() noexcept;

  slice_word word_;
  std::uint32_t told_ = 0;                      // the slice that was reported; the handler's
  std::atomic<std::uint64_t> end_{never.ns};    // of the slice that runs
  std::atomic<std::uint64_t> armed_{never.ns};  // the timer will signal then, or is about to be told to
  std::atomic<timer_state> state_{timer_state::was_forked};
  typename Calls::timer_id timer_{};
  stall_watch watch_;
  // Last, since a signal may come from here on.
  signal_detail::thread_signal<Calls, basic_posix_timer_source> signal_;
};

/// That of the machine.
using posix_timer_source = basic_posix_timer_source<>;

static_assert(preempt_source<posix_timer_source>);

// ---- Implementation ----

template <class Calls>
int basic_posix_timer_source<Calls>::open() noexcept {
  const int error = Calls::open(signal_.number(), timer_);
  state_.store(error == 0 ? timer_state::is_there : timer_state::is_lost, std::memory_order_relaxed);
  return error;
}

template <class Calls>
void basic_posix_timer_source<Calls>::begin_to_wait(instant until) noexcept {
  if (state_.load(std::memory_order_relaxed) == timer_state::was_forked) {
    if (const int error = open(); error != 0) posix_timer_detail::complain_of_no_timer(-error);
  }
  if (!has_timer()) return;
  if (const int error = arm(until); error != 0) {
    state_.store(timer_state::is_lost, std::memory_order_relaxed);
    posix_timer_detail::complain_of_arming(-error);
  }
}

// The owner's and the handler's. In the middle of the owner's, a handler sees the timer as armed already, or
// arms it for the same end.
template <class Calls>
int basic_posix_timer_source<Calls>::arm(instant at) noexcept {
  armed_.store(at.ns, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const int error = Calls::arm(timer_, at);
  if (error != 0) armed_.store(never.ns, std::memory_order_relaxed);
  return error;
}

// In the handler, on the owner's thread, in the middle of anything.
template <class Calls>
void basic_posix_timer_source<Calls>::signalled() noexcept {
  const instant now = Calls::now();
  instant armed{armed_.load(std::memory_order_relaxed)};
  if (armed <= now) {
    armed = never;
    armed_.store(never.ns, std::memory_order_relaxed);
  }
  const instant next = next_look(now);
  // If it can't be armed, the next begin() tries, and says so.
  if (next < armed && has_timer()) static_cast<void>(arm(next));
}

// Ends the slice if its end has been, and tells of a stall. When there is something to look for next.
template <class Calls>
instant basic_posix_timer_source<Calls>::next_look(instant now) noexcept {
  const instant end{end_.load(std::memory_order_relaxed)};
  if (end == never || now < end) return end;
  // Between the two stores of begin() this is the slice before, and the new one is looked at once more:
  // begin() arms for its end.
  const std::uint32_t seen = word_.seen();
  word_.end(seen);
  const std::uint32_t number = seen & ~word::due;
  if (!watch_.hook || told_ == number) return never;
  const instant late = end + watch_.after;
  if (now < late) return late;
  told_ = number;
  watch_.hook({.length = now - end, .lasts = true, .who = this, .slice = word_.seen()});
  return never;
}

// In a child of fork(), where there is no other thread. A timer of that number may be another's here.
template <class Calls>
void basic_posix_timer_source<Calls>::was_forked() noexcept {
  state_.store(timer_state::was_forked, std::memory_order_relaxed);
  armed_.store(never.ns, std::memory_order_relaxed);
}

}  // namespace PINION_MODE
}  // namespace pinion::preempt
