// SPDX-License-Identifier: Apache-2.0
//
// A coroutine type for the examples. No part of pinion: it works with any whose promise has an executor().
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <pinion/base/executor.hpp>

/// Tasks that are ready, and how many have not ended.
struct task_queue : pinion::run_queue {
  std::size_t left = 0;
};

/// A coroutine that begins when it is first run, and is gone at its end. Its first parameter, or the object
/// whose member it is, has the queue that runs it as `tasks`.
struct task {
  struct promise_type : pinion::runnable {
    explicit promise_type(auto& of, auto&...) noexcept : tasks(of.tasks) {
      where = std::coroutine_handle<promise_type>::from_promise(*this);
      tasks.ready(*this);
      ++tasks.left;
    }
    promise_type(const promise_type&) = delete;
    promise_type& operator=(const promise_type&) = delete;
    ~promise_type() { --tasks.left; }
    [[nodiscard]] task_queue& executor() const noexcept { return tasks; }
    static task get_return_object() noexcept { return {}; }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    [[noreturn]] static void unhandled_exception() noexcept { std::terminate(); }
    task_queue& tasks;
  };
};
