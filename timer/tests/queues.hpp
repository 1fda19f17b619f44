// SPDX-License-Identifier: Apache-2.0
//
// The queues that intervals and coroutines are tested on: hooks and values, wheels and tree, all in virtual
// time.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <pinion/timer.hpp>

#include "virtual_time.hpp"

namespace pinion::timer::testing {

using calling_queues =
    ::testing::Types<timer_queue<call_wheel, virtual_clock>, timer_queue<bitmap_wheel, virtual_clock>,
                     timer_queue<deferred_wheel<inline_function<void()>>, virtual_clock>,
                     timer_queue<ordered_map<inline_function<void()>>, virtual_clock>>;

/// A time that is round for ticks of 2^20 ns and of a millisecond alike, so that no store rounds it.
inline constexpr duration unit{16'384'000'000};

/// The `n`-th of them.
constexpr instant at(std::uint64_t n) { return instant{} + unit * n; }

/// A queue of one kind, and its time.
template <class Queue>
struct queue_test : ::testing::Test {
  instant time{};
  Queue timers{virtual_clock{&time}};

  /// Sets the time and runs what is due; how many timers fired.
  std::size_t run_at(instant t) {
    time = t;
    return timers.run().fired;
  }
};

}  // namespace pinion::timer::testing
