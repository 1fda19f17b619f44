// SPDX-License-Identifier: Apache-2.0
//
// executor_base, task_header: what tasks know of their executor, whatever it is made of.
//
// A task's header stands in the frame of its outermost coroutine: where it goes on, its queue, its slot, who
// waits for its end. It is the node by which the task is ready, so making a task ready allocates nothing.
//
// The slot of a task. Each has one of its own, which join_handle::cancel() requests, and so does the end of
// the executor. What it waits for by its executor's calls it waits for under its slot; a part of a task may
// have another one for a while (with_timeout).
#pragma once

#include <pinion/config.hpp>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <pinion/base/assert.hpp>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/executor.hpp>
#include <pinion/base/export.hpp>
#include <pinion/base/time.hpp>
#include <pinion/preempt/slice_log.hpp>
#include <pinion/preempt/word.hpp>
#include <pinion/scheduler/cell.hpp>
#include <pinion/scheduler/detail/queue_order.hpp>
#include <pinion/scheduler/remote_executor.hpp>
#include <pinion/scheduler/task_queue.hpp>
#include <pinion/timer/handle.hpp>
#include <pinion/timer/timer_call.hpp>
#include <pinion/timer/when.hpp>
#include <source_location>
#include <utility>
#include <vector>

namespace pinion::scheduler::inline PINION_MODE {

class executor_base;
class stall_detector;
class task_header;

/// A timer of an executor's, in whichever store. It stays where it is while it is armed.
class task_timer : public timer::timer_call {
 public:
  /// Called when it is due; it is disarmed by then.
  using due_function = void (*)(task_timer& self);
  explicit task_timer(due_function function) noexcept
      : timer_call([](timer_call& self) { static_cast<task_timer&>(self).due(); }), due_(function) {}

  /// For a store of values: its value calls this.
  void due() { due_(*this); }
  timer::handle handle;  ///< and names it so

 private:
  due_function due_;
};

/// Who waits for the end of tasks.
class joiner {
 public:
  /// Called when a task is over, with what it threw, else nullptr: makes the task that waits ready. The
  /// result may be taken from the join_handle there, which destroys the task.
  using ended_function = void (*)(joiner& self, task_header& task, const std::exception_ptr* thrown) noexcept;
  explicit joiner(ended_function ended) noexcept : ended_(ended) {}
  joiner(const joiner&) = delete;
  joiner& operator=(const joiner&) = delete;

 protected:
  ~joiner() = default;

 private:
  friend class executor_base;
  ended_function ended_;
};

/// A task as its executor sees it.
class task_header : public runnable {
 public:
  /// Of the coroutine whose frame that is, for that queue.
  task_header(std::coroutine_handle<> frame, task_queue& queue) noexcept : queue_(&queue) { where = frame; }

  /// What is requested to have it end.
  [[nodiscard]] cancel_slot& own_slot() noexcept { return own_slot_; }
  /// What it waits under now.
  [[nodiscard]] cancel_slot& slot() const noexcept { return *slot_; }
  /// From here on it waits under that; what it waited under before.
  cancel_slot& wait_under(cancel_slot& slot) noexcept { return *std::exchange(slot_, &slot); }
  /// Into which it was spawned.
  [[nodiscard]] task_queue& queue() const noexcept { return *queue_; }
  /// Whether somebody waits for its end, or was told of it.
  [[nodiscard]] bool has_joiner() const noexcept { return joiner_ != nullptr; }
  /// Whether it has ended.
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }

 private:
  friend class executor_base;
  // What a yield needs first, beside `where` and `next`. Of a task that is over `where` is its frame.
  task_queue* queue_;
  cancel_slot* slot_ = &own_slot_;
  joiner* joiner_ = nullptr;
  bool is_over_ = false;
  bool has_handle_ = true;
  cancel_slot own_slot_;
  task_header* next_task_ = nullptr;
  task_header** link_ = nullptr;  // what points here

 public:
  /// For reports; a string that outlives it, or nullptr.
  const char* name = nullptr;
};

/// What is the same in all executors. All members are for its thread.
class PINION_EXPORT executor_base {
 public:
  executor_base(const executor_base&) = delete;
  executor_base& operator=(const executor_base&) = delete;

  /// The one that runs on this thread, or nullptr.
  [[nodiscard]] static executor_base* current() noexcept;

  /// As pinion::executor says.
  [[nodiscard]] task_header& running() noexcept {
    task_header* const task = running_.load(std::memory_order_relaxed);
    PINION_ASSERT(task != nullptr, "a task was asked for where none runs: do this inside a task");
    return *task;
  }
  void ready(runnable& task) noexcept {
    task_queue& queue = *static_cast<task_header&>(task).queue_;
    if (!queue.is_open_) [[unlikely]]
      return parts_.ready(*this, task);
    queue.ready_.push(task);
  }
  /// As preempt::yielding_executor says.
  [[nodiscard]] const preempt::word& preempt_word() const noexcept { return *word_; }
  [[nodiscard]] preempt::slice_log& slices() noexcept { return *log_; }
  /// What the running task waits under.
  [[nodiscard]] cancel_slot& slot() noexcept { return running().slot(); }

  /// The time, by the clock that its timers go by.
  [[nodiscard]] instant clock_now() const noexcept { return parts_.now(*this); }
  /// When that is.
  template <timer::delay_or_point When>
  [[nodiscard]] instant deadline(When when) const noexcept {
    if constexpr (timer::delay<When>)
      return clock_now() + timer::as_duration(when);
    else
      return timer::as_instant(when, instant{});
  }
  /// Arms a timer, which is not; and makes one that is due at the next round. Over a store of values that may
  /// throw std::bad_alloc.
  void arm(task_timer& timer, instant deadline) { parts_.arm(*this, timer, deadline); }
  void hurry(task_timer& timer) noexcept { parts_.hurry(*this, timer); }
  /// Takes it back. Not of one that is not armed.
  void disarm(task_timer& timer) noexcept { parts_.disarm(*this, timer); }

  /// By which other threads reach it.
  [[nodiscard]] remote_executor remote() { return parts_.remote(*this); }
  /// Who begins the portable jobs (spawn_portable) that this one has not begun when it ends: nobody, unless
  /// one is named.
  [[nodiscard]] const std::optional<remote_executor>& heir() const noexcept { return heir_; }
  void heir(remote_executor next) { heir_ = std::move(next); }
  /// Whether its end has begun: tasks that begin from here on are cancelled.
  [[nodiscard]] bool is_ending() const noexcept { return is_ending_; }

  /// How many tasks there are that are not over; and whether there is none.
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  /// The queue that there always is, and where the running task is, or that one.
  [[nodiscard]] task_queue& main_queue() noexcept { return *shared_.all.front(); }
  [[nodiscard]] task_queue& current_queue() noexcept {
    const task_header* const task = running_task();
    return task != nullptr ? task->queue() : main_queue();
  }

  /// The task that runs, or nullptr. Also for a handler of signals on its thread.
  [[nodiscard]] const task_header* running_task() const noexcept {
    return running_.load(std::memory_order_relaxed);
  }
  /// Calls that with each task that is not over, the one spawned last first. It spawns and ends none.
  template <std::invocable<const task_header&> Sink>
  void for_each_task(Sink&& sink) const {
    for (const task_header* each = first_; each != nullptr; each = each->next_task_) sink(*each);
  }

  /// For tasks: a task begins; its handle has gone; it is over, suspended for the last time in that frame,
  /// and threw that, else nullptr. The frame may be gone when end() returns, which gives what goes on:
  /// nothing.
  void begin(task_header& task) noexcept;
  static void let_go(task_header& task) noexcept;
  std::coroutine_handle<> end(task_header& task, std::coroutine_handle<> frame,
                              const std::exception_ptr* thrown) noexcept;
  /// That one is told of its end. Not of one that is over.
  static void join(task_header& task, joiner* by) noexcept {
    PINION_ASSERT(by == nullptr || task.joiner_ == nullptr,
                  "two wait for the end of one task: let one of them tell the other");
    task.joiner_ = by;
  }
  /// Whether it has a joiner that is called so.
  [[nodiscard]] static bool is_joined_by(const task_header& task, joiner::ended_function how) noexcept {
    return task.joiner_ != nullptr && task.joiner_->ended_ == how;
  }

 protected:
  /// How its parts are asked, and a task is made ready whose queue is not open.
  struct part_calls {
    void (*ready)(executor_base& by, runnable& task) noexcept;
    instant (*now)(const executor_base& by) noexcept;
    void (*arm)(executor_base& by, task_timer& timer, instant deadline);
    void (*hurry)(executor_base& by, task_timer& timer) noexcept;
    void (*disarm)(executor_base& by, task_timer& timer) noexcept;
    remote_executor (*remote)(executor_base& by);
  };
  explicit executor_base(const part_calls& parts) noexcept : parts_(parts) {}
  ~executor_base();

  /// As long as this thread runs that executor. One at a time.
  class PINION_EXPORT on_this_thread {
   public:
    explicit on_this_thread(executor_base& by) noexcept;
    on_this_thread(const on_this_thread&) = delete;
    on_this_thread& operator=(const on_this_thread&) = delete;
    ~on_this_thread();

   private:
    executor_base* before_;  // another one, whose task destroys this one, which is empty
  };

  /// Before anything is run.
  void slice_by(const preempt::word& word, preempt::slice_log& log) noexcept {
    word_ = &word;
    log_ = &log;
  }
  /// What a task_queue allows its executor alone.
  struct queue_end {
    void operator()(task_queue* queue) const noexcept { delete queue; }
  };
  /// What tasks share.
  struct shared_queues {
    std::vector<std::unique_ptr<task_queue, queue_end>> all;
    queue_order order;
  };
  /// Borrows that, by the executor's cell: there is no other way.
  template <executor_cell Cell>
  [[nodiscard]] auto enter(Cell& cell, const std::source_location& place) {
    return cell.enter(shared_, place);
  }
  /// As ready(), where the queue is not open.
  template <executor_cell Cell>
  void make_ready(Cell& cell, runnable& task);
  task_queue& add(queue_options options, preempt::slice_rule::queue number);
  [[nodiscard]] static preempt::slice_rule::queue number_of(const task_queue& queue) noexcept {
    return queue.number_;
  }
  [[nodiscard]] static bool is_empty(const task_queue& queue) noexcept { return queue.ready_.empty(); }
  /// The first task that is not over, or nullptr.
  [[nodiscard]] const task_header* first() const noexcept { return first_; }
  /// Requests the slot of each task.
  void cancel_all() noexcept;
  /// Runs tasks of it until none is ready, the word is due, or so many have been resumed. What a task throws
  /// that nobody waits for passes through.
  template <executor_cell Cell>
  [[gnu::noinline]] void run_slice(Cell& cell, task_queue& queue, std::uint32_t most);
  /// For stall_detector, which looks for that function in a stack.
  template <executor_cell Cell>
  [[nodiscard]] static std::uintptr_t run_slice_address() noexcept {
    // A pointer to a member that is not virtual begins with the address of the function.
    const auto member = &executor_base::run_slice<Cell>;
    std::uintptr_t address = 0;
    std::memcpy(&address, &member, sizeof address);
    return address;
  }

  instant now_;  // of the last reading

 private:
  friend class stall_detector;
  static void destroy(task_header& task) noexcept;

  const part_calls& parts_;
  shared_queues shared_;
  const preempt::word* word_ = nullptr;
  preempt::slice_log* log_ = nullptr;
  // Atomic for handlers of signals on this thread, so relaxed is enough.
  std::atomic<task_header*> running_{nullptr};
  std::uint32_t left_ = 0;     // tasks that this slice may resume
  std::uint32_t skipped_ = 0;  // what was taken from that, to end it
  std::exception_ptr thrown_;
  std::optional<remote_executor> heir_;
  task_header* first_ = nullptr;
  bool is_ending_ = false;
  bool has_detector_ = false;
};

// ---- Implementation ----

inline void executor_base::begin(task_header& task) noexcept {
  task_queue& queue = *task.queue_;
  ready(task);  // before all else, for the cell looks there
  task.next_task_ = std::exchange(first_, &task);
  task.link_ = &first_;
  if (task.next_task_ != nullptr) task.next_task_->link_ = &task.next_task_;
  ++queue.statistics_.tasks;
  if (is_ending_) [[unlikely]]
    task.own_slot_.request();
}

inline void executor_base::let_go(task_header& task) noexcept {
  task.has_handle_ = false;
  if (task.is_over_) destroy(task);
}

inline void executor_base::destroy(task_header& task) noexcept {
  const std::coroutine_handle<> frame = task.where;
  task.~task_header();
  frame.destroy();
}

template <executor_cell Cell>
void executor_base::make_ready(Cell& cell, runnable& task) {
  const auto here = std::source_location::current();
  task_queue& queue = *static_cast<task_header&>(task).queue_;
  const auto shared = enter(cell, here);
  if constexpr (Cell::is_checking) {
    const auto is_queue = [&](const auto& each) { return each.get() == &queue; };
    cell.expect([&] { return std::any_of(shared->all.begin(), shared->all.end(), is_queue); }, "U5",
                "a task is in a queue of another executor: spawn it into one of its own", here);
    if (!shared->order.has(queue)) shared->order.add(queue, now_);
  } else {
    shared->order.add(queue, now_);
    queue.is_open_ = true;
  }
  queue.ready_.push(task);
}

template <executor_cell Cell>
void executor_base::run_slice(Cell& cell, task_queue& queue, std::uint32_t most) {
  left_ = most;
  skipped_ = 0;
  const preempt::word& word = *word_;
  while (runnable* const next = cell.enter(queue.ready_, std::source_location::current())->pop()) {
    running_.store(static_cast<task_header*>(next), std::memory_order_relaxed);
    // Nothing is borrowed (U2). The builtin stands for resume(), which without optimisation is a function of
    // its own: a stall_detector would take that function for each task's place.
    __builtin_coro_resume(next->where.address());
    if (--left_ == 0 || word.is_due()) break;
  }
  running_.store(nullptr, std::memory_order_relaxed);
  queue.statistics_.resumed += most - left_ - skipped_;
  if (thrown_ != nullptr) [[unlikely]]
    std::rethrow_exception(std::exchange(thrown_, nullptr));
}

}  // namespace pinion::scheduler::inline PINION_MODE
