// SPDX-License-Identifier: Apache-2.0
//
// The laws between threads, against every pair of inbox and notifier.
//
//   waker_threads --gtest_filter='tagged_inbox*'        one inbox
#include "law_suite.hpp"
#include "laws.hpp"

namespace pinion::waker::testing {
namespace {

[[maybe_unused]] const bool are_listed = (pinion::testing::add_laws(between_threads(), backends()), true);

}  // namespace
}  // namespace pinion::waker::testing
