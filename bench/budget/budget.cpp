// SPDX-License-Identifier: Apache-2.0
#include "budget.hpp"

#include <valgrind/callgrind.h>

#include <bench/program/build.hpp>
#include <cstdio>
#include <string>

namespace pinion::bench {

// Out of line, so that a workload's own code is the same as in the benchmark.
instruction_meter::instruction_meter() noexcept { CALLGRIND_TOGGLE_COLLECT; }

double instruction_meter::seconds() const noexcept {
  CALLGRIND_TOGGLE_COLLECT;
  CALLGRIND_DUMP_STATS;
  return 0;
}

budget::budget() {
  std::printf("compiler %s\n", compiler().c_str());
  std::printf("build %s\n", build().c_str());
}

void budget::instructions(const std::string& who, const std::string& operation, const measured& work) {
  std::printf("instructions %s %s %zu\n", who.c_str(), operation.c_str(), work.operations);
  note(who, operation, work.checksum == work.expected);
}

void budget::bytes(const std::string& who, const std::string& what, double value, bool is_right) {
  std::printf("bytes %s %s %.3f\n", who.c_str(), what.c_str(), value);
  note(who, what, is_right);
}

void budget::note(const std::string& who, const std::string& what, bool is_right) {
  if (is_right) return;
  any_wrong_ = true;
  std::printf("wrong %s %s\n", who.c_str(), what.c_str());
}

}  // namespace pinion::bench
