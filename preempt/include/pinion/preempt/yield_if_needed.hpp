// SPDX-License-Identifier: Apache-2.0
//
// yield_if_needed, yield_every, checkpoint: looking at the word, in the forms that a loop is written with;
// and yield_now, which looks at nothing.
//
//   task<> hash_all(auto& executor, std::span<const block> blocks) {
//     for (const block& each : blocks) {
//       hash(each);
//       co_await preempt::yield_if_needed(executor);  // goes on at once, unless it is due
//     }
//     co_await preempt::yield_if_needed();            // the same, by promise.executor()
//   }
//
//   auto pace = preempt::yield_every<64>(executor);   // looks each 64th time: for bodies of some nanoseconds
//   for (int value : values) { sum += value; co_await pace; }
//   auto here = preempt::yield_every<64>();           // the same, by promise.executor()
//
//   bool walk(const node*& at, const preempt::word& word) {  // can't yield: it unwinds, and is called again
//     while (at != nullptr) {
//       visit(*at);
//       at = at->next;
//       if (preempt::checkpoint(word)) return false;         // after some work, or it would never end
//     }
//     return true;
//   }
//
//   while (!walk(at, executor.preempt_word())) co_await preempt::yield_now(executor);
//
// Other tasks run inside the co_await, and nowhere else (law Y2): what must not change under this task is not
// held across it (no_yield).
//
// What it costs while nothing is due: the executor's address and the word are loaded, and one store goes into
// the frame: with the executor its address, which a suspension needs; by the promise the place to go on
// at. What the loop has in registers is saved beside it.
#pragma once

#include <pinion/config.hpp>

#include <coroutine>
#include <cstdint>
#include <pinion/base/assert.hpp>
#include <pinion/base/executor.hpp>
#include <pinion/preempt/executor.hpp>
#include <pinion/preempt/word.hpp>

namespace pinion::preempt::inline PINION_MODE {

namespace yield_detail {

// That somebody looks. Whether or not anything is due: a guard that is held by luck is held by mistake.
template <yielding_executor Executor>
void look(Executor& executor) noexcept {
  PINION_ASSERT(
      !executor.slices().is_held(),
      "a task checked whether to yield while it holds a no_yield: let go of it first, or check later");
  if constexpr (is_counted || is_checked) executor.slices().checked();
}

template <yielding_executor Executor>
[[nodiscard]] bool is_due(Executor& executor) noexcept {
  look(executor);
  return executor.preempt_word().is_due();
}

template <yielding_executor Executor>
void yield(Executor& executor, std::coroutine_handle<> where) noexcept {
  if constexpr (is_counted) executor.slices().yielded();
  runnable& task = executor.running();
  task.where = where;
  executor.ready(task);
}

}  // namespace yield_detail

/// Awaited: lets others run, if it is due.
template <yielding_executor Executor>
class [[nodiscard]] yielding {
 public:
  /// On that executor, which the awaiting task runs on.
  explicit yielding(Executor& executor) noexcept : executor_(executor) {}

  /// What an awaiter has.
  [[nodiscard]] bool await_ready() const noexcept { return !yield_detail::is_due(executor_); }
  void await_suspend(std::coroutine_handle<> task) const noexcept { yield_detail::yield(executor_, task); }
  void await_resume() const noexcept {}

 private:
  Executor& executor_;
};

/// Awaited in a coroutine whose promise knows its executor: the same.
struct [[nodiscard]] yielding_here {
  /// What an awaiter has.
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  template <can_yield Promise>
  [[nodiscard]] static bool await_suspend(std::coroutine_handle<Promise> task) noexcept {
    auto& executor = executor_of(task.promise());
    if (!yield_detail::is_due(executor)) return false;
    yield_detail::yield(executor, task);
    return true;
  }
  static void await_resume() noexcept {}
};

/// Awaited: lets others run, due or not.
template <yielding_executor Executor>
class [[nodiscard]] yielding_now {
 public:
  /// On that executor, which the awaiting task runs on.
  explicit yielding_now(Executor& executor) noexcept : executor_(executor) {}

  /// What an awaiter has.
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> task) const noexcept { yield_detail::yield(executor_, task); }
  static void await_resume() noexcept {}

 private:
  Executor& executor_;
};

/// Lets those run who are ready, due or not.
template <yielding_executor Executor>
[[nodiscard]] yielding_now<Executor> yield_now(Executor& executor) noexcept {
  return yielding_now<Executor>{executor};
}

/// Lets others run if it is due: with the executor, the cheaper one.
template <yielding_executor Executor>
[[nodiscard]] yielding<Executor> yield_if_needed(Executor& executor) noexcept {
  return yielding<Executor>{executor};
}
[[nodiscard]] inline yielding_here yield_if_needed() noexcept { return {}; }

/// For plain functions, which can't be suspended: whether to return, so that the calling coroutine yields.
[[nodiscard]] inline bool checkpoint(const word& word) noexcept { return word.is_due(); }

/// Awaited again and again: each Nth time it is yield_if_needed(), else nothing.
template <std::uint32_t N, yielding_executor Executor>
class yield_every_on {
  static_assert(N > 0, "yield_every<0> would never look: take 1 to look each time");

 public:
  /// On that executor, which the awaiting task runs on.
  explicit yield_every_on(Executor& executor) noexcept : executor_(executor) {}

  /// What an awaiter has.
  [[nodiscard]] bool await_ready() noexcept {
    if (--left_ != 0) [[likely]]
      return true;
    left_ = N;
    return !yield_detail::is_due(executor_);
  }
  void await_suspend(std::coroutine_handle<> task) const noexcept { yield_detail::yield(executor_, task); }
  void await_resume() const noexcept {}

 private:
  Executor& executor_;
  std::uint32_t left_ = N;
};

/// The same in a coroutine whose promise knows its executor.
template <std::uint32_t N>
class yield_every_here {
  static_assert(N > 0, "yield_every<0> would never look: take 1 to look each time");

 public:
  /// What an awaiter has.
  [[nodiscard]] bool await_ready() noexcept {
    if (--left_ != 0) [[likely]]
      return true;
    left_ = N;
    return false;
  }
  template <can_yield Promise>
  [[nodiscard]] static bool await_suspend(std::coroutine_handle<Promise> task) noexcept {
    return yielding_here::await_suspend(task);
  }
  static void await_resume() noexcept {}

 private:
  std::uint32_t left_ = N;
};

/// One to keep beside the loop, and to await in it by its name.
template <std::uint32_t N, yielding_executor Executor>
[[nodiscard]] yield_every_on<N, Executor> yield_every(Executor& executor) noexcept {
  return yield_every_on<N, Executor>{executor};
}
template <std::uint32_t N>
[[nodiscard]] yield_every_here<N> yield_every() noexcept {
  return {};
}

}  // namespace pinion::preempt::inline PINION_MODE
