// SPDX-License-Identifier: Apache-2.0
#include <pinion/iosubmit/policy/chosen_policy.hpp>

#include "microseconds.hpp"

namespace pinion::iosubmit {
namespace {

template <class Policy>
std::string text_of(const Policy& policy) {
  return to_string(policy);
}
std::string text_of(const policy_detail::with_longest_wait<adaptive>& bounded) {
  return to_string(bounded.policy) + "; nothing waits longer than " + microseconds(bounded.wait_max);
}

}  // namespace

std::string to_string(const chosen_policy& policy) {
  std::string text{to_string(policy.settings().mode)};
  text.append(": ");
  return text.append(policy.ask([](const auto& held) noexcept { return text_of(held); }));
}

}  // namespace pinion::iosubmit
