// SPDX-License-Identifier: Apache-2.0
//
// eager, lazy: two types of coroutine that have nothing in common.
//
//   eager forget() { co_await …; }
//   lazy<int> ask() { co_return co_await …; }
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace pinion::iosubmit::testing {

/// Begins at once; its frame goes at its end.
struct eager {
  struct promise_type {
    eager get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
};

/// Begins when it is awaited or started, holds its value, and has an await_transform that takes references.
template <class T>
class lazy {
 public:
  struct promise_type {
    lazy get_return_object() noexcept {
      return lazy{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct back {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> at) noexcept {
          return at.promise().continuation;
        }
        void await_resume() noexcept {}
      };
      return back{};
    }
    void return_value(T value) { result = std::move(value); }
    void unhandled_exception() noexcept { std::terminate(); }
    // Refers to what is awaited: it can't be moved, and g++ 12 would move what a reference names.
    template <class Awaitable>
    auto await_transform(Awaitable&& what) noexcept {
      struct through {
        std::remove_reference_t<Awaitable>& of;
        bool await_ready() noexcept { return of.await_ready(); }
        auto await_suspend(std::coroutine_handle<promise_type> at) noexcept { return of.await_suspend(at); }
        auto await_resume() noexcept { return of.await_resume(); }
      };
      ++awaits;
      return through{what};
    }
    std::optional<T> result;
    std::coroutine_handle<> continuation = std::noop_coroutine();
    int awaits = 0;
  };

  explicit lazy(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}
  lazy(lazy&& from) noexcept : frame_(std::exchange(from.frame_, {})) {}
  lazy& operator=(lazy&&) = delete;
  ~lazy() {
    if (frame_) frame_.destroy();
  }

  void start() { frame_.resume(); }
  [[nodiscard]] bool is_done() const noexcept { return frame_.done(); }
  [[nodiscard]] promise_type& promise() const noexcept { return frame_.promise(); }

  bool await_ready() noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) noexcept {
    frame_.promise().continuation = awaiting;
    return frame_;
  }
  T await_resume() { return std::move(*frame_.promise().result); }

 private:
  std::coroutine_handle<promise_type> frame_;
};

}  // namespace pinion::iosubmit::testing
