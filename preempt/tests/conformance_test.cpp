// SPDX-License-Identifier: Apache-2.0
//
// Every law for every source, in virtual time.
//
//   preempt_conformance --gtest_filter='ticker_source*'    one source
//   PINION_TEST_SEED=7 preempt_conformance                 other numbers; a failure prints the seed it had
#include <gtest/gtest.h>

#include "laws.hpp"
#include "listed_test.hpp"

namespace pinion::preempt::testing {
namespace {

void register_all() {
  const std::uint64_t seed = pinion::testing::seed_from_environment();
  for (source_factory backend : backends()) {
    backend.seed = seed;
    for (const clause& c : laws()) {
      if (!is_for(c, backend)) continue;
      pinion::testing::add_test(backend.name, std::string{c.law} + c.name, [c, backend] {
        const violation what = c.check(backend);
        EXPECT_FALSE(what) << "law " << c.law << " is broken by " << backend.name << ": " << what.what();
      });
    }
  }
}

}  // namespace
}  // namespace pinion::preempt::testing

int main(int argc, char** argv) {
  pinion::preempt::testing::register_all();
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
