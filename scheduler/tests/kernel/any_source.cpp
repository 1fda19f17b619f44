// SPDX-License-Identifier: Apache-2.0
#include "any_source.hpp"

#include <initializer_list>

#include "seam.hpp"

namespace pinion::scheduler::testing {
namespace {

struct scripted : preempt::scripted_source {
  scripted() : scripted_source(std::initializer_list<std::uint64_t>{3, 4, 50, 1'000}) {}
};

template <class Source>
source_kind source(std::string_view name) {
  return {name, Source::traits,
          []() -> std::unique_ptr<source_behind> { return std::make_unique<behind_source<Source>>(); }};
}

template <class Policy>
policy_kind policy(std::string_view name, Policy how = Policy()) {
  return {name, any_policy{std::move(how)}};
}

}  // namespace

const std::vector<source_kind>& source_kinds() {
  static const std::vector<source_kind> all{
      source<preempt::ticker_source>("ticker_source"),
      source<preempt::basic_posix_timer_source<seam_timer>>("posix_timer_source"),
      source<preempt::tsc_budget>("tsc_budget"),
      source<preempt::operation_budget>("operation_budget"),
      source<preempt::always_due>("always_due"),
      source<preempt::never_due>("never_due"),
      source<scripted>("scripted_source"),
      {"uring_source", {.may_be_early = true}, nullptr},
  };
  return all;
}

const std::vector<policy_kind>& policy_kinds() {
  using namespace iosubmit;
  static const std::vector<policy_kind> all{
      policy<adaptive>("adaptive"),
      policy<immediate>("immediate"),
      policy<batch_or_idle>("batch_or_idle"),
      policy<each_turn>("each_turn"),
      policy<low_latency>("low_latency"),
      policy<high_throughput>("high_throughput"),
      policy<balanced>("balanced"),
      policy("chosen_policy", chosen_policy{effective({.mode = submit_mode::balanced}, {})}),
  };
  return all;
}

}  // namespace pinion::scheduler::testing
