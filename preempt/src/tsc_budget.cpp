// SPDX-License-Identifier: Apache-2.0
//
// tsc_budget: how it says no.
#include <pinion/preempt/tsc_budget.hpp>

#include <pinion/base/refusal.hpp>
#include <string>
#include <system_error>

namespace pinion::preempt {

tsc_budget_options tsc_detail::checked(const tsc_budget_options& options) {
  constexpr std::uint32_t most = 65'536;
  if (options.checks_max == 0 || most < options.checks_max)
    throw_refusal(
        {.code = std::make_error_code(std::errc::invalid_argument),
         .asked = "a tsc_budget of " + std::to_string(options.checks_max) + " checks without a reading",
         .reason =
             "it takes 1, where each check is a reading, to 65536; a negative number comes out as a huge one",
         .remedy = "give one of those; 1024 is usual"});
  return options;
}

}  // namespace pinion::preempt
