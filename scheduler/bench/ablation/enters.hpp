// SPDX-License-Identifier: Apache-2.0
//
// enters_here: how often the calling thread has entered an io_uring.
//
//   const std::uint64_t before = enters_here();
#pragma once

#include <cstdint>
#include <pinion/config.hpp>

namespace pinion::scheduler::bench::inline PINION_MODE {

/// So far: a counter of the thread's, so that counting changes nothing that is timed.
[[nodiscard]] std::uint64_t enters_here() noexcept;

}  // namespace pinion::scheduler::bench::inline PINION_MODE
