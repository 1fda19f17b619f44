// SPDX-License-Identifier: Apache-2.0
//
// laws: each law of frames/concept.hpp as plain functions from a factory to what broke, or to nothing. They
// know no test framework, so the same code proves an allocator and kills a mutant.
#pragma once

#include <string>
#include <vector>

#include "any_frames.hpp"
#include "law.hpp"
#include "sanitized.hpp"

namespace pinion::scheduler::testing {

using pinion::testing::broken;
using pinion::testing::violation;

struct frames_clause {
  const char* law;   ///< "F1"
  const char* name;  ///< what holds, as a test is named
  violation (*check)(const frames_factory&);
};
[[nodiscard]] inline bool is_for(const frames_clause& c, const frames_factory& factory) {
  const std::string law = c.law;
  return !(law == "F3" && factory.traits.takes_locks) && !(law == "F5" && factory.traits.allocates_each);
}
[[nodiscard]] inline std::string why_skipped(const frames_clause& c, const frames_factory&) {
  return std::string{c.law} == "F3" && pinion::testing::is_sanitized
             ? "a sanitizer has a pthread_mutex_lock of its own"
             : "";
}

[[nodiscard]] std::vector<frames_clause> memory();            // F1
[[nodiscard]] std::vector<frames_clause> anywhere();          // F2
[[nodiscard]] std::vector<frames_clause> no_lock();           // F3
[[nodiscard]] std::vector<frames_clause> memory_goes_back();  // F4
[[nodiscard]] std::vector<frames_clause> no_allocation();     // F5
[[nodiscard]] std::vector<frames_clause> counted();           // F6

/// All of them.
[[nodiscard]] inline std::vector<frames_clause> frames_laws() {
  return pinion::testing::joined(
      {memory(), anywhere(), no_lock(), memory_goes_back(), no_allocation(), counted()});
}

}  // namespace pinion::scheduler::testing
