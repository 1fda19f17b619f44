// SPDX-License-Identifier: Apache-2.0
//
// ticker: the thread that ends slices, and the one that tells of stalls.
#include <pinion/preempt/ticker.hpp>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <pinion/base/assert.hpp>
#include <pinion/base/diagnostic.hpp>
#include <pinion/base/refusal.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace pinion::preempt {
namespace {

constexpr duration resolution_min{10'000};
constexpr duration resolution_max{1'000'000'000};

// The thread is woken when it asked to be: by default the kernel adds 50 us. It runs wherever the process's
// first thread may, though the thread that made the first source may be pinned to a processor.
void prepare_thread(const char* name) noexcept {
  constexpr unsigned long one_ns = 1;
  ::prctl(PR_SET_TIMERSLACK, one_ns);
  cpu_set_t processors;
  if (::sched_getaffinity(::getpid(), sizeof processors, &processors) == 0)
    ::sched_setaffinity(0, sizeof processors, &processors);
  ::pthread_setname_np(::pthread_self(), name);
}

// It takes no signal of the program's.
pthread_t start_thread(const char* does, void* (*body)(void*), void* argument) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  const int error = ::pthread_create(&thread, nullptr, body, argument);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0)
    throw_refusal(
        {.code = {error, std::generic_category()},
         .asked = std::string{"the ticker's thread that "} + does,
         .reason = std::generic_category().message(error) +
                   ", most likely too many threads run already (ulimit -u, or pids.max of the container)",
         .remedy = "end some, raise the limit, or take a tsc_budget, which needs no thread"});
  return thread;
}

}  // namespace

// The mutex guards all but the gates and `hooks_returned`. No hook is called while it is held.
struct ticker::guarded {
  explicit guarded(duration resolution) noexcept : board(resolution) {}

  std::mutex mutex;
  tick_board board;
  pthread_t thread{};
  bool is_running = false;
  bool is_ending = false;

  // The thread that tells of stalls: there from the first source on that watches for them.
  bool is_watched = false;
  bool is_telling = false;
  pthread_t teller{};
  basic_tick_gate<std_sync> stall_gate;
  const ticked_slice* told_of = nullptr;  // the slice whose hook runs
  // Written under the lock, in the same hold as `told_of`. Relaxed: it only says when to look at that again.
  std::atomic<std::uint32_t> hooks_returned{0};

  [[nodiscard]] bool is_on_teller() const noexcept {
    return is_telling && ::pthread_equal(::pthread_self(), teller) != 0;
  }
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
    guarded& mine = *each->guarded_;
    const bool was_running = std::exchange(mine.is_running, false);
    if (was_running) each->is_lost_.store(true, std::memory_order_relaxed);
    // What the parent saw the parent tells of. A hook that ran at the fork never returns here.
    mine.is_telling = false;
    mine.told_of = nullptr;
    mine.board.drop_stalls();
  }
  after_fork_in_parent();
}

ticker::ticker(const ticker_options& options) : options_(options) {
  if (options.resolution < resolution_min || resolution_max < options.resolution)
    throw_refusal(
        {.code = std::make_error_code(std::errc::invalid_argument),
         .asked = "a ticker with a resolution of " + std::to_string(options.resolution.ns) + " ns",
         .reason = "it takes 10 us to 1 s; a finer one would keep a core busy, and a negative std::chrono "
                   "duration comes out as 0",
         .remedy = "give the length of the shortest slices; 200 us is usual"});
  guarded_ = std::make_unique<guarded>(options.resolution);
  const std::scoped_lock lock{everyone().mutex};
  everyone().all.push_back(this);
}

ticker::~ticker() {
  bool was_running = false;
  bool was_telling = false;
  {
    const std::scoped_lock lock{guarded_->mutex};
    PINION_ASSERT(
        !guarded_->is_on_teller(),
        "a stall's hook ended the ticker that called it, which waits for the hook to return: end it "
        "on another thread");
    guarded_->is_ending = true;
    was_running = guarded_->is_running;
    was_telling = guarded_->is_telling;
  }
  gate_.call();
  guarded_->stall_gate.call();
  if (was_running) ::pthread_join(guarded_->thread, nullptr);
  if (was_telling) ::pthread_join(guarded_->teller, nullptr);
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
  const bool is_watched = guarded_->is_watched || watch.hook;
  try {
    start(is_watched);
  } catch (...) {
    guarded_->board.remove(slice);
    throw;
  }
  guarded_->is_watched = is_watched;
  if (slice.has_end()) gate_.opened(instant{0});
}

void ticker::watch(ticked_slice& slice, stall_watch watch) {
  std::unique_lock lock{guarded_->mutex};
  if (watch.hook) {
    start(true);
    guarded_->is_watched = true;
  }
  // The thread looks again soon at a slice that has an end, also when that has been.
  guarded_->board.watch(slice, watch);
  if (!guarded_->is_on_teller()) wait_for_hook(lock, slice);
}

void ticker::remove(ticked_slice& slice) noexcept {
  std::unique_lock lock{guarded_->mutex};
  guarded_->board.remove(slice);
  wait_for_hook(lock, slice);
}

void ticker::wait_for_hook(std::unique_lock<std::mutex>& lock, const ticked_slice& slice) noexcept {
  // The hook itself may end its source.
  if (guarded_->told_of == &slice && guarded_->is_on_teller())
    guarded_->told_of = nullptr;  // its place may be taken anew
  while (guarded_->told_of == &slice) {
    const std::uint32_t returned = guarded_->hooks_returned.load(std::memory_order_relaxed);
    lock.unlock();
    std_sync::futex_wait(guarded_->hooks_returned, returned);
    lock.lock();
  }
}

// With the lock held: those that don't run, and are needed.
void ticker::start(bool is_watched) {
  if (!guarded_->is_running) {
    guarded_->thread = start_thread(
        "ends slices",
        [](void* self) -> void* {
          static_cast<ticker*>(self)->run();
          return nullptr;
        },
        this);
    guarded_->is_running = true;
    is_lost_.store(false, std::memory_order_relaxed);
  }
  if (is_watched && !guarded_->is_telling) {
    guarded_->teller = start_thread(
        "tells of stalls",
        [](void* self) -> void* {
          static_cast<ticker*>(self)->tell();
          return nullptr;
        },
        this);
    guarded_->is_telling = true;
  }
}

void ticker::start_again() noexcept {
  bool runs = false;
  {
    const std::scoped_lock lock{guarded_->mutex};
    if (guarded_->is_running) return;
    try {
      start(guarded_->is_watched);
      return;
    } catch (const std::exception&) {
      // Not at each slice.
      is_lost_.store(false, std::memory_order_relaxed);
      runs = guarded_->is_running;
    }
  }
  // Without the lock: a sink may fork, or make a source.
  report(
      severity::error, "preempt", runs ? "stall-teller-lost" : "ticker-lost",
      runs ? "after a fork the ticker's thread that tells of stalls could not be started again: no stall of "
             "this process will be reported until a source is made; most likely too many threads run "
             "(ulimit -u, or pids.max of the container)"
           : "after a fork the ticker's thread could not be started again: no slice of this process will be "
             "due until a source is made; most likely too many threads run (ulimit -u, or pids.max of the "
             "container)");
}

void ticker::run() noexcept {
  prepare_thread("pinion-ticker");
  for (;;) {
    instant next;
    bool has_stall = false;
    {
      const std::scoped_lock lock{guarded_->mutex};
      if (guarded_->is_ending) return;
      next = guarded_->board.tick(monotonic_clock::now());
      has_stall = guarded_->board.has_stall();
    }
    if (has_stall) guarded_->stall_gate.call();
    gate_.wait(next, [this](instant until) {
      const std::scoped_lock lock{guarded_->mutex};
      return guarded_->board.is_quiet_until(until);
    });
    // Relaxed: a count for people; this thread alone writes it.
    wakes_.store(wakes_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
}

// The hooks run here, without the lock: one that blocks holds up other hooks, and no slice.
void ticker::tell() noexcept {
  prepare_thread("pinion-stalls");
  for (;;) {
    std::optional<basic_seen_stall<std_sync>> seen;
    {
      const std::scoped_lock lock{guarded_->mutex};
      if (guarded_->is_ending) return;
      seen = guarded_->board.take_stall();
      if (seen) guarded_->told_of = seen->slice;
    }
    if (!seen) {
      guarded_->stall_gate.wait(never, [this](instant) {
        const std::scoped_lock lock{guarded_->mutex};
        return !guarded_->board.has_stall();
      });
      continue;
    }
    seen->tell();
    {
      const std::scoped_lock lock{guarded_->mutex};
      guarded_->told_of = nullptr;
      guarded_->hooks_returned.fetch_add(1, std::memory_order_relaxed);
    }
    std_sync::futex_wake(guarded_->hooks_returned, std::numeric_limits<std::int32_t>::max());
  }
}

}  // namespace pinion::preempt
