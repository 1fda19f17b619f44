// SPDX-License-Identifier: Apache-2.0
//
// Coroutines that sleep in a queue of any kind, and write down how they went on.
#pragma once

#include <pinion/timer.hpp>
#include <string>
#include <system_error>

#include "queues.hpp"
#include "virtual_time.hpp"

namespace pinion::timer::testing {

/// One queue, and what its sleepers have written.
template <class Queue>
struct sleep_test : queue_test<Queue> {
  std::string log;

  task sleeper(instant until, char name) {
    co_await sleep_until(this->timers, until);
    log += name;
  }
  task cancellable_sleeper(instant until, cancel_slot& slot) {
    const expected<void, std::error_code> slept = co_await sleep_until(this->timers, until, slot);
    log += slept ? 'e' : slept.error() == std::errc::operation_canceled ? 'c' : '?';
  }
};

}  // namespace pinion::timer::testing
