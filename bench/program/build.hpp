// SPDX-License-Identifier: Apache-2.0
//
// What built a program: its figures mean nothing without.
#pragma once

#include <string>

namespace pinion::bench {

/// As in "clang 19.1.7".
[[nodiscard]] std::string compiler();

/// "optimised", "not optimised", "checked" or "counted"; only the first is what users get.
[[nodiscard]] std::string build();

}  // namespace pinion::bench
