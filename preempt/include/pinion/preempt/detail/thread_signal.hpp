// SPDX-License-Identifier: Apache-2.0
//
// thread_signal: a signal to one thread that the sources of this process share, and whom the handler tells
// of it. For posix_timer_source, and for the scheduler's stall_detector; each kind of source has a signal of
// its own.
//
// A signal says nothing but where it was sent to: the handler tells each source of its own thread, which
// then looks for itself: at the clock, say. So a signal that was queued before its timer was deleted, a
// forged one, or one that stands for two (ThreadSanitizer keeps one of each number) does no harm and is no
// loss; and no pointer travels with it that could dangle. The sources are found in a table that is never
// moved.
//
// Memory ordering. A slot of the table is written by the thread whose source it is for, and read by handlers
// on any. A handler that reads its own thread in it runs on the thread that wrote that, and sees what was
// written before: relaxed is enough. One that reads another's, or none, goes on to the next. Who writes holds
// the lock, and so does who forks: a child finds the table whole, and the lock free.
#pragma once

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <pinion/base/export.hpp>
#include <pinion/preempt/detail/posix_timer_calls.hpp>

namespace pinion::preempt {

/// What a refusal says of who wanted a signal: "a posix_timer_source", and what to take in its place.
struct signal_user {
  const char* name;
  const char* otherwise;
};

namespace signal_detail {

/// How many sources there can be in a process.
inline constexpr std::size_t sources_max = 1024;

/// They throw refusals.
PINION_EXPORT [[noreturn]] void throw_no_such_signal(const signal_user& by, int named,
                                                     signal_range real_time);
PINION_EXPORT [[noreturn]] void throw_signal_taken(const signal_user& by, int named);
PINION_EXPORT [[noreturn]] void throw_all_signals_taken(const signal_user& by, signal_range real_time);
PINION_EXPORT [[noreturn]] void throw_not_handled(const signal_user& by, int error, int signal);
PINION_EXPORT [[noreturn]] void throw_no_slot(const signal_user& by);

/// Which kind of source has a signal to itself. Kinds have tables and locks of their own, so two of them may
/// find one free at once.
///
/// Memory ordering. A kind that lets a signal go has unhandled it before, and releases; the next one
/// acquires, so its handler stays.
template <class Calls>
class signal_claims {
 public:
  [[nodiscard]] static bool is_free(int signal) noexcept {
    return of(signal).load(std::memory_order_relaxed) == nullptr;
  }
  /// False: another kind has it.
  [[nodiscard]] static bool claim(int signal, const void* kind) noexcept {
    const void* nobody = nullptr;
    return of(signal).compare_exchange_strong(nobody, kind, std::memory_order_acquire,
                                              std::memory_order_relaxed);
  }
  static void let_go(int signal) noexcept { of(signal).store(nullptr, std::memory_order_release); }

 private:
  static constexpr std::size_t signals_max = 129;
  static std::atomic<const void*>& of(int signal) noexcept {
    return claims[static_cast<std::size_t>(signal)];
  }
  inline static constinit std::array<std::atomic<const void*>, signals_max> claims{};
};

/// One source's share in a signal: handled, and unblocked in the thread that makes it, for as long as this
/// lives. `Source` has signalled(), called in the handler on that thread, and was_forked(), called in each
/// child of fork().
template <class Calls, class Source>
class thread_signal {
 public:
  /// That signal, or with 0 one that is free; as posix_timer_options says.
  thread_signal(Source& source, const signal_user& by, int named)
      : source_(source), thread_(Calls::thread()) {
    static const int fork_error = Calls::at_fork(&before_fork, &after_fork, &in_child);
    if (fork_error != 0) throw std::bad_alloc{};
    const std::scoped_lock held{lock};
    slot& free = free_slot(by);
    signal_ = named == 0 ? find(by) : check(by, named);
    if (users() == 0) {
      if (const int error = Calls::handle(signal_, &on_signal); error != 0) {
        claims::let_go(signal_);
        throw_not_handled(by, -error, signal_);
      }
    }
    ++users();
    free.signal.store(this, std::memory_order_relaxed);
    free.thread.store(thread_, std::memory_order_relaxed);
    was_blocked_ = Calls::is_blocked(signal_);
    if (was_blocked_) Calls::set_blocked(signal_, false);
  }
  thread_signal(const thread_signal&) = delete;
  thread_signal& operator=(const thread_signal&) = delete;
  /// Its timer is closed by now.
  ~thread_signal() {
    const std::scoped_lock held{lock};
    slot* mine = table.data();
    while (mine->signal.load(std::memory_order_relaxed) != this) ++mine;
    mine->thread.store(0, std::memory_order_relaxed);
    mine->signal.store(nullptr, std::memory_order_relaxed);
    if (was_blocked_ && Calls::thread() == thread_) block_again();
    if (--users() != 0) return;
    Calls::unhandle(signal_, &on_signal);
    claims::let_go(signal_);
  }

  /// Which one it is, and whose.
  [[nodiscard]] int number() const noexcept { return signal_; }
  [[nodiscard]] std::uintptr_t thread() const noexcept { return thread_; }

 private:
  using claims = signal_claims<Calls>;
  struct slot {
    std::atomic<std::uintptr_t> thread{0};
    std::atomic<thread_signal*> signal{nullptr};
  };
  static_assert(std::atomic<std::uintptr_t>::is_always_lock_free &&
                    std::atomic<thread_signal*>::is_always_lock_free &&
                    std::atomic<std::size_t>::is_always_lock_free,
                "a handler takes no lock");

  // Only sources by that signal: another one's handler may be what this one interrupted.
  static void on_signal(int signal) {
    const int error = errno;
    const std::uintptr_t here = Calls::thread();
    const std::size_t end = used.load(std::memory_order_relaxed);
    for (std::size_t at = 0; at < end; ++at) {
      if (table[at].thread.load(std::memory_order_relaxed) != here) continue;
      // Null in the middle of a constructor or a destructor of this thread's.
      thread_signal* const mine = table[at].signal.load(std::memory_order_relaxed);
      if (mine != nullptr && mine->signal_ == signal) mine->source_.signalled();
    }
    errno = error;
  }

  static void before_fork() { lock.lock(); }
  static void after_fork() { lock.unlock(); }
  static void in_child() {
    for (const slot& each : table)
      if (thread_signal* const one = each.signal.load(std::memory_order_relaxed)) one->source_.was_forked();
    lock.unlock();
  }

  std::uint32_t& users() noexcept { return users_by[static_cast<std::size_t>(signal_)]; }
  static bool is_ours(int signal) noexcept { return users_by[static_cast<std::size_t>(signal)] != 0; }

  static int check(const signal_user& by, int named) {
    const signal_range real_time = Calls::signals();
    if (named < real_time.first || real_time.last < named) throw_no_such_signal(by, named, real_time);
    if (!is_ours(named) && (!Calls::is_free(named) || !claims::claim(named, &lock)))
      throw_signal_taken(by, named);
    return named;
  }

  // One that others of this process have already, or the highest that is free: programs count theirs up from
  // SIGRTMIN. One that is free and blocked may be somebody's who reads it (signalfd, sigwait), and is taken
  // only where there is no other: in a thread that was made with all signals blocked.
  static int find(const signal_user& by) {
    const signal_range real_time = Calls::signals();
    for (;;) {
      int blocked = 0;
      int found = 0;
      for (int each = real_time.first; each <= real_time.last; ++each) {
        if (is_ours(each)) return each;
        if (!Calls::is_free(each) || !claims::is_free(each)) continue;
        (Calls::is_blocked(each) ? blocked : found) = each;
      }
      if (found == 0) found = blocked;
      if (found == 0) throw_all_signals_taken(by, real_time);
      if (claims::claim(found, &lock)) return found;  // or another kind was first
    }
  }

  static slot& free_slot(const signal_user& by) {
    for (std::size_t at = 0; at < sources_max; ++at) {
      if (table[at].signal.load(std::memory_order_relaxed) != nullptr) continue;
      if (used.load(std::memory_order_relaxed) <= at) used.store(at + 1, std::memory_order_relaxed);
      return table[at];
    }
    throw_no_slot(by);
  }

  // Another source of this thread's may need it still; then the last of them does this.
  void block_again() noexcept {
    for (const slot& each : table) {
      thread_signal* const other = each.signal.load(std::memory_order_relaxed);
      if (other == nullptr || other->thread_ != thread_ || other->signal_ != signal_) continue;
      other->was_blocked_ = true;
      return;
    }
    Calls::set_blocked(signal_, true);
  }

  // Never destroyed: sources of static duration may end last.
  static constexpr std::size_t signals_max = 129;
  inline static constinit std::mutex lock;
  inline static constinit std::array<slot, sources_max> table{};
  inline static constinit std::atomic<std::size_t> used{0};  // of these, the first so many have ever been
  inline static constinit std::array<std::uint32_t, signals_max> users_by{};

  Source& source_;
  std::uintptr_t thread_;
  int signal_ = 0;
  bool was_blocked_ = false;
};

}  // namespace signal_detail
}  // namespace pinion::preempt
