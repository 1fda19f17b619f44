// SPDX-License-Identifier: Apache-2.0
//
// The committed table of adaptive's knobs is what the simulation yields.
#include "knobs.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace pinion::iosubmit::simulation {
namespace {

TEST(KnobsTest, AreWorthWhatTheCommittedTableSays) {
  std::ifstream times{PINION_SERVICE_TIMES};
  std::ifstream stream{PINION_KNOBS_PAGE};
  const std::string committed{std::istreambuf_iterator<char>{stream}, {}};

  EXPECT_EQ(knobs_page(costs::of(times)), committed)
      << "if that is meant: iosubmit_knobs_table > docs/iosubmit/knobs.md";
}

}  // namespace
}  // namespace pinion::iosubmit::simulation
