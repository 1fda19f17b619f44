// SPDX-License-Identifier: Apache-2.0
//
// How often this program has called operator new, on any thread, for how much, and a way to make a call of it
// fail.
#pragma once

#include <cstddef>

namespace pinion::testing {

[[nodiscard]] std::size_t allocations_so_far() noexcept;
/// Of them, those that were not given back yet.
[[nodiscard]] std::size_t allocations_alive() noexcept;
/// What was asked for, whether or not it was given back.
[[nodiscard]] std::size_t bytes_so_far() noexcept;

/// The `n`-th allocation from now on throws std::bad_alloc, once; 0 takes that back.
void fail_allocation(std::size_t n) noexcept;

/// While it lives, allocations are not counted and none is made to fail: for what a test allocates itself.
class uncounted_allocations {
 public:
  uncounted_allocations() noexcept;
  uncounted_allocations(const uncounted_allocations&) = delete;
  uncounted_allocations& operator=(const uncounted_allocations&) = delete;
  ~uncounted_allocations();

 private:
  std::size_t count_;
  std::size_t bytes_;
  std::size_t freed_;
  std::size_t fails_in_;
};

}  // namespace pinion::testing
