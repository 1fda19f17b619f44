// SPDX-License-Identifier: Apache-2.0
//
// regret_table: prints docs/iosubmit/regret.md, to be run whenever a policy, a load or the captured costs are
// meant to change it.
//
//   cmake --build build/release --target iosubmit_regret_table
//   build/release/iosubmit/tests/simulation/iosubmit_regret_table > docs/iosubmit/regret.md
#include <fstream>
#include <iostream>

#include "regret.hpp"

int main() {
  using namespace pinion::iosubmit::simulation;
  std::ifstream stream{PINION_SERVICE_TIMES};
  const costs machine = costs::of(stream);
  std::cout << page(judge(machine, contestants(), tuned_families()),
                    judge(machine, contestants(), unseen_families()));
  return 0;
}
