// SPDX-License-Identifier: Apache-2.0
//
// ticker: the thread.
#include <pinion/preempt/ticker.hpp>

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include <exception>
#include <new>
#include <pinion/base/diagnostic.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

namespace pinion::preempt {
namespace {

constexpr duration resolution_min{10'000};
constexpr duration resolution_max{1'000'000'000};

// The thread takes no signal of the program's, and is woken when it asked to be: by default the kernel adds 50 us.
void prepare_thread() noexcept {
  constexpr unsigned long one_ns = 1;
  ::prctl(PR_SET_TIMERSLACK, one_ns);
  ::pthread_setname_np(::pthread_self(), "pinion-ticker");
}

}  // namespace

struct ticker::guarded {
  explicit guarded(duration resolution) noexcept : board(resolution) {}

  std::mutex mutex;
  tick_board board;
  pthread_t thread{};
  bool is_running = false;
  bool is_ending = false;
};

// Whoever forks holds all their locks meanwhile, so the child finds them free, and what they guard whole.
struct ticker::family {
  std::mutex mutex;
  std::vector<ticker*> all;
};

ticker::family& ticker::everyone() {
  // Never destroyed, as shared() isn't.
  static family* const all = [] {
    auto made = std::make_unique<family>();
    if (::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) != 0) throw std::bad_alloc{};
    return made.release();
  }();
  return *all;
}

void ticker::before_fork() noexcept {
  everyone().mutex.lock();
  for (const ticker* each : everyone().all) each->guarded_->mutex.lock();
}

void ticker::after_fork_in_parent() noexcept {
  for (const ticker* each : everyone().all) each->guarded_->mutex.unlock();
  everyone().mutex.unlock();
}

void ticker::after_fork_in_child() noexcept {
  for (ticker* each : everyone().all) {
    const bool was_running = std::exchange(each->guarded_->is_running, false);
    if (was_running) each->is_lost_.store(true, std::memory_order_relaxed);
  }
  after_fork_in_parent();
}

ticker::ticker(const ticker_options& options) : options_(options) {
  if (options.resolution < resolution_min || resolution_max < options.resolution)
    throw std::invalid_argument(
        "a ticker's resolution was out of range: it takes 10 us to 1 s; a finer one would keep a core busy, "
        "and a negative std::chrono duration comes out as 0");
  guarded_ = std::make_unique<guarded>(options.resolution);
  const std::scoped_lock lock{everyone().mutex};
  everyone().all.push_back(this);
}

ticker::~ticker() {
  bool was_running = false;
  {
    const std::scoped_lock lock{guarded_->mutex};
    guarded_->is_ending = true;
    was_running = guarded_->is_running;
  }
  gate_.call();
  if (was_running) ::pthread_join(guarded_->thread, nullptr);
  const std::scoped_lock lock{everyone().mutex};
  std::erase(everyone().all, this);
}

ticker& ticker::shared() {
  // Never destroyed: sources of static duration may end after it.
  static ticker* const one = new ticker;
  return *one;
}

void ticker::add(ticked_slice& slice, stall_watch watch) {
  const std::scoped_lock lock{guarded_->mutex};
  guarded_->board.add(slice, watch);
  try {
    if (!guarded_->is_running) start();
  } catch (...) {
    guarded_->board.remove(slice);
    throw;
  }
  if (slice.has_end()) gate_.opened(instant{0});
}

void ticker::remove(ticked_slice& slice) noexcept {
  const std::scoped_lock lock{guarded_->mutex};
  guarded_->board.remove(slice);
}

// With the lock held.
void ticker::start() {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const auto body = [](void* self) -> void* {
    static_cast<ticker*>(self)->run();
    return nullptr;
  };
  const int error = ::pthread_create(&guarded_->thread, nullptr, body, this);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0)
    throw std::system_error(error, std::generic_category(),
                            "a ticker could not start its thread; most likely too many run already "
                            "(ulimit -u, or pids.max of the container): end some, or take a tsc_budget, "
                            "which needs none");
  guarded_->is_running = true;
  is_lost_.store(false, std::memory_order_relaxed);
}

void ticker::start_again() noexcept {
  const std::scoped_lock lock{guarded_->mutex};
  if (guarded_->is_running) return;
  try {
    start();
  } catch (const std::exception&) {
    // Not at each slice.
    is_lost_.store(false, std::memory_order_relaxed);
    report(
        severity::error, "preempt", "ticker-lost",
        "after a fork the ticker's thread could not be started again: no slice of this process will be due "
        "until a source is made; most likely too many threads run (ulimit -u, or pids.max of the container)");
  }
}

void ticker::run() noexcept {
  prepare_thread();
  for (;;) {
    instant next;
    {
      const std::scoped_lock lock{guarded_->mutex};
      if (guarded_->is_ending) return;
      next = guarded_->board.tick(monotonic_clock::now());
    }
    gate_.wait(next, [this](instant until) {
      const std::scoped_lock lock{guarded_->mutex};
      return guarded_->board.is_quiet_until(until);
    });
    // Relaxed: a count for people; this thread alone writes it.
    wakes_.store(wakes_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
}

}  // namespace pinion::preempt
