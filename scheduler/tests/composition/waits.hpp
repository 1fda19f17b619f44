// SPDX-License-Identifier: Apache-2.0
//
// any_wait: a wait of any part, as what a coroutine of either kind awaits: one that is run by an executor
// (task), and one that goes on inside whatever ends its wait (free_task).
//
//   const std::unique_ptr<any_wait> slept = wait_on([&] { return timer::sleep_until(timers, deadline); });
#pragma once

#include <coroutine>
#include <cstdint>
#include <memory>
#include <system_error>
#include <type_traits>
#include <utility>

#include "free_task.hpp"
#include "small_executor.hpp"

namespace pinion::scheduler::testing {

using pinion::testing::free_task;
using pinion::testing::small_executor;
using pinion::testing::task;

/// How a wait ended.
struct outcome {
  std::error_code error;
  std::uint32_t value = 0;

  [[nodiscard]] bool is_cancelled() const noexcept { return error == std::errc::operation_canceled; }
};

class any_wait {
 public:
  any_wait() = default;
  any_wait(const any_wait&) = delete;
  any_wait& operator=(const any_wait&) = delete;
  virtual ~any_wait() = default;

  virtual bool is_over() = 0;
  virtual void suspend(std::coroutine_handle<task::promise_type> at) = 0;
  virtual void suspend(std::coroutine_handle<free_task::promise_type> at) = 0;
  virtual outcome end() = 0;
};

namespace wait_detail {

// What is awaited is an awaiter, or has one.
template <class Awaitable>
decltype(auto) awaiter_of(Awaitable& of) {
  if constexpr (requires { of.operator co_await(); })
    return of.operator co_await();
  else
    return (of);
}

template <class Make>
class wait_of final : public any_wait {
 public:
  explicit wait_of(Make make) : awaited_(make()), awaiter_(awaiter_of(awaited_)) {}

  bool is_over() override { return awaiter_.await_ready(); }
  void suspend(std::coroutine_handle<task::promise_type> at) override { awaiter_.await_suspend(at); }
  void suspend(std::coroutine_handle<free_task::promise_type> at) override { awaiter_.await_suspend(at); }
  outcome end() override {
    using result = decltype(awaiter_.await_resume());
    if constexpr (std::is_void_v<result>) {
      awaiter_.await_resume();
      return {};
    } else {
      const result ended = awaiter_.await_resume();
      if (!ended) return {.error = ended.error()};
      if constexpr (std::is_void_v<typename result::value_type>)
        return {};
      else
        return {.error = {}, .value = *ended};
    }
  }

 private:
  std::invoke_result_t<Make> awaited_;
  decltype(awaiter_of(std::declval<std::invoke_result_t<Make>&>())) awaiter_;
};

}  // namespace wait_detail

/// Of what `make` returns.
template <class Make>
[[nodiscard]] std::unique_ptr<any_wait> wait_on(Make make) {
  return std::make_unique<wait_detail::wait_of<Make>>(std::move(make));
}

}  // namespace pinion::scheduler::testing
