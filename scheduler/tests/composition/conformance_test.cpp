// SPDX-License-Identifier: Apache-2.0
//
// Every law for every composition that can be had in virtual time. One test is one clause for all
// compositions with one kind of timers, and one for those in which something is absent.
//
//   scheduler_composition --gtest_filter='deferred_wheel.C3*'
//   PINION_TEST_COMPOSITION='msg_ring, adaptive, slow' scheduler_composition     those alone, in every way
//   PINION_TEST_SEED=7 scheduler_composition                                     other numbers
#include <gtest/gtest.h>

#include <cstddef>
#include <iostream>
#include <pinion/base/diagnostic.hpp>
#include <utility>
#include <vector>

#include "law_suite.hpp"
#include "laws.hpp"
#include "sanitized.hpp"

namespace pinion::scheduler::testing {
namespace {

// What the kernel refuses, and who looks at a word outside of slices, is said in thousands of rounds.
void quiet(const diagnostic&) noexcept {}

// Under a sanitizer a sample, in which any two values meet.
std::vector<composition_factory> tried(std::vector<composition_factory> all) {
  if (!pinion::testing::is_sanitized) return all;
  return every_pair_of(all);
}

std::vector<family> families() {
  std::vector<family> all;
  std::vector<composition_factory> with_all_parts;
  for (const timers_value& timers : all_timers()) {
    all.push_back({.name = timers.name, .members = compositions_with(&timers)});
    with_all_parts.insert(with_all_parts.end(), all.back().members.begin(), all.back().members.end());
  }
  all.push_back({.name = "with_absent_parts", .members = compositions_with(nullptr)});
  for (family& each : all) each.members = tried(std::move(each.members));
  all.push_back({.name = "spinning", .members = spinning(every_pair_of(with_all_parts))});
  return all;
}

class account : public ::testing::Environment {
 public:
  explicit account(std::size_t compositions) : compositions_(compositions) {}
  void TearDown() override {
    std::cout << "clauses of the laws were run on " << done_so_far().compositions << " compositions, of "
              << compositions_ << " different ones, in " << done_so_far().ns / 1'000'000 << " ms\n";
  }

 private:
  std::size_t compositions_;
};

[[maybe_unused]] const bool are_listed = [] {
  set_diagnostic_sink(&quiet);
  const std::vector<family> all = families();
  std::size_t compositions = 0;
  for (const family& each : all) compositions += each.members.size();
  ::testing::AddGlobalTestEnvironment(new account{compositions});
  pinion::testing::add_laws(laws(), all);
  return true;
}();

}  // namespace
}  // namespace pinion::scheduler::testing
