// SPDX-License-Identifier: Apache-2.0
//
// Mutants: stores that are right but for one defect, each a defect that real timers have had. The suite is
// good for as much as it kills: each must be caught by the law named, through that law's own violation.
//
// A mutant is a class with a switch for its defect.
#pragma once

#include <memory>
#include <vector>

#include "any_store.hpp"
#include "laws.hpp"

namespace pinion::timer::testing {

using mutant = pinion::testing::mutant_of<store_factory>;

/// A mutant of a class made from a setup and whether it has its defect. Its frame has the name of the class's
/// first mutant.
template <class Mutant>
mutant made(const char* law, const char* name, const char* origin = "our own", bool needs_checked = false) {
  const auto factory = [&](bool flawed) {
    return store_factory{name, [flawed](const setup& how) { return std::make_unique<Mutant>(how, flawed); }};
  };
  static const store_factory frame = factory(false);
  return {law, factory(true), &frame, origin, unless_checked(needs_checked)};
}

[[nodiscard]] const std::vector<mutant>& mutants();

}  // namespace pinion::timer::testing
