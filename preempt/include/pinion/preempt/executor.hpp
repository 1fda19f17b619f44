// SPDX-License-Identifier: Apache-2.0
//
// yielding_executor: what the forms (yield_if_needed, for_each, …) ask of an executor: the two calls that
// every awaitable wants (base/executor.hpp), the word, and where slices are noted.
//
//   struct my_loop {
//     runnable& running() noexcept { return *running_; }
//     void ready(runnable& task) noexcept { ready_.push(task); }
//     const preempt::word& preempt_word() const noexcept { return slices_.word(); }
//     preempt::slice_log& slices() noexcept { return slices_.log(); }
//     bool turn(instant now) {  // runs one task
//       running_ = ready_.pop();
//       if (running_ == nullptr) return false;
//       slices_.begin(queue_, {.now = now, .others_ready = !ready_.empty()});
//       running_->where.resume();
//       slices_.end(monotonic_clock::now());
//       return true;
//     }
//     ready_list ready_;
//     runnable* running_ = nullptr;
//     preempt::slicer<> slices_;
//     preempt::slicer<>::queue queue_ = *slices_.add({.quantum = ceil(1ms)});
//   };
//
// A form is given the executor, or finds it by promise.executor(), a reference or a pointer. The first four
// calls are made before each check, or when a task yields, so they belong in the header, where they cost a
// load.
//
// The task that runs yields: it is made ready like any other. Where it goes on may lie in a coroutine that it
// awaits; for_each has one of its own.
#pragma once

#include <pinion/config.hpp>

#include <concepts>
#include <coroutine>
#include <pinion/base/executor.hpp>
#include <pinion/preempt/slice_log.hpp>
#include <pinion/preempt/word.hpp>
#include <type_traits>

namespace pinion::preempt::inline PINION_MODE {

/// An executor whose tasks can let others run. All calls are made on its thread.
template <class Executor>
concept yielding_executor = executor<Executor> && requires(Executor& by, const Executor& seen) {
  // Its source's; the same one for ever.
  { seen.preempt_word() } noexcept -> std::same_as<const word&>;
  // Where checks and yields are noted.
  { by.slices() } noexcept -> std::same_as<slice_log&>;
};

/// A promise that says by whom its coroutine is run, and that one lets it yield.
template <class Promise>
concept can_yield =
    knows_executor<Promise> &&
    yielding_executor<std::remove_reference_t<decltype(executor_of(std::declval<Promise&>()))>>;

}  // namespace pinion::preempt::inline PINION_MODE
