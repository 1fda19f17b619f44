// SPDX-License-Identifier: Apache-2.0
//
// basic_executor_pool, executor_pool: executors, each on a thread of its own.
//
//   executor_pool pool;  // an executor for each processor
//   const auto sum = co_await spawn_on(pool[0], [] { return adds(40, 2); });
//
// A pool has an executor for each processor that the calling thread may run on (its affinity mask, which a
// container's cpuset and taskset narrow; a quota of processor time does not), unless it is told how many.
// Executor k is on the k-th of these processors alone, and was made there, so its memory is near. Its thread
// has the pool's name and its number.
//
// More executors than processors are refused: they would take turns on a processor, and each would hold up
// the others by the kernel's time slices. Where that is meant, as in a test, say may_share.
//
// An executor runs until the pool ends. What a task throws there that nobody waits for is reported.
//
// Ending. All are told to end, and then waited for; each cancels its tasks as executor.hpp says, and takes no
// job any more: spawn_on gives errc::closed. The thread that ends a pool is none of the pool's, and
// runs no executor whose tasks those of the pool await: that executor ends after the pool.
#pragma once

#include <pinion/config.hpp>

#include <cstddef>
#include <deque>
#include <exception>
#include <latch>
#include <optional>
#include <pinion/base/assert.hpp>
#include <pinion/base/export.hpp>
#include <pinion/scheduler/executor.hpp>
#include <pinion/scheduler/remote_executor.hpp>
#include <pinion/waker/wake_event.hpp>
#include <string>
#include <thread>
#include <utility>

namespace pinion::scheduler::inline PINION_MODE {

/// How many processors the calling thread may run on.
[[nodiscard]] PINION_EXPORT std::size_t processors_allowed();

/// The knobs of a pool.
struct pool_options {
  std::size_t count = processors_allowed();  ///< of executors: 1 or more
  bool may_share = false;                    ///< more executors than processors: they go round
  bool pins = true;              ///< each thread stays on its processor, else where the caller may
  std::string name = "pinion-";  ///< of its threads, before the number; 15 characters are left of both
  executor_options executor{};   ///< of each
};

namespace pool_detail {
/// A thread that runs an executor until it is told to end. It joins the thread at its end.
class PINION_EXPORT worker : waker::wake_call {
 public:
  /// Run by the thread: makes an executor, calls is_up(), and runs the executor until has_to_end().
  using body = void (*)(worker& on, const executor_options& options);
  /// Returns when the executor is up. Throws what the body throws before, and a refusal where no thread can
  /// be had or pinned.
  worker(const pool_options& options, std::size_t number, std::optional<unsigned> processor, body runs);
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;
  ~worker();

  /// Has it end. Any thread.
  void end() noexcept { executor_->push(*this); }
  [[nodiscard]] const remote_executor& executor() const noexcept { return *executor_; }

  /// For the body.
  void is_up(remote_executor made) {
    executor_.emplace(std::move(made));
    is_up_.count_down();
  }
  [[nodiscard]] bool has_to_end() const noexcept { return has_to_end_; }

 private:
  std::optional<remote_executor> executor_;
  std::exception_ptr thrown_;
  std::latch is_up_{1};
  bool has_to_end_ = false;  // the thread's
  std::jthread thread_;      // the first to go
};

/// All of them, in order.
class PINION_EXPORT workers {
 public:
  workers(const pool_options& options, worker::body runs);
  workers(const workers&) = delete;
  workers& operator=(const workers&) = delete;
  ~workers();
  [[nodiscard]] const std::deque<worker>& all() const noexcept { return all_; }

 private:
  std::deque<worker> all_;
};
}  // namespace pool_detail

/// Executors of those parts. One that is there can be reached by any thread.
template <executor_parts P = default_parts>
class basic_executor_pool {
 public:
  /// Returns when all run. Throws a refusal (std::system_error) where an executor, a thread or its processor
  /// can't be had, or an option is out of range; then no thread is left.
  explicit basic_executor_pool(const pool_options& options = {}) : workers_(options, &run) {}

  /// How many executors there are.
  [[nodiscard]] std::size_t size() const noexcept { return workers_.all().size(); }
  /// One of them, for spawn_on().
  [[nodiscard]] const remote_executor& operator[](std::size_t number) const noexcept {
    PINION_ASSERT(number < size(), "a pool was asked for an executor that it has not: take one below size()");
    return workers_.all()[number].executor();
  }

 private:
  static void run(pool_detail::worker& on, const executor_options& options) {
    basic_executor<P> loop{options};
    on.is_up(loop.remote());
    loop.run_on_until([&on] { return on.has_to_end(); });
  }

  pool_detail::workers workers_;
};

/// Of what a build recommends.
using executor_pool = basic_executor_pool<>;

}  // namespace pinion::scheduler::inline PINION_MODE
