// SPDX-License-Identifier: Apache-2.0
//
// Every law for every policy, over a ring of every temper.
//
//   iosubmit_conformance --gtest_filter='batch_or_idle*'   one policy; law_suite.hpp knows more
#include <pinion/base/diagnostic.hpp>

#include "law_suite.hpp"
#include "laws.hpp"

namespace pinion::iosubmit::testing {
namespace {

void quiet(const diagnostic&) noexcept {}  // that the kernel refuses is said in hundreds of rounds

[[maybe_unused]] const bool are_listed =
    (set_diagnostic_sink(&quiet), pinion::testing::add_laws(laws(), backends()), true);

}  // namespace
}  // namespace pinion::iosubmit::testing
