// SPDX-License-Identifier: Apache-2.0
//
// covering: some eighty of the fifteen thousand compositions, in which every two values of two axes meet that
// can meet.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "engine.hpp"

namespace pinion::scheduler::testing {

/// The axes.
inline constexpr std::array<std::string_view composition::*, 6> axes{
    &composition::store, &composition::inbox,  &composition::notifier,
    &composition::ring,  &composition::policy, &composition::source};

/// So many of these, in the same order at each run.
[[nodiscard]] std::vector<composition> covering(const std::vector<composition>& all);

}  // namespace pinion::scheduler::testing
