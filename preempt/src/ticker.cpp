// SPDX-License-Identifier: Apache-2.0
//
// ticker: the thread.
#include <pinion/preempt/ticker.hpp>

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include <new>
#include <pinion/base/diagnostic.hpp>
#include <stdexcept>
#include <system_error>

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

ticker::ticker(const ticker_options& options)
    : options_(options), forks_seen_(forks().load(std::memory_order_relaxed)) {
  if (options.resolution < resolution_min || resolution_max < options.resolution)
    throw std::invalid_argument("a ticker's resolution was out of range: it takes 10 us to 1 s; a finer one "
                                "would keep a core busy with ticks");
  guarded_ = std::make_unique<guarded>(options.resolution);
}

ticker::~ticker() {
  if (is_forked()) {
    // U2: a child of fork() that never ticked. The lock may be held by a thread that isn't there; nothing of it is touched.
    guarded_.release();  // NOLINT(bugprone-unused-return-value): left as it is
    return;
  }
  {
    const std::scoped_lock lock{guarded_->mutex};
    if (!guarded_->is_running) return;
    guarded_->is_ending = true;
  }
  gate_.call();
  ::pthread_join(guarded_->thread, nullptr);
}

ticker& ticker::shared() {
  // Never destroyed: sources of static duration may end after it.
  static ticker* const one = new ticker;
  return *one;
}

std::atomic<std::uint32_t>& ticker::forks() noexcept {
  static std::atomic<std::uint32_t> count = [] {
    ::pthread_atfork(nullptr, nullptr, [] { forks().fetch_add(1, std::memory_order_relaxed); });
    return 0U;
  }();
  return count;
}

void ticker::add(ticked_slice& slice, stall_watch watch) {
  if (is_forked()) start_again();
  const std::scoped_lock lock{guarded_->mutex};
  guarded_->board.add(slice, watch);
  try {
    if (!guarded_->is_running) start();
  } catch (...) {
    guarded_->board.remove(slice);
    throw;
  }
}

void ticker::remove(ticked_slice& slice) noexcept {
  if (is_forked()) start_again();
  const std::scoped_lock lock{guarded_->mutex};
  guarded_->board.remove(slice);
}

// With the lock held, or where nobody else is.
void ticker::start() {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = ::pthread_create(
      &guarded_->thread, nullptr,
      [](void* self) -> void* {
        static_cast<ticker*>(self)->run();
        return nullptr;
      },
      this);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0)
    throw std::system_error(
        error, std::generic_category(),
        "a ticker could not start its thread; most likely too many run already (ulimit -u, or "
        "pids.max of the container): end some, or take a tsc_budget, which needs none");
  guarded_->is_running = true;
}

void ticker::start_again() noexcept {
  // U3: after fork() this is the only thread. The lock may have been held by the one that is gone, and is made anew; what it guarded
  // is whole but for a registration that was under way, whose thread is gone, too.
  ::new (&guarded_->mutex) std::mutex;
  ::new (&gate_) basic_tick_gate<std_sync>;
  forks_seen_.store(forks().load(std::memory_order_relaxed), std::memory_order_relaxed);
  guarded_->is_running = false;
  try {
    start();
  } catch (const std::system_error&) {
    report(severity::error, "preempt",
           "after a fork the ticker's thread could not be started again: no slice of this process will be "
           "due; too many threads "
           "run (ulimit -u, or pids.max of the container)");
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
    gate_.wait(next, [this] {
      const std::scoped_lock lock{guarded_->mutex};
      return guarded_->board.is_quiet();
    });
    // Relaxed: a count for people; this thread alone writes it.
    wakes_.store(wakes_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
}

}  // namespace pinion::preempt
