// SPDX-License-Identifier: Apache-2.0
//
// The preempt part of an installed pinion: a slice is over in time, or in number, by the source that the
// build was asked to make the default.
#include <cstdio>
#include <type_traits>

#ifdef THROUGH_IMPORT
import pinion.preempt;
#else
#include <pinion/preempt.hpp>
#endif

#define TEXT_OF(name) #name
#define NAME_OF(name) TEXT_OF(name)

namespace preempt = pinion::preempt;

int main() {
  if (!std::is_same_v<preempt::default_source, preempt::EXPECTED_PREEMPT_DEFAULT>) {
    std::puts("preempt: default_source is not " NAME_OF(EXPECTED_PREEMPT_DEFAULT));
    return 1;
  }
  preempt::slice_rule rule;
  const auto queue = rule.add({.quantum = pinion::duration{1'000'000}});
  if (!queue) {
    std::puts("preempt: a rule refused a queue with a quantum of 1 ms");
    return 1;
  }
  preempt::default_source source;
  const pinion::instant now = pinion::monotonic_clock::now();

  source.begin(now, rule.end_of(*queue, {.now = now, .others_ready = true}));
  unsigned long long checks = 1;
  constexpr pinion::duration patience{10'000'000'000};
  while (!source.word().is_due()) {
    ++checks;
    if (pinion::monotonic_clock::now() - now > patience) {
      std::puts("preempt: a slice of 1 ms was not over after 10 s");
      return 1;
    }
  }
  source.rest();
  const bool is_due_at_rest = source.word().is_due();

  std::printf(
      "preempt: default_source is " NAME_OF(EXPECTED_PREEMPT_DEFAULT) ", due after %llu checks, at rest %d\n",
      checks, is_due_at_rest);
  return is_due_at_rest ? 1 : 0;
}
