// SPDX-License-Identifier: Apache-2.0
//
// knobs_table: prints docs/iosubmit/knobs.md, to be run with regret_table.
//
//   cmake --build build/release --target iosubmit_knobs_table
//   build/release/iosubmit/tests/simulation/iosubmit_knobs_table > docs/iosubmit/knobs.md
#include <fstream>
#include <iostream>

#include "knobs.hpp"

int main() {
  using namespace pinion::iosubmit::simulation;
  std::ifstream stream{PINION_SERVICE_TIMES};
  std::cout << knobs_page(costs::of(stream));
  return 0;
}
