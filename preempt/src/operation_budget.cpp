// SPDX-License-Identifier: Apache-2.0
//
// operation_budget: how it says no.
#include <pinion/preempt/operation_budget.hpp>

#include <stdexcept>

namespace pinion::preempt {

operation_budget::operation_budget(const operation_budget_options& options)
    : asking_word(&spend_one), options_(options) {
  constexpr std::uint32_t most = std::uint32_t{1} << 30;
  if (options.operations == 0 || most < options.operations)
    throw std::invalid_argument(
        "an operation_budget was asked for with none, or with more than 2^30 operations: it takes 1, "
        "which is due at each check, to 2^30; 128 is usual");
}

}  // namespace pinion::preempt
