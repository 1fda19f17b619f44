// SPDX-License-Identifier: Apache-2.0
//
// regret_table: prints docs/iosubmit/regret.md.
//
//   build/release/iosubmit/tests/simulation/iosubmit_regret_table > docs/iosubmit/regret.md
#include <fstream>
#include <iostream>

#include "regret.hpp"

int main(int count, char** arguments) {
  namespace simulation = pinion::iosubmit::simulation;
  std::ifstream stream{PINION_SERVICE_TIMES};
  const simulation::costs machine = simulation::costs::of(stream);
  const bool unseen = count > 1 && std::string{arguments[1]} == "unseen";
  std::cout << simulation::table(
      simulation::judge(machine, simulation::contestants(),
                        unseen ? simulation::unseen_families() : simulation::tuned_families()));
  return 0;
}
