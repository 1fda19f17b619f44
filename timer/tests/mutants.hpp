// SPDX-License-Identifier: Apache-2.0
//
// Mutants: stores that are right but for one defect, each a defect that real timers have had. The suite is
// good for as much as it kills: each must be caught by the law named, through that law's own violation.
#pragma once

#include <vector>

#include "any_store.hpp"

namespace pinion::timer::testing {

struct mutant {
  const char* law;  ///< the law that kills it
  store_factory factory;
  bool needs_checked = false;      ///< the law counts work
  const char* origin = "our own";  ///< the design text or project that has the defect, as "001 (e)"
};

[[nodiscard]] const std::vector<mutant>& mutants();

}  // namespace pinion::timer::testing
