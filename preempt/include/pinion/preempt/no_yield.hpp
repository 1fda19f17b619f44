// SPDX-License-Identifier: Apache-2.0
//
// no_yield, holds_off_yield: what must not be held while others run, and where that is found out.
//
// A task that yields with a lock in its hands makes every task wait that wants the lock: those are woken,
// find it locked, and wait again, a convoy; and with a lock of threads its own thread waits for itself. So it
// is said of a type of guard that it holds off yields:
//
//   template <>
//   inline constexpr bool pinion::preempt::holds_off_yield<my_lock::guard> = true;
//
// and found out as early as it can be:
//
//   preempt::while_holding(co_await table.lock(), [&] { table.insert(row); });  // no coroutine
//
//   static_assert(!preempt::may_yield_after<decltype(table.lock())>);  // for an executor to ask
//
//   // for what no type tells: a check in its life is a broken contract, which a checked build reports
//   preempt::no_yield hold{executor};
//
// What isn't found: an await in the life of a no_yield that is no check of these forms. Await nothing while
// one lives.
#pragma once

#include <pinion/config.hpp>

#include <concepts>
#include <coroutine>
#include <functional>
#include <mutex>
#include <pinion/preempt/executor.hpp>
#include <pinion/preempt/slice_log.hpp>
#include <shared_mutex>
#include <type_traits>
#include <utility>

namespace pinion::preempt {

/// Whether nobody should yield while one of these lives: for you to specialise. Those of the standard library
/// do.
template <class Guard>
inline constexpr bool holds_off_yield = false;
template <class Mutex>
inline constexpr bool holds_off_yield<std::lock_guard<Mutex>> = true;
template <class Mutex>
inline constexpr bool holds_off_yield<std::unique_lock<Mutex>> = true;
template <class Mutex>
inline constexpr bool holds_off_yield<std::shared_lock<Mutex>> = true;
template <class... Mutexes>
inline constexpr bool holds_off_yield<std::scoped_lock<Mutexes...>> = true;

namespace no_yield_detail {

template <class Awaiter>
concept awaiter = requires(Awaiter& one) {
  { one.await_ready() } -> std::convertible_to<bool>;
  one.await_resume();
};
template <class Awaitable>
concept has_member = requires(Awaitable&& one) { std::forward<Awaitable>(one).operator co_await(); };
template <class Awaitable>
concept has_function = requires(Awaitable&& one) { operator co_await(std::forward<Awaitable>(one)); };

template <class Awaitable>
decltype(auto) awaiter_of(Awaitable&& one) {
  if constexpr (has_member<Awaitable>) {
    return std::forward<Awaitable>(one).operator co_await();
  } else if constexpr (has_function<Awaitable>) {
    return operator co_await(std::forward<Awaitable>(one));
  } else {
    return std::forward<Awaitable>(one);
  }
}

template <class Awaitable>
concept awaitable = has_member<Awaitable> || has_function<Awaitable> || awaiter<Awaitable>;
template <class Result>
concept of_a_coroutine = requires { typename std::coroutine_traits<Result>::promise_type; };

}  // namespace no_yield_detail

/// Whether a task may be made to yield right after it awaited that, with the result in its hands. Of what an
/// await_transform would change, ask with what it returns.
template <no_yield_detail::awaitable Awaitable>
inline constexpr bool may_yield_after = !holds_off_yield<
    std::remove_cvref_t<decltype(no_yield_detail::awaiter_of(std::declval<Awaitable>()).await_resume())>>;

/// What can be called with a guard in hand: a plain function. What it returns is neither awaited nor a
/// coroutine's, as that would run when the guard is gone, or yield while it lives.
template <class Function>
concept plain_function =
    std::invocable<Function> && !no_yield_detail::awaitable<std::invoke_result_t<Function>> &&
    !no_yield_detail::of_a_coroutine<std::invoke_result_t<Function>>;

/// Calls it, with the guard held until it returns. A temporary guard is let go of at the end of the
/// expression.
template <class Guard, plain_function Function>
  requires holds_off_yield<std::remove_cvref_t<Guard>>
decltype(auto) while_holding(Guard&& /*held*/, Function&& function) {
  return std::invoke(std::forward<Function>(function));
}

inline namespace PINION_MODE {

/// While it lives, a check by any task of that executor is a broken contract. In an unchecked build a
/// no_yield does nothing.
class [[nodiscard]] no_yield {
 public:
  /// Of that executor, or of the one that has that log; until this is destroyed.
  explicit no_yield(slice_log& of) noexcept : of_(of) { of_.hold(); }
  template <yielding_executor Executor>
  explicit no_yield(Executor& executor) noexcept : no_yield(executor.slices()) {}
  no_yield(const no_yield&) = delete;
  no_yield& operator=(const no_yield&) = delete;
  /// And no more.
  ~no_yield() { of_.release(); }

 private:
  slice_log& of_;
};

}  // namespace PINION_MODE

template <>
inline constexpr bool holds_off_yield<no_yield> = true;

}  // namespace pinion::preempt
