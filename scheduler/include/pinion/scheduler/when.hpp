// SPDX-License-Identifier: Apache-2.0
//
// when_all, when_any: several tasks side by side, awaited as one.
//
//   const auto [a, b] = co_await when_all(asks(one), asks(other));
//
//   const auto first = co_await when_any(asks(one), asks(other));  // the other one is cancelled, and awaited
//   std::printf("%zu: %d\n", first.index, first.value);
//
// Both return when each of the tasks is over, so none is left behind. Where one throws, the others are
// cancelled, and what it threw is thrown. What a loser of when_any() gives is dropped, also what it threw.
//
// Each is a task of its own, in the queue of the one that waits, under its slot. A task<> gives
// std::monostate.
#pragma once

#include <pinion/config.hpp>

#include <array>
#include <coroutine>
#include <cstddef>
#include <optional>
#include <pinion/scheduler/task.hpp>
#include <pinion/scheduler/task_group.hpp>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace pinion::scheduler::inline PINION_MODE {

namespace when_detail {
template <class T>
using value = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

template <class T>
value<T> take(join_handle<T>& from) {
  if constexpr (std::is_void_v<T>) {
    from.take();
    return {};
  } else {
    return from.take();
  }
}

/// The first that ends, and by that cancels the others.
template <class T>
task<> races(task<T> what, task_group& in, std::size_t index, std::size_t& first,
             std::optional<value<T>>& result) {
  try {
    if constexpr (std::is_void_v<T>) {
      co_await std::move(what);
      if (first == 0) result.emplace();
    } else {
      T given = co_await std::move(what);
      if (first == 0) result.emplace(std::move(given));
    }
  } catch (...) {
    if (first == 0) throw;  // the group cancels the others
    co_return;
  }
  if (first == 0) first = index + 1;
  in.cancel();
}
}  // namespace when_detail

/// What when_any() gives: which it was, from 0 on, and what it gave.
template <class T>
struct first_of {
  std::size_t index;
  when_detail::value<T> value;
};

/// Awaited: what all of them give.
template <class... T>
task<std::tuple<when_detail::value<T>...>> when_all(task<T>... tasks) {
  task_group all;
  std::tuple<join_handle<T>...> kept{all.spawn_kept(std::move(tasks))...};
  co_await all.join();
  co_return std::apply(
      [](auto&... each) { return std::tuple<when_detail::value<T>...>{when_detail::take(each)...}; }, kept);
}

/// Awaited: what the first of them gives, which all give the same type.
template <class T, class... Others>
  requires(std::is_same_v<T, Others> && ...)
task<first_of<T>> when_any(task<T> one, task<Others>... others) {
  task_group all;
  std::size_t first = 0;
  std::size_t index = 0;
  std::optional<when_detail::value<T>> result;
  // All are made before one is spawned: making one may throw.
  std::array<task<>, 1 + sizeof...(Others)> races{
      when_detail::races(std::move(one), all, index++, first, result),
      when_detail::races(std::move(others), all, index++, first, result)...};
  for (task<>& each : races) all.spawn(std::move(each));
  co_await all.join();
  co_return first_of<T>{first - 1, std::move(*result)};
}

}  // namespace pinion::scheduler::inline PINION_MODE
