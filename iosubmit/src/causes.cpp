// SPDX-License-Identifier: Apache-2.0
#include "causes.hpp"

#include <cerrno>
#include <limits>
#include <system_error>
#include <utility>

namespace pinion::iosubmit {

std::string limit_in_force(std::uint64_t limit, std::string_view unit) {
  if (limit == std::numeric_limits<std::uint64_t>::max()) return "; the limit in force is none";
  return ("; the limit in force is " + std::to_string(limit) + " ").append(unit);
}

std::optional<cause> cause_of_no_descriptor(int error, std::uint64_t limit) {
  switch (-error) {
  case EMFILE:
    return cause{.why = "the process has as many descriptors open as it may (RLIMIT_NOFILE)" +
                        limit_in_force(limit, "descriptors"),
                 .remedy = "raise the limit (ulimit -n, LimitNOFILE=), or close what is not needed"};
  case ENFILE:
    return cause{.why = "the machine has as many files open as it may",
                 .remedy = "raise fs.file-max (sysctl), or close what is not needed"};
  default: return std::nullopt;
  }
}

refusal refused_by(std::string_view call, int error, std::string asked, cause likely, int code) {
  std::string reason{call};
  reason.append(" answers errno ").append(std::to_string(-error)).append(" (");
  reason.append(std::generic_category().message(-error)).append("), most likely since ").append(likely.why);
  return {.code = {-code, std::generic_category()},
          .asked = std::move(asked),
          .reason = std::move(reason),
          .remedy = std::move(likely.remedy)};
}
refusal refused_by(std::string_view call, int error, std::string asked, cause likely) {
  return refused_by(call, error, std::move(asked), std::move(likely), error);
}

}  // namespace pinion::iosubmit
