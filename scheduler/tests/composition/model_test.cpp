// SPDX-License-Identifier: Apache-2.0
//
// Random programs against the account of model.hpp: as many as PINION_TEST_PROGRAMS says, from
// PINION_TEST_SEED on, and the proof that they find known defects.
//
//   PINION_TEST_PROGRAMS=1000000 scheduler_composition --gtest_filter='model.*'
#include "model.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>

#include "listed_test.hpp"
#include "mutants.hpp"
#include "sanitized.hpp"

namespace pinion::scheduler::testing {
namespace {

std::uint64_t programs() {
  const char* const text = std::getenv("PINION_TEST_PROGRAMS");
  if (text != nullptr) return std::strtoull(text, nullptr, 10);
  return pinion::testing::is_sanitized ? 5'000 : 100'000;
}

TEST(model, NothingComesOfAProgramThatMayNot) {
  const std::uint64_t seed = pinion::testing::seed_from_environment();

  const finding f = play_on({}, seed, programs());

  EXPECT_FALSE(f.found) << f.found.what() << f.text;
  std::cout << f.programs << " programs from seed " << seed << '\n';
}

TEST(model, FindsKnownDefects) {
  for (const char* const name :
       {"WaitsFromItsBeginning", "PollsTimersWhereIdle", "SkipsTheIoWhileBusy", "ForgetsToCancel",
        "EndsCancelledWaitsWell", "DropsWhatCameTooLate", "EntersPastTheCount", "IsRungInVain",
        "RunsBehindTheWait", "RunsInsidePush", "NeverRenewsTheWatch", "ForgetsPatience"}) {
    const finding f = play_on(mutant_named(name).factory, pinion::testing::seed_from_environment(), 2'000);

    EXPECT_TRUE(f.found) << "2,000 programs did not show " << name;
    std::cout << name << ", found by program " << f.programs << ": " << f.found.what() << '\n';
  }
}

TEST(model, FindsNothingWhereNothingIsWrong) {
  // Otherwise what is found in a mutant could be its frame's doing.
  for (const char* const name : {"WaitsFromItsBeginning", "ForgetsToCancel", "IsRungInVain"}) {
    const finding f = play_on(*mutant_named(name).frame, pinion::testing::seed_from_environment(), 1'000);

    EXPECT_FALSE(f.found) << f.found.what() << f.text;
  }
}

}  // namespace
}  // namespace pinion::scheduler::testing
