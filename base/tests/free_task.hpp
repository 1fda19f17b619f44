// SPDX-License-Identifier: Apache-2.0
//
// free_task: for tests, a coroutine whose promise knows no executor. It goes on inside whatever ends its
// wait.
//
//   free_task one = waits_for(something);      // begins at once
//   something.end();                           // one goes on in here
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace pinion::testing {

/// A coroutine that starts at once, is destroyed with this object wherever it waits, and lets no exception
/// out but to whoever resumed it.
class [[nodiscard]] free_task {
 public:
  struct promise_type {
    free_task get_return_object() noexcept {
      return free_task{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    static std::suspend_never initial_suspend() noexcept { return {}; }
    static std::suspend_always final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    [[noreturn]] static void unhandled_exception() { throw; }
  };

  free_task(free_task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  free_task& operator=(free_task&&) = delete;
  free_task(const free_task&) = delete;
  free_task& operator=(const free_task&) = delete;
  ~free_task() { destroy(); }

  [[nodiscard]] bool is_done() const noexcept { return frame_.done(); }
  void destroy() noexcept {
    if (frame_) std::exchange(frame_, nullptr).destroy();
  }

 private:
  explicit free_task(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}
  std::coroutine_handle<promise_type> frame_;
};

}  // namespace pinion::testing
