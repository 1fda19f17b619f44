// SPDX-License-Identifier: Apache-2.0
//
// stall_detector: tells which task holds up its executor's thread, and where, while it does.
//
//   executor loop;
//   const stall_detector watches{loop, {.after = ceil(25ms)}};  // on the loop's thread
//   loop.run(serves());
//
// What it sees goes to report(), as an error: the default sink prints that. Or it goes to a function, which
// fails a test, say:
//
//   constexpr auto fail = [](void* to, const stalled_task& seen) noexcept {
//     *static_cast<std::string*>(to) = to_string(seen);
//   };
//   const stall_detector watches{loop, {.told = {.function = fail, .context = &found}}};
//
// How it works. The source of slices calls a hook, on a thread of its own, when a slice goes on for so long
// after its end (stall_watch.hpp). The hook sends a signal to the executor's thread. The handler notes which
// task runs, and the return addresses of its stack, into room that was made before. The hook's thread waits
// for that, looks up the functions, and tells. If the slice is over when the signal comes, nothing is told:
// the handler finds another slice in the word, or no task that runs. What holds up the thread outside of a
// task, a timer's callback say, or the destructors of a task that is over, is not told of.
//
// Once for each place. A place is the task's coroutine and the function that it calls, whatever is called
// from there: that is where a look at the word is missing. Another call of the same function is the same
// place.
//
// The stack is walked by the tables that exceptions are thrown by (_Unwind_Backtrace), which every C++
// program has and frame pointers are not: compilers leave them out, in coroutines too. It allocates nothing.
// It is called once when the detector is made, so what it prepares at its first call is there before a
// handler needs it. With a C library older than 2.35 it takes the dynamic linker's lock: while another
// thread loads a library, the handler waits. The walk ends at a function without such tables, one that was
// made at run time say.
//
// What it costs. Nothing until a slice is late: the ticker looks at its slices in any case. A stall then
// costs its thread a signal and a walk, some microseconds. A wait of the stalled task that SA_RESTART does
// not begin again (nanosleep, poll) returns EINTR.
//
// Faults. A thread that does not take the signal within a second, since it blocks it, is told of without task
// and stack; other hooks of the ticker wait meanwhile. In a child of fork() it goes on where the executor's
// thread forked; a stall that was being looked at is told of in the parent alone.
//
// Memory ordering. One word says whose turn it is: the hook's (idle), the handler's (asked, walking), the
// hook's (done). The hook writes the slice's number and then `asked` with release; the handler acquires
// that, writes what it saw and then `done` with release, which the hook acquires. The hook takes `asked`
// back by a compare-and-exchange, and the handler leaves it by one: one of the two succeeds. looks()
// acquires what the hook releases when it has told. What the handler reads of the executor its own thread
// wrote: the task that runs is atomic, for a handler may come at any time, and what stands in the task's
// header was written before the task first ran.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <pinion/base/callback.hpp>
#include <pinion/base/export.hpp>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
#include <pinion/preempt/concept.hpp>
#include <pinion/preempt/stall_watch.hpp>
#include <pinion/scheduler/executor.hpp>
#include <pinion/scheduler/executor_base.hpp>
#include <span>
#include <string>
#include <string_view>

namespace pinion::scheduler::inline PINION_MODE {

/// A task that holds up its thread, as it was seen. The views are valid during the call.
struct stalled_task {
  duration late;           ///< so long after the end of its slice it was seen
  std::string_view task;   ///< its name, of which 63 bytes are kept; empty: none
  std::string_view queue;  ///< its queue's name
  /// In each function, for function_name(): from the one that runs to the task's coroutine; 128 at most.
  /// Empty: the thread took no signal.
  std::span<const void* const> stack;
};

/// For people: what holds up what, for how long, what to do, and a line for each function.
PINION_EXPORT [[nodiscard]] std::string to_string(const stalled_task& seen);

/// The knobs of a stall_detector.
struct stall_options {
  duration after{25'000'000};  ///< how long after the end of its slice a task is told of: 10 us or more
  duration between{0};         ///< so far apart are two reports; what is seen sooner is told another time
  std::uint32_t places = 64;   ///< so many are told of, and no more: 1 to 65,536
  int signal = 0;              ///< a real-time one that nobody handles; 0: the highest that is free
  /// Called on the thread of the source that is for hooks, and may do what those may (ticker.hpp); empty:
  /// report().
  callback<const stalled_task&> told{};
};

/// Of one executor, which has one at most, and on its thread: made and destroyed there, before the executor
/// goes.
class PINION_EXPORT stall_detector {
 public:
  /// In place of the stall_watch that the executor's source has. Throws a refusal (std::system_error) where
  /// the signal isn't to be had, there can be no thread, or an option is out of range.
  template <executor_parts P>
  explicit stall_detector(basic_executor<P>& of, const stall_options& options = {})
      : stall_detector(of, options, &of.slicer().source(), &watch_source<typename P::source>,
                       executor_base::run_slice_address<typename P::cell>()) {
    static_assert(
        preempt::watchable_source<typename P::source>,
        "a stall_detector needs slices whose source tells of stalls on a thread of its own, and this one "
        "does not: take ticker_source, or slice_log::report_above(), which any source has");
  }
  stall_detector(const stall_detector&) = delete;
  stall_detector& operator=(const stall_detector&) = delete;
  /// Waits for the function that is told, if that runs.
  ~stall_detector();

  /// The signal by which it looks.
  [[nodiscard]] int signal() const noexcept;
  /// How many stalls it was told of so far by the source, those that it did not tell of included. Any
  /// thread; a thread that sees one counted sees what was done when it was told.
  [[nodiscard]] std::uint64_t looks() const noexcept;

 private:
  class probe;
  using watch_function = void (*)(void* source, preempt::stall_watch watch);
  template <class Source>
  static void watch_source(void* source, preempt::stall_watch watch) {
    if constexpr (preempt::watchable_source<Source>) static_cast<Source*>(source)->watch(watch);
  }
  stall_detector(executor_base& of, const stall_options& options, void* source, watch_function watch,
                 std::uintptr_t run_slice);

  executor_base& of_;
  void* source_;
  watch_function watch_;
  std::unique_ptr<probe> probe_;
};

}  // namespace pinion::scheduler::inline PINION_MODE
