// SPDX-License-Identifier: Apache-2.0
//
// tsc_budget: how it says no.
#include <pinion/preempt/tsc_budget.hpp>

#include <stdexcept>
#include <string>

namespace pinion::preempt {

tsc_budget_options tsc_detail::checked(const tsc_budget_options& options) {
  constexpr std::uint32_t most = 65'536;
  if (options.checks_max == 0 || most < options.checks_max)
    throw std::invalid_argument(
        "a tsc_budget was asked for " + std::to_string(options.checks_max) +
        " checks without a reading: it takes 1, where each check is a reading, to 65536; "
        "a negative number comes out as a huge one; 1024 is usual");
  return options;
}

}  // namespace pinion::preempt
