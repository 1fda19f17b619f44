// SPDX-License-Identifier: Apache-2.0
//
// hosted_task: for tests, a coroutine of a run_queue in an io_context, which begins when it is first run, and
// is gone at its end. Its first parameter is the queue.
#pragma once

#include <coroutine>
#include <exception>
#include <pinion/asio/run_queue.hpp>
#include <pinion/base/executor.hpp>

namespace pinion::asio::testing {

template <class Tasks = run_queue>
struct hosted_task {
  struct promise_type : runnable {
    explicit promise_type(Tasks& on, auto&...) noexcept : on_(on) {
      where = std::coroutine_handle<promise_type>::from_promise(*this);
      on_.ready(*this);
    }
    [[nodiscard]] Tasks& executor() const noexcept { return on_; }
    hosted_task get_return_object() noexcept {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    static void unhandled_exception() { throw; }

   private:
    Tasks& on_;
  };

  /// To destroy one that has thrown: such a coroutine has ended, and its frame is left.
  std::coroutine_handle<promise_type> handle;
};

}  // namespace pinion::asio::testing
