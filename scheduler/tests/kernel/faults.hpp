// SPDX-License-Identifier: Apache-2.0
//
// The table of what can fail in a turn: system call by errno, and what is seen of it where it lasts.
#pragma once

#include <cstdint>
#include <vector>

#include "engine.hpp"
#include "seam.hpp"

namespace pinion::scheduler::testing {

enum class outcome : std::uint8_t {
  passes,       ///< nothing: another way is taken, or it is tried again
  passes_once,  ///< it is tried again; and reported where it comes again
  is_answer,    ///< operations are answered with it
  is_reported,  ///< what is queued is answered with it, and it is reported
  ends_watches,  ///< so is what is in flight: while it lasts the loop looks each millisecond, and is deaf when it is over
  is_deaf  ///< it is reported, and a wake ends no wait: it is heard when something else does
};

struct faulty {
  call what;
  int error;
  const char* name;
  outcome then;
  int times =
      fault::always;  ///< how often "for ever" is: fewer for what ends a wait each time, as signals do
  bool from_the_start = false;
};
/// All of it.
[[nodiscard]] const std::vector<faulty>& faults();
/// Where a call is made.
[[nodiscard]] std::vector<composition> compositions_that_make(call what);

}  // namespace pinion::scheduler::testing
