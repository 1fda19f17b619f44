// SPDX-License-Identifier: Apache-2.0
//
// How often this program has called operator new, on any thread, and a way to make a call of it fail.
#pragma once

#include <cstddef>

namespace pinion::timer::testing {

[[nodiscard]] std::size_t allocations_so_far() noexcept;

/// The `n`-th allocation from now on throws std::bad_alloc, once; 0 takes that back.
void fail_allocation(std::size_t n) noexcept;

}  // namespace pinion::timer::testing
