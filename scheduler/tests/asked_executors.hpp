// SPDX-License-Identifier: Apache-2.0
//
// What the tests of spawn_on and of pools have another executor do.
#pragma once

#include <unistd.h>

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <pinion/scheduler.hpp>
#include <system_error>
#include <type_traits>
#include <utility>

namespace pinion::scheduler::testing {

/// Ends the program where a wait or a thread does not end.
struct ends_in_time {
  ends_in_time() { ::alarm(200); }
  ends_in_time(const ends_in_time&) = delete;
  ends_in_time& operator=(const ends_in_time&) = delete;
  ~ends_in_time() { ::alarm(0); }
};

/// Of so many executors, also where the machine has fewer processors.
inline pool_options of(std::size_t count) { return {.count = count, .may_share = true}; }

inline task<int> gives(int value) { co_return value; }
inline task<std::error_code> sleeps() {
  const auto slept = co_await sleep_for(std::chrono::hours{1});
  co_return slept ? std::error_code{} : slept.error();
}

template <class Function>
auto asks(remote_executor worker, Function makes)
    -> task<expected<typename std::invoke_result_t<Function&>::value_type, std::error_code>> {
  co_return co_await spawn_on(worker, std::move(makes));
}

}  // namespace pinion::scheduler::testing
