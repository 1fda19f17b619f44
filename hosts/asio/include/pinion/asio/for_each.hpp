// SPDX-License-Identifier: Apache-2.0
//
// for_each: a plain function for each element of a range, with a check before each: preempt::for_each as an
// awaitable of Asio's.
//
//   co_await pinion::asio::for_each(slicer, blocks, [&](const block& each) { sum += hash(each); });
//   co_await pinion::asio::for_each<64>(slicer, values, [&](int each) { sum += each; });  // before each 64th
//
//   // Where the function returns bool, false is enough: nothing more is visited, and false comes out.
//   const bool all =
//       co_await pinion::asio::for_each(slicer, lines, [&](std::string_view line) { return parse(line); });
//   if (!all) co_return;
//
// co_spawn gives it any completion token: co_spawn(slicer.get_executor(), for_each(slicer, blocks, f),
// use_future). A range that is a temporary is kept, any other is referred to and outlives the loop.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdint>
#include <functional>
#include <pinion/asio/slicer.hpp>
#include <pinion/asio/yield_if_needed.hpp>
#include <pinion/preempt/for_each.hpp>
#include <ranges>
#include <type_traits>
#include <utility>

namespace pinion::asio {

namespace for_each_detail {

template <class View, class Function>
using result = std::invoke_result_t<Function&, std::ranges::range_reference_t<View>>;

template <std::uint32_t N, class Executor, class Source, class View, class Function>
boost::asio::awaitable<result<View, Function>, Executor> over(slicer<Source>& by, View view,
                                                              Function function) {
  std::uint32_t ahead = 0;  // how many to visit before the next check
  for (auto&& element : view) {
    if (ahead == 0) {
      if (by.is_due()) co_await async_yield(by, boost::asio::use_awaitable_t<Executor>{});
      ahead = N;
    }
    --ahead;
    if constexpr (std::is_void_v<result<View, Function>>) {
      std::invoke(function, std::forward<decltype(element)>(element));
    } else {
      if (!std::invoke(function, std::forward<decltype(element)>(element))) co_return false;
    }
  }
  if constexpr (!std::is_void_v<result<View, Function>>) co_return true;
}

}  // namespace for_each_detail

/// Calls `function` for each element, and lets others run before each Nth, the first one included, if it is
/// due. What `function` throws comes out of the co_await; cancelled, operation_aborted when it is due next.
template <std::uint32_t N = 1, class Executor = boost::asio::any_io_executor, class Source,
          std::ranges::input_range Range,
          preempt::element_function<std::ranges::range_reference_t<Range>> Function>
  requires(N > 0)
auto for_each(slicer<Source>& by, Range&& range, Function function) {
  return for_each_detail::over<N, Executor>(by, std::views::all(std::forward<Range>(range)),
                                            std::move(function));
}

}  // namespace pinion::asio
