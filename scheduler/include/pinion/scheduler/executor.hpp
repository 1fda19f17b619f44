// SPDX-License-Identifier: Apache-2.0
//
// basic_executor, executor: runs tasks on one thread, with timers, I/O and wakes, made of any backends of the
// parts.
//
//   task<> hello() {
//     co_await sleep_for(10ms);
//     std::puts("hello");
//   }
//
//   executor loop;
//   loop.run(hello());
//
// Another backend is another type:
//
//   struct own_parts : default_parts {
//     using source = preempt::tsc_budget;
//   };
//   basic_executor<own_parts> loop;
//
// Where one task is all:
//
//   const int sum = block_on(adds(40, 2));
//
// Tasks run in slices of their queues, in rounds of turn.hpp: wakes, timers, tasks, then I/O. A slice ends
// when its queue has nothing to run, when its word is due, or after `tasks_a_slice` tasks; a round has as
// many slices, at most, as queues were ready as it began.
//
// Ending. When an executor is destroyed, the slot of each task is requested, and the executor runs on until
// all are over: so each task ends once (law E1). After options.patience the executor stops what it asked of
// the kernel. After that time once more the law is broken by the tasks that are left: they ignore that they
// are cancelled, or wait for something that is under no slot. They are reported and left as they are, with
// what they hold, since a coroutine that waits can't be destroyed.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/error.hpp>
#include <pinion/base/refusal.hpp>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
#include <pinion/iosubmit/default_ring.hpp>
#include <pinion/iosubmit/submission.hpp>
#include <pinion/preempt/slicer.hpp>
#include <pinion/scheduler/executor_base.hpp>
#include <pinion/scheduler/executor_parts.hpp>
#include <pinion/scheduler/frames/use_frames.hpp>
#include <pinion/scheduler/sleep.hpp>
#include <pinion/scheduler/task.hpp>
#include <pinion/scheduler/task_io.hpp>
#include <pinion/scheduler/task_queue.hpp>
#include <pinion/scheduler/turn.hpp>
#include <pinion/scheduler/yield.hpp>
#include <pinion/timer/calling_queue.hpp>
#include <pinion/timer/interval.hpp>
#include <pinion/timer/timer_call.hpp>
#include <pinion/timer/timer_queue.hpp>
#include <pinion/waker/wake_channel.hpp>
#include <source_location>
#include <system_error>
#include <utility>

namespace pinion::scheduler::inline PINION_MODE {

/// The knobs of an executor.
struct executor_options {
  queue_options main_queue{};          ///< the queue that there always is
  turn_options turn{};                 ///< of its rounds
  iosubmit::ring_options ring{};       ///< of its ring
  std::uint32_t tasks_a_slice = 1024;  ///< so many tasks go on in one slice, at most; 1 or more
  duration patience{1'000'000'000};    ///< how long its end waits, twice: 10 us or more
};

namespace executor_detail {
PINION_EXPORT [[nodiscard]] expected<void, refusal> checked(const queue_options& options);
PINION_EXPORT [[nodiscard]] expected<executor_options, refusal> checked(const executor_options& options);
PINION_EXPORT void tell_of_left(std::size_t tasks, const char* first);
template <class T>
T or_throw(expected<T, refusal>&& made) {
  if (!made) throw_refusal(made.error());
  if constexpr (!std::is_void_v<T>) return *std::move(made);
}
}  // namespace executor_detail

/// Of one thread, which makes it, runs it and destroys it.
template <executor_parts P = default_parts>
class basic_executor : public executor_base {
  using clock = typename P::clock;

 public:
  using timer_queue = timer::timer_queue<typename P::timers, clock>;                          ///< its timers
  using channel_type = waker::wake_channel<typename P::inbox, typename P::notifier>;          ///< its wakes
  using submission_type = iosubmit::submission<typename P::policy, typename P::ring, clock>;  ///< its I/O
  using slicer_type = preempt::slicer<typename P::source>;                                    ///< its slices

  /// Throws a refusal (std::system_error) where a ring can't be had, or an option is out of range.
  explicit basic_executor(const executor_options& options = {}, clock its_clock = {})
      : basic_executor(options,
                       executor_detail::or_throw(iosubmit::open_ring<typename P::ring>(options.ring)),
                       std::move(its_clock)) {}
  /// Over that ring, and a source made of the arguments.
  template <class... SourceArguments>
  basic_executor(const executor_options& options, typename P::ring ring, clock its_clock,
                 SourceArguments&&... source)
      : executor_base(calls_of_parts), options_(executor_detail::or_throw(executor_detail::checked(options))),
        clock_(std::move(its_clock)), timers_(clock_), io_(std::move(ring), typename P::policy{}, clock_),
        slicer_(std::forward<SourceArguments>(source)...),
        turn_(timers_, channel_, io_, absent, options.turn, clock_) {
    now_ = clock_.now();
    slice_by(slicer_.word(), slicer_.log());
    add_queue(options.main_queue);
  }
  /// Ends each task.
  ~basic_executor();

  /// Runs that task, and the others beside it, until it is over: its result, or what it threw. What a task
  /// throws that nobody waits for is thrown, too; then the next run() goes on. Not inside a task.
  template <class T>
  T run(task<T>&& what) {
    join_handle<T> handle = spawn(std::move(what));
    run_until([&handle] { return handle.is_over(); });
    return handle.take();
  }
  /// Runs until no task is left.
  void run() {
    run_until([this] { return empty(); });
  }
  /// Runs until that is true, which is looked at after each round. A round that waits is ended by what it
  /// waits for alone.
  template <std::predicate IsOver>
  void run_until(IsOver&& is_over) {
    expect_owner();
    cell_.expect([] { return current() == nullptr; }, "U4",
                 "an executor was run inside a task of another one, or of its own: await the task instead",
                 place::current());
    rounds_until(is_over);
  }
  /// The same, whatever tasks throw that nobody waits for: that is reported.
  template <std::predicate IsOver>
  void run_on_until(IsOver&& is_over) noexcept {
    while (!is_over()) {
      try {
        run_until(is_over);
      } catch (...) {
        task_detail::tell_of_lost(std::current_exception(), nullptr);
      }
    }
  }

  /// Spawns a task, in the queue of the one that runs, else in main_queue(). The name, for reports, outlives
  /// it.
  template <class T>
  join_handle<T> spawn(task<T>&& what, const char* name = nullptr) noexcept {
    expect_owner();
    return {*this, std::move(what), current_queue(), name};
  }
  /// The same in that queue of this executor.
  template <class T>
  join_handle<T> spawn_into(task_queue& queue, task<T>&& what, const char* name = nullptr) noexcept {
    expect_owner();
    return {*this, std::move(what), queue, name};
  }
  /// Another queue, for as long as the executor lives. Throws a refusal where an option is out of range.
  task_queue& add_queue(queue_options options);

  /// Files and sockets, as its tasks await them.
  [[nodiscard]] task_io<submission_type> io() noexcept {
    expect_owner();
    return {*this, io_};
  }

  /// Its parts, for what else they can do; what waits by them directly waits under the slot that it is given.
  [[nodiscard]] timer_queue& timers() noexcept { return owned(&timers_); }
  [[nodiscard]] channel_type& channel() noexcept { return channel_; }  ///< on any thread
  [[nodiscard]] submission_type& submission() noexcept { return owned(&io_); }
  [[nodiscard]] slicer_type& slicer() noexcept { return owned(&slicer_); }
  [[nodiscard]] typename P::frames& frames() noexcept { return owned(&frames_); }
  /// What its rounds did so far.
  [[nodiscard]] const turn_statistics& statistics() const noexcept { return owned(&turn_).statistics(); }
  /// As executor_base says.
  [[nodiscard]] std::size_t size() const noexcept { return owned(this).executor_base::size(); }
  [[nodiscard]] cancel_slot& slot() noexcept { return owned(this).executor_base::slot(); }
  [[nodiscard]] task_queue& main_queue() noexcept { return owned(this).executor_base::main_queue(); }
  [[nodiscard]] task_queue& current_queue() noexcept { return owned(this).executor_base::current_queue(); }

 private:
  using place = std::source_location;
  void expect_owner(const place& here = place::current()) const { cell_.expect_owner(here); }
  template <class T>
  [[nodiscard]] T& owned(T* part, const place& here = place::current()) const {
    expect_owner(here);
    return *part;
  }
  [[nodiscard]] auto shared(const place& here = place::current()) { return enter(cell_, here); }
  [[nodiscard]] bool has_ready(const place& here = place::current()) { return !shared(here)->order.empty(); }

  // As the turn sees its tasks.
  struct runner {
    basic_executor& of;
    [[nodiscard]] bool has_ready() const noexcept { return of.has_ready(); }
    instant run(const preempt::slice_state& state) { return of.run_slices(state); }
    void rest() const noexcept { of.slicer_.rest(); }
  };

  template <class IsOver>
  void rounds_until(IsOver& is_over) {
    const on_this_thread here{*this};
    const use_frames frames{frames_};
    runner tasks{*this};
    while (!is_over()) turn_(tasks);
  }
  void be_impatient() noexcept { ++impatience_; }
  static timer_queue& timers_of(executor_base& by) noexcept {
    return static_cast<basic_executor&>(by).timers();
  }
  static void ready_by(executor_base& by, runnable& task) noexcept {
    auto& self = static_cast<basic_executor&>(by);
    self.make_ready(self.cell_, task);
  }
  static instant now_of(const executor_base& by) noexcept {
    const auto& self = static_cast<const basic_executor&>(by);
    return self.owned(&self.timers_).now();
  }
  static void arm_by(executor_base& by, task_timer& timer, instant deadline);
  static void hurry_by(executor_base& by, task_timer& timer) noexcept;
  static void disarm_by(executor_base& by, task_timer& timer) noexcept;
  static remote_executor remote_of(executor_base& by) {
    return {by, static_cast<basic_executor&>(by).channel_.sender()};
  }
  static constexpr part_calls calls_of_parts{&ready_by, &now_of, &arm_by, &hurry_by, &disarm_by, &remote_of};
  static constexpr bool has_hooks = timer::queue_of_calls<timer_queue>;

  instant run_slices(preempt::slice_state state);
  instant run_slice_of(const queue_order::choice& next, preempt::slice_state state);

  typename P::frames frames_;  // the last to go
  [[no_unique_address]] typename P::cell cell_;
  executor_options options_;
  [[no_unique_address]] clock clock_;
  timer_queue timers_;
  channel_type channel_;
  submission_type io_;
  slicer_type slicer_;
  int impatience_ = 0;  // of its end
  turn<timer_queue, channel_type, submission_type, nothing, clock> turn_;
};

/// Of what a build recommends.
using executor = basic_executor<>;

/// For a main() and for tests: runs the task by an executor of its own on this thread, which ends what the
/// task has left beside it. Its result, or what it threw; a refusal where no executor can be had. Not inside
/// a task.
template <class T>
T block_on(task<T>&& what, const executor_options& options = {}) {
  return executor{options}.run(std::move(what));
}

// ---- Implementation ----

template <executor_parts P>
task_queue& basic_executor<P>::add_queue(queue_options options) {
  executor_detail::or_throw(executor_detail::checked(options));
  [[maybe_unused]] const auto shared = this->shared();
  const auto number =
      executor_detail::or_throw(slicer_.add({.quantum = options.quantum, .latency = options.latency}));
  return add(std::move(options), number);
}

template <executor_parts P>
void basic_executor<P>::arm_by(executor_base& by, task_timer& timer, instant deadline) {
  if constexpr (has_hooks)
    timers_of(by).at(deadline, timer);
  else
    timer.handle = timers_of(by).at(deadline, typename timer_queue::value_type([&timer] { timer.due(); }));
}

template <executor_parts P>
void basic_executor<P>::hurry_by(executor_base& by, task_timer& timer) noexcept {
  if constexpr (has_hooks)
    timers_of(by).at(instant{}, timer);
  else
    timers_of(by).push_on(timer.handle, instant{});
}

template <executor_parts P>
void basic_executor<P>::disarm_by(executor_base& by, task_timer& timer) noexcept {
  if constexpr (has_hooks)
    timers_of(by).cancel(timer);
  else
    timers_of(by).cancel(timer.handle);
}

template <executor_parts P>
instant basic_executor<P>::run_slices(preempt::slice_state state) {
  // Slices are not told whether other queues are ready: beside a channel each ends by its quantum anyway.
  for (std::size_t slices = shared()->order.size(); slices != 0 && has_ready(); --slices) {
    const auto next = shared()->order.next(state.now);
    state.now = run_slice_of(next, state);
  }
  frames_.collect();
  return state.now;
}

template <executor_parts P>
instant basic_executor<P>::run_slice_of(const queue_order::choice& next, preempt::slice_state state) {
  struct slice {
    basic_executor& of;
    task_queue& queue;
    instant began;
    ~slice() {
      of.now_ = of.clock_.now();
      of.slicer_.end(of.now_);
      queue_order::ran(queue, of.now_ - began, of.now_);
      if (is_empty(queue)) of.shared()->order.remove(queue);
    }
  };
  if (next.at_most != forever) state.next_timer = std::min(state.next_timer, state.now + next.at_most);
  slicer_.begin(number_of(*next.queue), state);
  {
    const slice ends{*this, *next.queue, state.now};
    run_slice(cell_, *next.queue, options_.tasks_a_slice);
  }
  return now_;
}

template <executor_parts P>
basic_executor<P>::~basic_executor() {
  expect_owner();
  cell_.expect([this] { return current() != this; }, "U4",
               "an executor was destroyed inside a task of its own: end the task before", place::current());
  cancel_all();
  // Each tick ends a wait, and one of the two things that may last too long.
  timer::interval patience{timers_, timer::calls<&basic_executor::be_impatient>, *this};
  try {
    patience.start(options_.patience, timer::missed_ticks::burst);
  } catch (...) {
    impatience_ = 2;  // there is no memory for a timer, so nothing that may last is waited for
  }
  run_on_until([this] { return empty() || impatience_ >= 1; });
  io_.stop();
  run_on_until([this] { return empty() || impatience_ >= 2; });
  // Not before: what its tasks await in other executors comes home by it. What is called now may spawn, and
  // throw: then what is left is called the next time.
  auto closes = [this] {
    channel_.close(waker::call_wakes);
    return empty() || impatience_ >= 2;
  };
  for (;;) {
    try {
      rounds_until(closes);
      break;
    } catch (...) {
      task_detail::tell_of_lost(std::current_exception(), nullptr);
    }
  }
  if (!empty()) executor_detail::tell_of_left(size(), first()->name);
}

}  // namespace pinion::scheduler::inline PINION_MODE
