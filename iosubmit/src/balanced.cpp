// SPDX-License-Identifier: Apache-2.0
#include <pinion/iosubmit/policy/balanced.hpp>

#include "microseconds.hpp"

namespace pinion::iosubmit {

std::string to_string(const balanced& policy) {
  const mode_change& last = policy.last_change();
  const policy_detail::latency_percentiles of = policy.window().percentiles();
  std::string text{to_string(policy.mode())};
  if (last.reason != mode_reason::begun) {
    text.append(" after ").append(to_string(last.from)).append(" (").append(to_string(last.reason));
    text.append(", at ").append(microseconds(last.at - instant{})).append(")");
  }
  text.append("; batch ").append(std::to_string(policy.current_rule().batch));
  text.append(" or ").append(microseconds(policy.current_rule().wait_max));
  text.append("; of ").append(std::to_string(policy.window().size()));
  text.append(" latencies: average ").append(microseconds(policy.window().average()));
  text.append(", P50 ").append(microseconds(of.p50));
  text.append(", P99 ").append(microseconds(of.p99));
  text.append(", P999 ").append(microseconds(of.p999));
  text.append("; ")
      .append(std::to_string(policy.submissions()))
      .append(" submitted since; changes of mode: ");
  return text.append(std::to_string(policy.changes()));
}

}  // namespace pinion::iosubmit
