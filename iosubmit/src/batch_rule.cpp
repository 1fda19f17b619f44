// SPDX-License-Identifier: Apache-2.0
//
// The rules with fixed numbers, as text.
#include <pinion/iosubmit/policy/batch_or_idle.hpp>
#include <pinion/iosubmit/policy/batch_rule.hpp>
#include <pinion/iosubmit/policy/each_turn.hpp>
#include <pinion/iosubmit/policy/high_throughput.hpp>
#include <pinion/iosubmit/policy/low_latency.hpp>

#include "microseconds.hpp"

namespace pinion::iosubmit {

std::string to_string(const batch_rule& rule) {
  return "batch " + std::to_string(rule.batch) + " or " + microseconds(rule.wait_max);
}

std::string to_string(const immediate& /*policy*/) { return "each operation"; }
std::string to_string(const each_turn& /*policy*/) { return "each turn"; }
std::string to_string(const batch_or_idle& policy) {
  return "batch " + std::to_string(policy.batch) + " or idle";
}
std::string to_string(const low_latency& policy) { return to_string(policy.rule); }
std::string to_string(const high_throughput& policy) {
  return to_string(policy.rule) + "; waits gather for " +
         microseconds(std::min(policy.rule.wait_max, policy.gather_max));
}

}  // namespace pinion::iosubmit
