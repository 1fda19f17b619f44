// SPDX-License-Identifier: Apache-2.0
#include <pinion/iosubmit/chosen_policy.hpp>

namespace pinion::iosubmit {
namespace {

std::string text_of(const batch_rule& rule) {
  return "batch " + std::to_string(rule.batch) + " or " + std::to_string(rule.wait_max.ns / 1000) + " us";
}
std::string text_of(const low_latency& policy) { return text_of(policy.rule); }
std::string text_of(const high_throughput& policy) { return text_of(policy.rule); }
std::string text_of(const balanced& policy) { return to_string(policy); }
std::string text_of(const with_longest_wait<adaptive>& bounded) {
  std::string text = to_string(bounded.policy);
  if (bounded.wait_max != forever)
    text.append("; nothing waits longer than ")
        .append(std::to_string(bounded.wait_max.ns / 1000))
        .append(" us");
  return text;
}

}  // namespace

std::string to_string(const chosen_policy& policy) {
  std::string text{to_string(policy.settings().mode)};
  text.append(": ");
  return text.append(policy.ask([](const auto& held) noexcept { return text_of(held); }));
}

}  // namespace pinion::iosubmit
