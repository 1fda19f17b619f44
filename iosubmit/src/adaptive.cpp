// SPDX-License-Identifier: Apache-2.0
#include <pinion/iosubmit/policy/adaptive.hpp>

#include "microseconds.hpp"

namespace pinion::iosubmit {

std::string to_string(const adaptive& policy) {
  const std::uint64_t tenths = policy.operations_in_256ths() * 10 / 256;
  std::string text{policy.enters_at_once() ? "at once" : "at the end of turns"};
  if (policy.changes() != 0) {
    text.append(" since ").append(microseconds(policy.changed() - instant{}));
    text.append(" (change ").append(std::to_string(policy.changes())).append(1, ')');
  }
  text.append("; turns of ").append(microseconds(policy.turn())).append(" with ");
  text.append(std::to_string(tenths / 10)).append(1, '.').append(std::to_string(tenths % 10));
  text.append(" operations; waits gather for ").append(microseconds(policy.gather()));
  if (policy.resting() != 0)
    text.append(" after ").append(std::to_string(policy.resting())).append(" that do not");
  return text;
}

}  // namespace pinion::iosubmit
