// SPDX-License-Identifier: Apache-2.0
//
// awaiter_of: what co_await makes of an awaitable, for whoever awaits it in its stead.
#pragma once

#include <pinion/config.hpp>

#include <coroutine>
#include <type_traits>
#include <utility>

namespace pinion::scheduler::await_detail {

/// By its member operator co_await, by a free one, or as it is.
template <class Awaitable>
decltype(auto) awaiter_of(Awaitable&& what) {
  if constexpr (requires { std::forward<Awaitable>(what).operator co_await(); })
    return std::forward<Awaitable>(what).operator co_await();
  else if constexpr (requires { operator co_await(std::forward<Awaitable>(what)); })
    return operator co_await(std::forward<Awaitable>(what));
  else
    return std::forward<Awaitable>(what);
}

template <class Awaitable>
using awaiter_type = decltype(awaiter_of(std::declval<Awaitable>()));

/// What co_await gives.
template <class Awaitable>
using result_of = decltype(std::declval<awaiter_type<Awaitable>&>().await_resume());

/// Suspends that coroutine in the awaiter: where the thread goes on.
template <class Awaiter, class Promise>
std::coroutine_handle<> suspend_in(Awaiter& awaiter, std::coroutine_handle<Promise> who) {
  using suspended = decltype(awaiter.await_suspend(who));
  if constexpr (std::is_void_v<suspended>) {
    awaiter.await_suspend(who);
    return std::noop_coroutine();
  } else if constexpr (std::is_same_v<suspended, bool>) {
    return awaiter.await_suspend(who) ? std::coroutine_handle<>{std::noop_coroutine()} : who;
  } else {
    return awaiter.await_suspend(who);
  }
}

}  // namespace pinion::scheduler::await_detail
