// SPDX-License-Identifier: Apache-2.0
//
// What holds of each composition on the real kernel, as plain functions: empty if it does, else what broke.
// Each makes an engine of its own. What hangs is the watchdog's to end (pairs_test.cpp).
#pragma once

#include <vector>

#include "engine.hpp"
#include "violation.hpp"

namespace pinion::scheduler::testing {

using pinion::testing::in_words;
using pinion::testing::violation;

struct clause {
  const char* name;
  violation (*check)(const composition& which);
  bool needs_io = false;
};
[[nodiscard]] const std::vector<clause>& laws();

}  // namespace pinion::scheduler::testing
