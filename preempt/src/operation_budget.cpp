// SPDX-License-Identifier: Apache-2.0
//
// operation_budget: how it says no.
#include <pinion/preempt/operation_budget.hpp>

#include <pinion/base/refusal.hpp>
#include <string>
#include <system_error>

namespace pinion::preempt {

operation_budget::operation_budget(const operation_budget_options& options)
    : asking_word(&spend_one), options_(options) {
  constexpr std::uint32_t most = std::uint32_t{1} << 30;
  if (options.operations == 0 || most < options.operations)
    throw_refusal(
        {.code = std::make_error_code(std::errc::invalid_argument),
         .asked = "an operation_budget of " + std::to_string(options.operations) + " operations",
         .reason =
             "it takes 1, which is due at each check, to 2^30; a negative number comes out as a huge one",
         .remedy = "give one of those; 128 is usual"});
}

}  // namespace pinion::preempt
