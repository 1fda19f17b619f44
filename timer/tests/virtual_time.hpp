// SPDX-License-Identifier: Apache-2.0
//
// A clock that stands where the test puts it, and a coroutine that a test can hold and destroy.
#pragma once

#include <coroutine>
#include <exception>
#include <pinion/base/time.hpp>
#include <utility>

namespace pinion::timer::testing {

/// Reads an instant of the test's.
struct virtual_clock {
  const instant* at;
  [[nodiscard]] instant now() const noexcept { return *at; }
};

/// A coroutine that starts at once, is destroyed with this object wherever it waits, and lets no exception out but to
/// whoever resumed it.
class task {
 public:
  struct promise_type {
    task get_return_object() { return task{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    static std::suspend_never initial_suspend() noexcept { return {}; }
    static std::suspend_always final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    [[noreturn]] static void unhandled_exception() { throw; }
  };

  task(task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  task& operator=(task&&) = delete;
  task(const task&) = delete;
  task& operator=(const task&) = delete;
  ~task() { destroy(); }

  [[nodiscard]] bool is_done() const noexcept { return frame_.done(); }
  void destroy() noexcept {
    if (frame_) std::exchange(frame_, nullptr).destroy();
  }

 private:
  explicit task(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}
  std::coroutine_handle<promise_type> frame_;
};

}  // namespace pinion::timer::testing
