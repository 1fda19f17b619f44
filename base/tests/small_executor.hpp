// SPDX-License-Identifier: Apache-2.0
//
// small_executor, task: for tests, the smallest executor there is, and a coroutine type that knows it.
//
//   small_executor loop;
//   task one = waits_for(something);
//   loop.spawn(one);
//   loop.run();                                // until nobody is ready
//
// Tasks may await tasks: what runs then is still the one that was spawned.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <pinion/base/executor.hpp>
#include <utility>

namespace pinion::testing {

class task;

/// A run_queue that counts.
class small_executor : public run_queue {
 public:
  /// As executor says.
  void ready(runnable& what) noexcept {
    run_queue::ready(what);
    ++ready_count;
  }

  /// It is run after those who are ready.
  void spawn(task& what);

  /// Resumes the first who is ready. False if nobody is.
  bool turn() {
    const bool any = has_ready();
    if (any) each([] { return true; });
    return any;
  }
  /// Until nobody is ready. Whether anybody was.
  bool run() {
    const bool any = has_ready();
    while (has_ready()) each([] { return false; });
    return any;
  }
  [[nodiscard]] bool is_running() const noexcept { return is_running_; }

  std::size_t ready_count = 0;  ///< how often something was made ready

 private:
  template <class IsOver>
  void each(IsOver is_over) {
    is_running_ = true;
    run_queue::run(is_over);
    is_running_ = false;
  }

  bool is_running_ = false;
};

static_assert(executor<small_executor>);

/// A coroutine that begins when it is spawned or awaited. It lets no exception out.
class [[nodiscard]] task {
 public:
  class promise_type : runnable {
   public:
    task get_return_object() noexcept { return task{handle::from_promise(*this)}; }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept { return going_on{awaiting_ ? awaiting_ : std::noop_coroutine()}; }
    static void return_void() noexcept {}
    [[noreturn]] static void unhandled_exception() noexcept { std::terminate(); }

    /// What makes it know its executor.
    [[nodiscard]] small_executor* executor() const noexcept { return loop_; }

   private:
    friend task;
    friend small_executor;
    small_executor* loop_ = nullptr;
    std::coroutine_handle<> awaiting_;
  };

  task(task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  ~task() {
    if (handle_) handle_.destroy();
  }

  [[nodiscard]] bool is_done() const noexcept { return handle_.done(); }

  auto operator co_await() const noexcept { return awaiter{*this}; }

 private:
  friend small_executor;
  using handle = std::coroutine_handle<promise_type>;

  struct going_on {
    std::coroutine_handle<> where;
    [[nodiscard]] static bool await_ready() noexcept { return false; }
    [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<>) const noexcept {
      return where;
    }
    static void await_resume() noexcept {}
  };
  struct awaiter {
    const task& of;
    [[nodiscard]] static bool await_ready() noexcept { return false; }
    [[nodiscard]] std::coroutine_handle<> await_suspend(handle awaiting) const noexcept {
      of.handle_.promise().loop_ = awaiting.promise().loop_;
      of.handle_.promise().awaiting_ = awaiting;
      return of.handle_;
    }
    static void await_resume() noexcept {}
  };
  explicit task(handle of) noexcept : handle_(of) {}

  handle handle_;
};

static_assert(knows_executor<task::promise_type>);

inline void small_executor::spawn(task& what) {
  auto& promise = what.handle_.promise();
  promise.loop_ = this;
  promise.where = what.handle_;
  ready(promise);
}

}  // namespace pinion::testing
