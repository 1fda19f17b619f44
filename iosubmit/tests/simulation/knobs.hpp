// SPDX-License-Identifier: Apache-2.0
//
// knobs: what becomes of adaptive's regret where one of its numbers is another.
//
//   std::cout << knobs_page(machine);        // docs/iosubmit/knobs.md
#pragma once

#include <string>

#include "costs.hpp"

namespace pinion::iosubmit::simulation {

/// docs/iosubmit/knobs.md: adaptive, and each of its knobs at a lower and a higher value, on the tuned loads.
[[nodiscard]] std::string knobs_page(const costs& machine);

}  // namespace pinion::iosubmit::simulation
