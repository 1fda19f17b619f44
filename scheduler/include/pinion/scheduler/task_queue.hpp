// SPDX-License-Identifier: Apache-2.0
//
// task_queue: tasks that share the processor with those of other queues by their shares.
//
//   task_queue& serve = loop.add_queue({.name = "serve", .shares = 900, .latency = ceil(500us)});
//   task_queue& index = loop.add_queue({.name = "index", .shares = 100, .quantum = ceil(10ms)});
//
//   loop.spawn_into(index, reads_all(files)).detach();
//
// Shares. Among queues that have something to run, each gets processor time as its shares are to the sum of
// theirs. What a queue did not use while it slept it does not get later: it begins with those that run.
//
// Latency. A queue with a latency waits no longer for the slices of others, as long as their tasks look at
// the word: their slices are no longer than that, and where its time has come it is next, whatever the shares
// say. So it may be ahead of its shares, by so long at the most; a queue that always wants more than its
// shares waits for them.
//
// Backlog. A queue runs its tasks in the order in which they became ready. One that is given less time than
// its tasks want grows, and drops nothing: statistics().tasks says how many there are. Whoever takes work
// from outside bounds it there, by a semaphore or a bounded channel before the spawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <pinion/base/executor.hpp>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
#include <pinion/preempt/slice_rule.hpp>
#include <string>
#include <utility>

namespace pinion::scheduler::inline PINION_MODE {

/// What a queue asks for.
struct queue_options {
  std::string name = "main";    ///< for reports
  std::uint32_t shares = 100;   ///< 1 to 10,000
  duration quantum{1'000'000};  ///< how long a slice of it is, at most: 10 us to 10 s
  duration latency = forever;   ///< how long it may wait for the slices of others: 10 us or more
};

/// What a queue did.
struct queue_statistics {
  std::uint64_t slices = 0;
  std::uint64_t resumed = 0;  ///< tasks, each time that one went on
  duration ran{0};            ///< in its slices
  std::uint64_t tasks = 0;    ///< spawned into it, and not over
};

/// Of one executor, which makes and destroys it.
class task_queue {
 public:
  task_queue(const task_queue&) = delete;
  task_queue& operator=(const task_queue&) = delete;

  /// What it was given.
  [[nodiscard]] const queue_options& options() const noexcept { return options_; }
  /// What it did so far.
  [[nodiscard]] const queue_statistics& statistics() const noexcept { return statistics_; }

 private:
  friend class executor_base;
  friend class queue_order;
  using number = preempt::slice_rule::queue;

  task_queue(queue_options options, number its_number) : options_(std::move(options)), number_(its_number) {}
  ~task_queue() = default;  // by its executor alone: a queue can't vanish while its tasks run

  ready_list ready_;
  double used_ = 0;        // ns by shares; of those that are ready the least is next
  std::size_t place_ = 0;  // among those that are ready
  instant due_ = never;    // when one with a latency has waited for long enough
  queue_options options_;
  number number_;
  queue_statistics statistics_;
  // Tasks that become ready push themselves. Else they go by the executor's cell: the first one, which has
  // the queue run, and all under a cell that looks at each.
  bool is_open_ = false;
};

}  // namespace pinion::scheduler::inline PINION_MODE
