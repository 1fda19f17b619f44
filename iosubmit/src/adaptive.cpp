// SPDX-License-Identifier: Apache-2.0
#include <pinion/iosubmit/adaptive.hpp>

namespace pinion::iosubmit {
namespace {

std::string nanoseconds(duration time) { return std::to_string(time.ns) + " ns"; }

}  // namespace

std::string to_string(const adaptive& policy) {
  const std::uint64_t tenths = policy.completions_in_sixteenths() * 10 / 16;
  std::string text{"waited "};
  text.append(nanoseconds(policy.waited())).append(" of ").append(nanoseconds(policy.price()));
  text.append("; ").append(std::to_string(tenths / 10)).append(1, '.').append(std::to_string(tenths % 10));
  return text.append(" completions an enter");
}

}  // namespace pinion::iosubmit
