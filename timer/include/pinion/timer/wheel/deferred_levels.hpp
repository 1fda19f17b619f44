// SPDX-License-Identifier: Apache-2.0
//
// deferred_levels: six levels of 256 slots (the last of 16) over ticks of 2^20 ns (1.05 ms), which reach
// every 64-bit time. What deferred_wheel keeps its values by, and deferred_hook_wheel its hooks.
#pragma once

#include <cstdint>
#include <pinion/timer/wheel/nested_levels.hpp>

namespace pinion::timer {

/// Ticks of 2^20 ns, digits of eight bits.
using deferred_levels = nested_levels<std::uint64_t{1} << 20, 8, 8, 8, 8, 8, 4>;

}  // namespace pinion::timer
