// SPDX-License-Identifier: Apache-2.0
//
// Every law against every backend, and every mutant against the law that must kill it.
//
//   timer_conformance --gtest_filter='ordered_map.*'    one backend; law_suite.hpp knows more
#include "law_suite.hpp"
#include "laws.hpp"
#include "mutants.hpp"

namespace pinion::timer::testing {
namespace {

[[maybe_unused]] const bool are_listed =
    (pinion::testing::add_laws(laws(), backends()), pinion::testing::add_mutants(laws(), mutants()), true);

}  // namespace
}  // namespace pinion::timer::testing
