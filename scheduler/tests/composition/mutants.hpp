// SPDX-License-Identifier: Apache-2.0
//
// mutants: each defect that a reading of the seams has found, and some that a turn could come to have, in a
// composition that is right but for it; with the law that must kill it.
#pragma once

#include <string_view>
#include <vector>

#include "laws.hpp"

namespace pinion::scheduler::testing {

using mutant = pinion::testing::mutant_of<composition_factory>;

[[nodiscard]] const std::vector<mutant>& mutants();
/// Throws std::out_of_range where there is none.
[[nodiscard]] const mutant& mutant_named(std::string_view name);

}  // namespace pinion::scheduler::testing
