// SPDX-License-Identifier: Apache-2.0
//
// slot_options: what a store of values can be told of its handles, in its constructor.
//
//   deferred_wheel<task> timers{monotonic_clock::now(), {.slots_max = 100'000}};
#pragma once

#include <cstdint>

namespace pinion::timer {

/// How a store of values makes handles: slot and generation. Tests narrow both to reach their end.
struct slot_options {
  std::uint64_t seed = 0;         ///< where generations begin; 0: different in each store of this process
  unsigned generation_bits = 32;  ///< a slot is retired when it has used up its generations
  std::uint32_t slots_max = 0xffff'fffe;  ///< retired ones among them; by default as many as handles can name
};

}  // namespace pinion::timer
