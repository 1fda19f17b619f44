// SPDX-License-Identifier: Apache-2.0
#include <pinion/iosubmit/policy/submit_mode.hpp>

namespace pinion::iosubmit {

std::string_view to_string(submit_mode mode) noexcept {
  switch (mode) {
  case submit_mode::low_latency: return "low-latency";
  case submit_mode::high_throughput: return "high-throughput";
  case submit_mode::balanced: return "balanced";
  case submit_mode::adaptive: return "adaptive";
  }
  return "no mode";
}

std::string_view to_string(mode_reason reason) noexcept {
  switch (reason) {
  case mode_reason::begun: return "begun";
  case mode_reason::slow: return "slow";
  case mode_reason::fast_and_busy: return "fast and busy";
  case mode_reason::neither: return "neither";
  case mode_reason::long_turns: return "long turns";
  }
  return "no reason";
}

}  // namespace pinion::iosubmit
