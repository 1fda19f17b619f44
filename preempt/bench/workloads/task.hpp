// SPDX-License-Identifier: Apache-2.0
//
// task: the coroutine that is measured. Its promise knows its executor, which is the coroutine's first
// parameter.
//
//   task<Executor> hog(Executor& on, hog_work& work) { …; co_await preempt::yield_if_needed(); }
//
//   const task<Executor> one = hog(on, work);     // suspended before its first line; destroyed with `one`
//   one.handle().resume();
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace pinion::preempt::bench {

template <class Executor>
class task {
 public:
  class promise_type {
   public:
    template <class... Others>
    explicit promise_type(Executor& on, Others&...) noexcept : executor_(on) {}

    [[nodiscard]] Executor& executor() const noexcept { return executor_; }
    task get_return_object() noexcept {
      return task{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static std::suspend_always final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    [[noreturn]] static void unhandled_exception() noexcept { std::terminate(); }

   private:
    Executor& executor_;
  };

  task(task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  task& operator=(task&&) = delete;
  ~task() {
    if (handle_) handle_.destroy();
  }

  [[nodiscard]] std::coroutine_handle<> handle() const noexcept { return handle_; }

 private:
  explicit task(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}

  std::coroutine_handle<promise_type> handle_;
};

}  // namespace pinion::preempt::bench
