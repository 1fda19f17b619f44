// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <pinion/iosubmit/detail/completion_sinks.hpp>
#include <string>
#include <system_error>

namespace pinion::iosubmit::sinks_detail {
namespace {

std::string list_of(std::uint32_t marks) {
  std::string text;
  for (std::uint32_t mark = 0; mark != 8; ++mark) {
    if ((marks >> mark & 1U) != 0) text.append(text.empty() ? "" : ", ").append(std::to_string(mark));
  }
  return text.empty() ? "none" : text;
}

}  // namespace

refusal no_mark_left(std::uint32_t with_sink, std::uint32_t with_watch) {
  return {.code = std::make_error_code(std::errc::device_or_resource_busy),
          .asked = "a mark for a sink of a submission",
          .reason = "all six are in use; with a sink: " + list_of(with_sink) +
                    "; removed 256 times, with a watch that has not ended: " + list_of(with_watch),
          .remedy = "remove a sink that is no longer needed, and stop its watches (entries::cancel_watch)"};
}

}  // namespace pinion::iosubmit::sinks_detail
