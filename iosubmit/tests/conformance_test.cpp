// SPDX-License-Identifier: Apache-2.0
//
// Every law for every policy, over a ring of every temper.
//
//   iosubmit_conformance --gtest_filter='batch_or_idle*'   one policy
//   PINION_TEST_SEED=7 iosubmit_conformance                other numbers; a failure prints the seed it had
#include <gtest/gtest.h>

#include <pinion/base/diagnostic.hpp>

#include "laws.hpp"
#include "listed_test.hpp"

namespace pinion::iosubmit::testing {
namespace {

void quiet(const diagnostic&) noexcept {}  // that the kernel refuses is said in hundreds of rounds

void register_all() {
  const std::uint64_t seed = pinion::testing::seed_from_environment();
  for (const submission_factory& backend : backends()) {
    for (const clause& c : laws()) {
      if (c.needs_calm && backend.is_faulty) continue;
      submission_factory seeded = backend;
      seeded.seed = seed;
      pinion::testing::add_test(backend.name, std::string{c.law} + c.name, [c, seeded] {
        const violation what = c.check(seeded);
        EXPECT_FALSE(what) << "law " << c.law << " is broken by " << seeded.name << ": " << what.what();
      });
    }
  }
}

}  // namespace
}  // namespace pinion::iosubmit::testing

int main(int argc, char** argv) {
  pinion::set_diagnostic_sink(pinion::iosubmit::testing::quiet);
  pinion::iosubmit::testing::register_all();
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
