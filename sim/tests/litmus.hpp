// SPDX-License-Identifier: Apache-2.0
//
// Litmus programs, as the tables beside this file write them (litmus_axioms.py says how), run by the
// explorer.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <pinion/sim/explore.hpp>
#include <set>
#include <string>
#include <vector>

namespace pinion::sim::litmus {

/// A program and what C++20 lets it do.
struct row {
  std::string name;
  std::string program;
  std::set<std::string> outcomes;
  std::set<std::string> hidden;  // allowed, but only by a cycle of sequenced-before and reads-from
};

/// The rows of a table; throws if one can't be read.
std::vector<row> read(std::istream& table);

/// What the explorer found.
struct found {
  std::set<std::string> outcomes;
  exploration how;
};

/// Runs the program in every way.
found run(const std::string& program);

}  // namespace pinion::sim::litmus
