// SPDX-License-Identifier: Apache-2.0
//
// What the laws are worth: each mutant is killed by the law that it breaks, through that law's own violation.
//
//   scheduler_composition --gtest_filter='mutants.*'
#include "mutants.hpp"

#include "law_suite.hpp"

namespace pinion::scheduler::testing {
namespace {

[[maybe_unused]] const bool are_listed = (pinion::testing::add_mutants(laws(), mutants()), true);

}  // namespace
}  // namespace pinion::scheduler::testing
