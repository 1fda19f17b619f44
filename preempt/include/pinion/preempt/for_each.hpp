// SPDX-License-Identifier: Apache-2.0
//
// for_each: a plain function for each element of a range, with a look at the word before each: the loop that
// can't forget to.
//
//   co_await preempt::for_each(executor, blocks, [&](const block& each) { hash(each); });
//   co_await preempt::for_each<64>(executor, values, [&](int value) { sum += value; });  // before each 64th
//   co_await preempt::for_each(blocks, hash);                                        // by promise.executor()
//
//   // Where the function returns bool, false is enough: nothing more is visited, and false comes out.
//   const bool all =
//       co_await preempt::for_each(executor, lines, [&](std::string_view line) { return parse(line); });
//   if (!all) co_return;
//
// Other tasks run between two elements, and never inside the function (law Y2). What that throws comes out of
// the co_await. The range is neither copied nor moved, and may be endless.
//
// What it costs. While nothing is due it is the loop with the check in it: it suspends nobody and allocates
// nothing. A coroutine is resumed by the executor where it awaits, and can't be suspended there a second
// time; so for_each, when it has to yield for the first time, makes a small coroutine that has the rest of
// the loop: one allocation for the whole loop, by operator new, and std::bad_alloc out of the co_await if
// there is none. The executor resumes that one from then on, and at the end it goes on in the awaiting
// coroutine directly. It is a part of the awaiting coroutine's frame: destroyed with it, it ends with it.
//
// The range must live until the co_await is through. A temporary does, to the end of the expression that it
// is made in; so what for_each returns can be awaited in that expression, and not by a name: `auto later =
// for_each(…); co_await later;` does not compile.
//
// With g++ 12, give a function that has captured by value something with a destructor by its name: of a
// lambda that is written inside any co_await expression that compiler destroys such captures twice.
#pragma once

#include <pinion/config.hpp>

#include <concepts>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <pinion/preempt/executor.hpp>
#include <pinion/preempt/yield_if_needed.hpp>
#include <ranges>
#include <type_traits>
#include <utility>

namespace pinion::preempt::inline PINION_MODE {

/// What for_each calls: a plain function that returns nothing, or bool: false if it wants no more. Not one
/// that returns a task, which nobody would await: write the loop, and co_await in it.
template <class Function, class Element>
concept element_function =
    std::invocable<Function&, Element> && (std::same_as<std::invoke_result_t<Function&, Element>, void> ||
                                           std::same_as<std::invoke_result_t<Function&, Element>, bool>);

namespace for_each_detail {
template <std::uint32_t N, class Iterator, class Sentinel, class Function>
class loop;
template <yielding_executor Executor, class Loop>
class awaiter_on;
template <class Loop>
class awaiter_here;

template <std::uint32_t N, class Range, class Function>
using loop_over = loop<N, std::ranges::iterator_t<Range>, std::ranges::sentinel_t<Range>, Function>;
}  // namespace for_each_detail

/// What for_each returns: awaited in the expression that it is made in.
template <class Awaiter>
class [[nodiscard]] looping {
 public:
  /// Made by for_each.
  explicit looping(Awaiter&& awaiter) : awaiter_(std::move(awaiter)) {}
  looping(const looping&) = delete;
  looping& operator=(const looping&) = delete;

  /// Of a temporary, and of nothing else.
  [[nodiscard]] Awaiter operator co_await() && { return std::move(awaiter_); }
  // By a name, it could be awaited when the range is gone.
  void operator co_await() & = delete;

 private:
  Awaiter awaiter_;
};

/// Calls `function` for each element, and lets others run before each Nth, the first one included, if it is
/// due.
template <std::uint32_t N = 1, yielding_executor Executor, std::ranges::input_range Range,
          element_function<std::ranges::range_reference_t<Range>> Function>
  requires(N > 0)
[[nodiscard]] auto for_each(Executor& executor, Range&& range, Function function) {
  using loop = for_each_detail::loop_over<N, Range, Function>;
  using awaiter = for_each_detail::awaiter_on<Executor, loop>;
  return looping<awaiter>{
      awaiter{executor, loop{std::ranges::begin(range), std::ranges::end(range), std::move(function)}}};
}

/// The same in a coroutine whose promise knows its executor.
template <std::uint32_t N = 1, std::ranges::input_range Range,
          element_function<std::ranges::range_reference_t<Range>> Function>
  requires(N > 0)
[[nodiscard]] auto for_each(Range&& range, Function function) {
  using loop = for_each_detail::loop_over<N, Range, Function>;
  using awaiter = for_each_detail::awaiter_here<loop>;
  return looping<awaiter>{
      awaiter{loop{std::ranges::begin(range), std::ranges::end(range), std::move(function)}}};
}

// ---- Implementation ----

namespace for_each_detail {

// The coroutine that has the rest of a loop. It is suspended whenever it isn't run by the executor, and at
// its end until it is destroyed.
class rest {
 public:
  class promise_type {
   public:
    template <class Loop, class Executor>
    promise_type(const Loop&, const Executor&, std::coroutine_handle<> awaiting) noexcept
        : awaiting_(awaiting) {}

    rest get_return_object() noexcept { return rest{handle::from_promise(*this)}; }
    static std::suspend_never initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept { return going_on{awaiting_}; }
    static void return_void() noexcept {}
    void unhandled_exception() noexcept { failed_ = std::current_exception(); }

   private:
    friend rest;
    std::coroutine_handle<> awaiting_;
    std::exception_ptr failed_;
  };

  rest() = default;
  rest(rest&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  rest& operator=(rest&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~rest() {
    if (handle_) handle_.destroy();
  }

  void rethrow() const {
    if (handle_ && handle_.promise().failed_) std::rethrow_exception(handle_.promise().failed_);
  }

 private:
  using handle = std::coroutine_handle<promise_type>;
  struct going_on {
    std::coroutine_handle<> where;
    [[nodiscard]] static bool await_ready() noexcept { return false; }
    [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<>) const noexcept {
      return where;
    }
    static void await_resume() noexcept {}
  };
  explicit rest(handle of) noexcept : handle_(of) {}

  handle handle_;
};

template <class Loop, yielding_executor Executor>
rest rest_of(Loop& of, Executor& executor, std::coroutine_handle<> /*awaiting*/) {
  do co_await yielding_now<Executor>{executor};
  while (!of.run(executor, Loop::stride));
}

// Where a loop is, and the rest of it once it has yielded.
template <std::uint32_t N, class Iterator, class Sentinel, class Function>
class loop {
 public:
  static constexpr std::uint32_t stride = N;

  loop(Iterator at, Sentinel end, Function&& function)
      : at_(std::move(at)), end_(std::move(end)), function_(std::move(function)) {}

  // Goes on until the end, which is true, or until it is due. `ahead`: how many elements to visit before the
  // next look.
  template <class Executor>
  [[nodiscard]] bool run(Executor& executor, std::uint32_t ahead) {
    // Not in the frame: there, each write of the function's might change it, for all that the compiler knows.
    Iterator at = std::move(at_);
    for (; at != end_; ++at) {
      if (ahead == 0) {
        if (yield_detail::is_due(executor)) {
          at_ = std::move(at);
          return false;
        }
        ahead = N;
      }
      --ahead;
      if constexpr (may_stop) {
        if (!std::invoke(function_, *at)) {
          visits_all_ = false;
          return true;
        }
      } else {
        std::invoke(function_, *at);
      }
    }
    return true;
  }

  template <class Executor>
  void yield(Executor& executor, std::coroutine_handle<> awaiting) {
    rest_ = rest_of(*this, executor, awaiting);
  }

  auto result() const {
    rest_.rethrow();
    if constexpr (may_stop) return visits_all_;
  }

 private:
  static constexpr bool may_stop =
      std::same_as<std::invoke_result_t<Function&, std::iter_reference_t<Iterator>>, bool>;

  Iterator at_;
  [[no_unique_address]] Sentinel end_;
  [[no_unique_address]] Function function_;
  bool visits_all_ = true;
  rest rest_;
};

template <yielding_executor Executor, class Loop>
class awaiter_on {
 public:
  awaiter_on(Executor& executor, Loop&& loop) : executor_(executor), loop_(std::move(loop)) {}

  [[nodiscard]] bool await_ready() { return loop_.run(executor_, 0); }
  void await_suspend(std::coroutine_handle<> awaiting) { loop_.yield(executor_, awaiting); }
  auto await_resume() const { return loop_.result(); }

 private:
  Executor& executor_;
  Loop loop_;
};

template <class Loop>
class awaiter_here {
 public:
  explicit awaiter_here(Loop&& loop) : loop_(std::move(loop)) {}

  [[nodiscard]] static bool await_ready() noexcept { return false; }
  template <can_yield Promise>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> awaiting) {
    auto& executor = executor_of(awaiting.promise());
    if (loop_.run(executor, 0)) return false;
    loop_.yield(executor, awaiting);
    return true;
  }
  auto await_resume() const { return loop_.result(); }

 private:
  Loop loop_;
};

}  // namespace for_each_detail

}  // namespace pinion::preempt::inline PINION_MODE
