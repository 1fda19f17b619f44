// SPDX-License-Identifier: Apache-2.0
//
// What a uring_ring has, and why there is none, as text.
#include <cerrno>
#include <cstring>
#include <limits>
#include <pinion/base/kernel.hpp>
#include <pinion/iosubmit/ring/uring_options.hpp>

namespace pinion::iosubmit {
namespace {

struct named_flag {
  std::uint32_t flag;
  const char* name;
};
constexpr named_flag names[] = {
    {kernel::setup::completion_entries, "completion_entries"},
    {kernel::setup::clamp, "clamp"},
    {kernel::setup::disabled, "disabled"},
    {kernel::setup::submit_all, "submit_all"},
    {kernel::setup::coop_taskrun, "coop_taskrun"},
    {kernel::setup::taskrun_flag, "taskrun_flag"},
    {kernel::setup::single_issuer, "single_issuer"},
    {kernel::setup::defer_taskrun, "defer_taskrun"},
    {kernel::setup::no_sq_array, "no_sq_array"},
};

std::string listed(std::uint32_t flags) {
  std::string text;
  for (const named_flag& one : names) {
    if ((flags & one.flag) == 0) continue;
    if (!text.empty()) text += ' ';
    text += one.name;
  }
  return text;
}

const char* name_of(refused_call call) noexcept {
  switch (call) {
  case refused_call::options: return "its options";
  case refused_call::setup: return "io_uring_setup";
  case refused_call::features: return "what this kernel's io_uring lacks";
  case refused_call::map: return "mmap";
  case refused_call::enlist: return "io_uring_register";
  case refused_call::epoll: return "epoll_create1";
  }
  return "an unknown call";
}

// Of the two limits that are met: open descriptors, and locked memory.
const char* unit_of_limit(std::int32_t error) noexcept {
  return error == -EMFILE ? " descriptors" : " bytes";
}

}  // namespace

std::string to_string(const uring_features& features) {
  std::string text = std::to_string(features.entries) + " entries, " +
                     std::to_string(features.completion_entries) + " completions; " +
                     listed(features.setup_flags);
  if (features.registered_descriptor) text += " registered_descriptor";
  if (features.min_wait) text += " min_wait";
  if (features.no_iowait) text += " no_iowait";
  if (features.missing_flags != 0) text += "; this kernel lacks: " + listed(features.missing_flags);
  return text;
}

std::string to_string(const ring_refusal& refusal) {
  const std::string flags = listed(refusal.setup_flags);
  std::string text = "no ring of " + std::to_string(refusal.entries) + " entries and " +
                     std::to_string(refusal.completion_entries) + " completions" +
                     (flags.empty() ? flags : " (" + flags + ")") + ": refused by " + name_of(refusal.call) +
                     ", errno " + std::to_string(-refusal.error) + " (" + std::strerror(-refusal.error) +
                     "). Most likely " + std::string{refusal.cause};
  if (refusal.limit != 0) {
    const bool is_none = refusal.limit == std::numeric_limits<std::uint64_t>::max();
    text += "; the limit in force is ";
    text += is_none ? "none" : std::to_string(refusal.limit) + unit_of_limit(refusal.error);
  }
  return text + ". To do: " + std::string{refusal.remedy};
}

}  // namespace pinion::iosubmit
