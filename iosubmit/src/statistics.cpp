// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <pinion/iosubmit/statistics.hpp>

#include "microseconds.hpp"

namespace pinion::iosubmit {
namespace {

/// "name 3, other 0": a line of counts whose places have names.
template <class Name, std::size_t N>
std::string by_name(const std::array<std::uint64_t, N>& counts) {
  std::string text;
  for (std::size_t k = 0; k < N; ++k) {
    if (k != 0) text.append(", ");
    text.append(to_string(static_cast<Name>(k))).append(" ").append(std::to_string(counts[k]));
  }
  return text;
}

/// "1+: 3, 4+: 7": how many there were from that value up to the next one named.
std::string by_size(const histogram<>& values) {
  std::string text;
  for (std::size_t k = 0; k < histogram<>::places; ++k) {
    if (values[k] == 0) continue;
    if (!text.empty()) text.append(", ");
    text.append(std::to_string(values.least(k))).append(k < 2 ? ": " : "+: ");
    text.append(std::to_string(values[k]));
  }
  return text.empty() ? "none" : text;
}

}  // namespace

std::string_view to_string(enter_reason reason) noexcept {
  switch (reason) {
  case enter_reason::policy: return "policy";
  case enter_reason::urgent: return "urgent";
  case enter_reason::room: return "room";
  case enter_reason::kernel: return "kernel";
  case enter_reason::park: return "park";
  case enter_reason::retry: return "retry";
  case enter_reason::stop: return "stop";
  case enter_reason::submit: return "submit";
  }
  return "no reason";
}

std::string_view to_string(enter_error error) noexcept {
  switch (error) {
  case enter_error::interrupted: return "interrupted";
  case enter_error::no_memory: return "no memory";
  case enter_error::overflow: return "overflow";
  case enter_error::refused: return "refused";
  }
  return "no error";
}

enter_error statistics_detail::class_of(std::int32_t error) noexcept {
  switch (error) {
  case -EINTR: return enter_error::interrupted;
  case -EAGAIN: return enter_error::no_memory;
  case -EBUSY: return enter_error::overflow;
  default: return enter_error::refused;
  }
}

std::string to_string(const submission_statistics& statistics) {
  std::uint64_t enters = 0;
  for (const std::uint64_t one : statistics.enters) enters += one;
  std::string text{"enters: "};
  text.append(std::to_string(enters)).append(" (").append(by_name<enter_reason>(statistics.enters));
  text.append("), after ").append(std::to_string(statistics.said_no)).append(" times no\nsubmitted: ");
  text.append(std::to_string(statistics.submitted)).append("; an enter, ");
  text.append(by_size(statistics.submissions_an_enter)).append("\ncompleted: ");
  text.append(std::to_string(statistics.completed)).append(", dropped ");
  text.append(std::to_string(statistics.dropped)).append("; an enter, ");
  text.append(by_size(statistics.completions_an_enter)).append("\nage of the oldest at an enter, ns: ");
  text.append(by_size(statistics.age_ns)).append("\nchanges of mode: ");
  text.append(by_name<mode_reason>(statistics.mode_changes)).append("\nerrors: ");
  return text.append(by_name<enter_error>(statistics.errors)).append("\n");
}

std::string to_string(const decision_trace& trace) {
  std::string text;
  for (std::uint32_t k = 0; k < trace.size(); ++k) {
    const decision& one = trace[k];
    text.append("at ").append(microseconds(one.at - instant{})).append(": ").append(to_string(one.reason));
    if (one.mode) text.append(" (").append(to_string(*one.mode)).append(")");
    text.append(", after ").append(std::to_string(one.said_no)).append(" times no; ");
    text.append(std::to_string(one.depth)).append(" queued");
    if (one.depth != 0) text.append(", the oldest for ").append(microseconds(one.age));
    text.append(", ").append(std::to_string(one.in_flight)).append(" in flight; ");
    text.append(std::to_string(one.accepted)).append(" taken");
    if (one.error != 0) text.append(", errno ").append(std::to_string(-one.error));
    text.append("\n");
  }
  return text;
}

}  // namespace pinion::iosubmit
