// SPDX-License-Identifier: Apache-2.0
//
// posix_timer_calls: the system calls.
#include <pinion/preempt/detail/posix_timer_calls.hpp>

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <pinion/base/kernel.hpp>
#include <type_traits>

namespace pinion::preempt {
namespace {

static_assert(std::is_same_v<posix_timer_calls::timer_id, timer_t> &&
              std::is_convertible_v<pthread_t, std::uintptr_t>);

// A handler that takes more than the signal stands at the same place of the structure, and is none of ours,
// and not the default.
posix_timer_calls::signal_handler disposition_of(int signal) noexcept {
  struct sigaction now = {};
  ::sigaction(signal, nullptr, &now);
  return now.sa_handler;
}

int set_disposition(int signal, posix_timer_calls::signal_handler what, int flags) noexcept {
  struct sigaction next = {};
  next.sa_handler = what;
  next.sa_flags = flags;
  return ::sigaction(signal, &next, nullptr) == 0 ? 0 : -errno;
}

}  // namespace

signal_range posix_timer_calls::signals() noexcept { return {.first = SIGRTMIN, .last = SIGRTMAX}; }

bool posix_timer_calls::is_free(int signal) noexcept { return disposition_of(signal) == SIG_DFL; }

int posix_timer_calls::handle(int signal, signal_handler handler) noexcept {
  // On the stack that the thread has for signals, if any: the one that it runs on may be a small one of a
  // fiber's.
  return set_disposition(signal, handler, SA_RESTART | SA_ONSTACK);
}

void posix_timer_calls::unhandle(int signal, signal_handler handler) noexcept {
  if (disposition_of(signal) != handler) return;
  // By default a real-time signal ends the process. One that is pending still, because it is blocked, would
  // do so later: to ignore a signal drops what is pending of it in all threads.
  set_disposition(signal, SIG_IGN, 0);
  set_disposition(signal, SIG_DFL, 0);
}

bool posix_timer_calls::is_blocked(int signal) noexcept {
  sigset_t now;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &now);
  return ::sigismember(&now, signal) == 1;
}

void posix_timer_calls::set_blocked(int signal, bool blocked) noexcept {
  sigset_t one;
  ::sigemptyset(&one);
  ::sigaddset(&one, signal);
  ::pthread_sigmask(blocked ? SIG_BLOCK : SIG_UNBLOCK, &one, nullptr);
}

std::uintptr_t posix_timer_calls::thread() noexcept { return ::pthread_self(); }

int posix_timer_calls::at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept {
  return -::pthread_atfork(before, in_parent, in_child);
}

int posix_timer_calls::open(int signal, timer_id& timer) noexcept {
  struct sigevent how = {};
  how.sigev_notify = SIGEV_THREAD_ID;
  how.sigev_signo = signal;
  const auto thread = static_cast<pid_t>(::syscall(SYS_gettid));
#ifdef sigev_notify_thread_id
  how.sigev_notify_thread_id = thread;
#else
  how._sigev_un._tid = thread;
#endif
  return ::timer_create(CLOCK_MONOTONIC, &how, &timer) == 0 ? 0 : -errno;
}

int posix_timer_calls::arm(timer_id timer, instant at) noexcept {
  struct itimerspec when = {};
  // An absolute 0 would disarm it.
  when.it_value = kernel_time::of(std::max(at, instant{1})).as<timespec>();
  return ::timer_settime(timer, TIMER_ABSTIME, &when, nullptr) == 0 ? 0 : -errno;
}

void posix_timer_calls::close(timer_id timer) noexcept { ::timer_delete(timer); }

}  // namespace pinion::preempt
