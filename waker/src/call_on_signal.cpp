// SPDX-License-Identifier: Apache-2.0
//
// call_on_signal: the table of those that are told, and the handler.
#include <pinion/waker/call_on_signal.hpp>

#include <pthread.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <pinion/base/refusal.hpp>
#include <pinion/base/sync.hpp>
#include <string>
#include <system_error>

namespace pinion::waker::signal_detail {
namespace {

constexpr std::size_t signals_max = 65;
static_assert(std::atomic<told*>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free,
              "a handler takes no lock");
constinit std::array<std::atomic<told*>, signals_max> table{};
constinit std::atomic<std::uint32_t> handlers{0};  // that run
constinit std::mutex making;                       // two of one signal, and a fork; no handler takes it

void on_signal(int signal) {
  const int error = errno;
  handlers.fetch_add(1, std::memory_order_seq_cst);
  told* const who = table[static_cast<std::size_t>(signal)].load(std::memory_order_seq_cst);
  if (who != nullptr) who->push(*who);
  handlers.fetch_sub(1, std::memory_order_release);
  errno = error;
}

int set_disposition(int signal, void (*what)(int)) noexcept {
  struct sigaction next = {};
  next.sa_handler = what;
  next.sa_flags = SA_RESTART | SA_ONSTACK;
  return ::sigaction(signal, &next, nullptr) == 0 ? 0 : errno;
}

// A push would go to the child's copy of the inbox, which nobody drains, and a handler that another thread
// was in is gone.
void in_child() {
  for (std::size_t signal = 1; signal != signals_max; ++signal)
    if (table[signal].exchange(nullptr, std::memory_order_relaxed) != nullptr)
      set_disposition(static_cast<int>(signal), SIG_DFL);
  handlers.store(0, std::memory_order_relaxed);
  making.unlock();
}

[[noreturn]] void refuse(int signal, int error, const char* reason) {
  throw_refusal({.code = {error, std::generic_category()},
                 .asked = "a call_on_signal of signal " + std::to_string(signal),
                 .reason = reason,
                 .remedy = "name another one"});
}

}  // namespace

void begin(int signal, told& who) {
  static const int fork_error = ::pthread_atfork([] { making.lock(); }, [] { making.unlock(); }, &in_child);
  if (fork_error != 0) throw std::bad_alloc{};
  const std::scoped_lock held{making};
  struct sigaction now = {};
  if (signal <= 0 || static_cast<std::size_t>(signal) >= signals_max ||
      ::sigaction(signal, nullptr, &now) != 0)
    refuse(signal, EINVAL, "there is no such signal, or the C library has it for itself");
  if (now.sa_handler != SIG_DFL) refuse(signal, EBUSY, "this program handles or ignores it already");
  table[static_cast<std::size_t>(signal)].store(&who, std::memory_order_seq_cst);
  if (const int error = set_disposition(signal, &on_signal); error != 0) {
    table[static_cast<std::size_t>(signal)].store(nullptr, std::memory_order_relaxed);
    refuse(signal, error, "the kernel lets nobody handle it");
  }
}

void end(int signal, const told& who) noexcept {
  const std::scoped_lock held{making};
  if (table[static_cast<std::size_t>(signal)].load(std::memory_order_relaxed) != &who) return;
  set_disposition(signal, SIG_IGN);  // what is pending is dropped: by default it may end the process
  table[static_cast<std::size_t>(signal)].store(nullptr, std::memory_order_seq_cst);
  while (handlers.load(std::memory_order_seq_cst) != 0) std_sync::yield();
  set_disposition(signal, SIG_DFL);
}

}  // namespace pinion::waker::signal_detail
