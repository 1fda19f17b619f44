// SPDX-License-Identifier: Apache-2.0
//
// The laws between threads, against every pair of inbox and notifier.
//
//   waker_threads --gtest_filter='tagged_inbox*'        one inbox
#include <gtest/gtest.h>

#include "laws.hpp"
#include "listed_laws.hpp"

int main(int argc, char** argv) {
  using namespace pinion::waker::testing;
  add_laws(between_threads(), seed_from_environment());
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
