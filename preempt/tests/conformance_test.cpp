// SPDX-License-Identifier: Apache-2.0
//
// Every law for every source, in virtual time.
//
//   preempt_conformance --gtest_filter='ticker_source*'    one source; law_suite.hpp knows more
#include "law_suite.hpp"
#include "laws.hpp"

namespace pinion::preempt::testing {
namespace {

[[maybe_unused]] const bool are_listed = (pinion::testing::add_laws(laws(), backends()), true);

}  // namespace
}  // namespace pinion::preempt::testing
