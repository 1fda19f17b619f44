// SPDX-License-Identifier: Apache-2.0
//
// A clock that stands where the test puts it, and a coroutine that a test can hold and destroy.
#pragma once

#include <pinion/base/time.hpp>

#include "free_task.hpp"

namespace pinion::timer::testing {

/// Reads an instant of the test's.
struct virtual_clock {
  const instant* at;
  [[nodiscard]] instant now() const noexcept { return *at; }
};

using task = pinion::testing::free_task;

}  // namespace pinion::timer::testing
